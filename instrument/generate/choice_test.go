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
		{"Sorted", "Sorted2", nil, [2]string{}},
		{"Bytes", "Uints", nil, [2]string{"Bytes(b", "Uints(b"}},
		{"Find", "(*Steps).Find", nil, [2]string{"Find(n / 2)", "Find(n / 2)"}},
		{"(*Tree).Has", "(*Wrap).Has", nil, [2]string{"t.ReplaceOrInsert(k)", "w.AddKey(k)"}},
		{"Bubble", "Sorted", map[string]string{"list": "reversed"}, [2]string{`"func=Bubble/order=reversed/n=%d"`, `"func=Sorted/order=reversed/n=%d"`}},
	} {
		list, err := generate.Alternatives([]generate.Function{{ID: "example.com/lists." + test.one, Pkgs: pkgs}, {ID: "example.com/lists." + test.other, Pkgs: pkgs}}, generate.Params{Arguments: test.arguments})
		if test.has == [2]string{} {
			if err == nil {
				t.Errorf("%s and %s: no error", test.one, test.other)
			}
			continue
		}
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
