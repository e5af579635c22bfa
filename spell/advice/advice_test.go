package advice_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/record"
)

// priced is a run of two functions of 6 and 4 J. The first has 2 J in line 12, 1.5 of them in
// growslice, and 1 J in line 14.
func priced() *record.Run {
	energy := func(j float64) record.Energy { return record.Energy{spell.CPU: j} }
	return &record.Run{
		Meter: record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}}, Matrix: record.MatrixOf([]spell.Domain{spell.CPU}),
		Components: []record.Component{
			{ID: "m.F", Kind: spell.KindFunction, File: "m.go", Line: 10, EndLine: 20, TimeMS: 600, EnergyJ: energy(6), Lines: []record.Line{
				{Line: 12, TimeMS: 200, EnergyJ: energy(2), Callees: []record.Callee{{Name: "runtime.growslice", TimeMS: 150, EnergyJ: energy(1.5)}, {Name: "strings.ToUpper", TimeMS: 10, EnergyJ: energy(0.1)}}},
				{Line: 14, TimeMS: 100, EnergyJ: energy(1)},
			}},
			{ID: "m.G", Kind: spell.KindFunction, File: "m.go", Line: 30, EndLine: 40, TimeMS: 400, EnergyJ: energy(4)},
		},
	}
}

func finding(rule string, line, end int, callees ...string) advice.Finding {
	return advice.Finding{Rule: rule, File: "m.go", Line: line, EndLine: end, Message: "x", Callees: callees}
}

// Never a finding without a price, and never a price that is not of the lines.
func TestPrice(t *testing.T) {
	list := advice.Price(priced(), []advice.Finding{
		finding("one line", 14, 14),
		finding("in what it calls", 12, 12, "runtime.grow*"),
		finding("several lines", 11, 15),
		finding("in what it does not call", 12, 12, "runtime.makeslice"),
		finding("too little", 14, 14, "strings.ToUpper"),
		finding("lines without energy", 18, 19),
		finding("a function whose lines are not known", 33, 33),
		finding("in two functions", 15, 33),
		{Rule: "another file", File: "n.go", Line: 12, EndLine: 12},
	})
	var got []string
	for _, a := range list {
		got = append(got, strings.TrimSpace(a.Rule))
		if a.Component != 0 || a.Share != a.EnergyJ.Total()/10 {
			t.Errorf("%s: component %d, share %v of 10 J for %v", a.Rule, a.Component, a.Share, a.EnergyJ)
		}
	}
	if diff := cmp.Diff([]string{"several lines", "in what it calls", "one line"}, got); diff != "" {
		t.Errorf("advice (-want +got):\n%s", diff)
	}
	if list[0].EnergyJ.Total() != 3 || list[1].EnergyJ.Total() != 1.5 {
		t.Errorf("prices are %v and %v, want 3 and 1.5", list[0].EnergyJ, list[1].EnergyJ)
	}
}

// What one change would save is not said twice.
func TestPriceOfTheSameLines(t *testing.T) {
	list := advice.Price(priced(), []advice.Finding{finding("a", 12, 12), finding("b", 12, 12)})
	if len(list) != 1 || list[0].Rule != "a" {
		t.Errorf("%+v", list)
	}
}

func TestApply(t *testing.T) {
	got, err := advice.Apply([]byte("one two three"), []advice.Edit{{Start: 8, End: 13, Text: "3"}, {Start: 0, End: 0, Text: "> "}, {Start: 0, End: 3, Text: "1"}})
	if err != nil || string(got) != "> 1 two 3" {
		t.Errorf("%q, %v", got, err)
	}
	for name, edits := range map[string][]advice.Edit{
		"overlap": {{Start: 0, End: 4}, {Start: 3, End: 5}}, "beyond the end": {{Start: 12, End: 14}}, "backwards": {{Start: 4, End: 3}},
	} {
		if _, err := advice.Apply([]byte("one two three"), edits); err == nil || !strings.Contains(err.Error(), "does not fit") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Why: one rewrite may remove an import that another needs, two may need the same one, and several
// together may leave one unused that each of them leaves in use.
func TestApplyKeepsImportsThatAreUsed(t *testing.T) {
	const text = "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nvar a, b = fmt.Sprint(1), fmt.Sprint(2)\n\nvar c = os.Args\n"
	at := func(s string) int { return strings.Index(text, s) }
	strconv := edit(at("\n\t\"fmt"), at("\n\t\"fmt"), "\n\t\"strconv\"")
	edits := []advice.Edit{
		strconv, edit(at("fmt.Sprint(1)"), at(", fmt.Sprint(2)"), "strconv.Itoa(1)"),
		strconv, edit(at("fmt.Sprint(2)"), at("\n\nvar c"), "strconv.Itoa(2)"),
		edit(at("\t\"os"), at(")\n\nvar a"), ""), // by a rewrite that was the last use, until another one came
	}
	got, err := advice.Apply([]byte(text), edits)
	want := "package p\n\nimport (\n\t\"strconv\"\n\t\"os\"\n)\n\nvar a, b = strconv.Itoa(1), strconv.Itoa(2)\n\nvar c = os.Args\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, string(got)))
	}
}

func TestApplyToImportsInOneLine(t *testing.T) {
	const text = "package p\n\nimport (\"fmt\"; \"os\")\n\nvar a, c = fmt.Sprint(), os.Args\n"
	got, err := advice.Apply([]byte(text), []advice.Edit{edit(strings.Index(text, "fmt.S"), strings.Index(text, ", os"), "1")})
	if want := "package p\n\nimport ( \"os\")\n\nvar a, c = 1, os.Args\n"; err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestOverlap(t *testing.T) {
	edits := []advice.Edit{edit(5, 9, "x"), edit(20, 20, "y")}
	for name, test := range map[string]struct {
		edit advice.Edit
		want bool
	}{
		"the same": {edit(5, 9, "x"), false}, "other text": {edit(5, 9, "z"), true}, "inside": {edit(6, 6, "z"), true},
		"before": {edit(5, 5, "z"), false}, "behind": {edit(9, 12, "z"), false}, "insertions at one place": {edit(20, 20, "z"), false},
		"around an insertion": {edit(19, 21, ""), true}, "another file": {advice.Edit{File: "n.go", Start: 5, End: 9}, false},
	} {
		if got := advice.Overlap(test.edit, edits); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func edit(start, end int, text string) advice.Edit {
	return advice.Edit{File: "m.go", Start: start, End: end, Text: text}
}
