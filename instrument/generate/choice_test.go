package generate_test

import (
	"strings"
	"testing"

	"spell-lsp/instrument/generate"
)

// Why: who compares two functions compares what they do with the same arguments. If one of them changes them, all get new ones for
// each call; a number is the same whatever the receiver is; a parameter may have another name in each; and a type another.
func TestAlternatives(t *testing.T) {
	_, pkgs := checked(t, "choice.txtar", "example.com/lists")
	for _, test := range []struct {
		one, other string
		arguments  map[string]string
		has        [2]string // in the text of each
	}{
		{"Bubble", "Sorted", nil, [2]string{"copy(valuesCopy, values)", "copy(listCopy, list)"}},
		{"Bytes", "Uints", nil, [2]string{"Bytes(b", "Uints(b"}},
		{"Find", "(*Steps).Find", nil, [2]string{"Find(n / 2)", "Find(n / 2)"}},
		{"(*Tree).Has", "(*Wrap).Has", nil, [2]string{"t.ReplaceOrInsert(k)", "w.AddKey(k)"}},
		{"First", "Largest", nil, [2]string{"copy(listCopy, list)", "copy(listCopy, list)"}},
		{"(*Doc).Count", "(*Index).Count", nil, [2]string{"d := &Doc{Text: dText}", "x.Add("}},
		{"Num.Near", "Band.Near", nil, [2]string{"Near(", "Near("}},
		{"Band.Near", "Any.Near", nil, [2]string{"Near(", "Near("}},
		{"(*Tree).Has", "(*Reg).Has", nil, [2]string{"t.ReplaceOrInsert(k)", "r := &Reg{keys: rKeys}"}},
		{"(*Reg).Has", "(*Reg).CanAdd", nil, [2]string{"Has(n / 2)", "CanAdd(n / 2)"}},
		{"(*Tree).Has", "(*Sieve).Has", nil, [2]string{"t.ReplaceOrInsert(k)", "s := NewSieve(n)"}},
		{"(*Words).Match", "(*Pattern).Match", nil, [2]string{"Match(", "Match("}},
		{"(*Apart).Has", "(*Tree).Has", nil, [2]string{"a.Add(k)", "t.ReplaceOrInsert(k)"}},
		{"(*Box).Has", "(*Tree).Has", nil, [2]string{".Add(k)", "t.ReplaceOrInsert(k)"}},
		{"(*Tree).Has", "(*Known).Has", nil, [2]string{"t.ReplaceOrInsert(k)", "all.Has("}},
		{"Bubble", "Sorted", map[string]string{"list": "reversed"}, [2]string{`"func=Bubble/order=reversed/n=%d"`, `"func=Sorted/order=reversed/n=%d"`}},
	} {
		list, err := generate.Alternatives([]generate.Function{{ID: "example.com/lists." + test.one, Pkgs: pkgs}, {ID: "example.com/lists." + test.other, Pkgs: pkgs}}, generate.Params{Arguments: test.arguments})
		if err != nil {
			t.Errorf("%s and %s: %v", test.one, test.other, err)
			continue
		}
		for i, b := range list {
			if text := string(b.Text(b.AllSizes())); !strings.Contains(text, test.has[i]) {
				t.Errorf("%s and %s: %q is not in\n%s", test.one, test.other, test.has[i], text)
			}
		}
	}
}

// Why: a comparison that is not fair misleads more than none, so it is refused with the reason.
func TestUnfairAlternatives(t *testing.T) {
	_, pkgs := checked(t, "choice.txtar", "example.com/lists")
	for _, test := range []struct {
		one, other string
		arguments  map[string]string
		why        string
	}{
		{"Sorted", "Find", nil, "lists.Sorted and example.com/lists.Find are no alternatives, because they differ in parameters or results: func([]int) int and func(int) bool"},
		{"Sorted", "Sorted", nil, "lists.Sorted is named twice"},
		{"Sorted", "Nameless", map[string]string{"list": "sorted"}, "lists.Nameless has no name for its parameter 1, which is list in example.com/lists.Sorted"},
		{"(*Tree).Has", "(*Known).Hit", nil, "(*Known).Hit may change its receiver"},
		{"(*Box).Has", "(*Box).Count", nil, "(*Box).Count may change its receiver"},
		{"(*Box).Has", "(*Box).Kind", nil, "(*Box).Kind may change its receiver"},
		{"(*Box).Has", "(*Queue).Pop", nil, "(*Queue).Pop may change its receiver"},
		{"(*Box).Has", "(*Queue).Drain", nil, "(*Queue).Drain may change its receiver"},
		{"(*Tree).Has", "(*Wrapped).Has", nil, "that of example.com/lists.(*Wrapped).Has is empty"},
		{"(*Tree).Has", "(*Dir).Has", nil, "that of example.com/lists.(*Dir).Has is empty"},
		{"(*Tree).Has", "(*Known).Hit", map[string]string{"receiver": "fixed:all"}, "(*Known).Hit may change its receiver"},
	} {
		_, err := generate.Alternatives([]generate.Function{{ID: "example.com/lists." + test.one, Pkgs: pkgs}, {ID: "example.com/lists." + test.other, Pkgs: pkgs}}, generate.Params{Arguments: test.arguments})
		if err == nil || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s and %s: %v, want %q", test.one, test.other, err, test.why)
		}
	}
}
