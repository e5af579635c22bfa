package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// setsLab measures a benchmark with two alternatives, and a function and a method that are alternatives, neither of which
// has a row of its own.
func setsLab() *lab {
	l := newLab(map[string]cost{"Other": {1, 1, 1}})
	l.alter = func(run *record.Run) {
		run.Tests, run.Components, run.Matrix, run.Rounds = nil, nil, record.Matrix{}, 8
		for name, joules := range map[string]float64{
			"BenchmarkSet/impl=map": 2, "BenchmarkSet/impl=slice": 1,
			"BenchmarkChoose_Find/func=Find/n=16": 1, "BenchmarkChoose_List_Find/func=List.Find/n=16": 3,
		} {
			run.Tests = append(run.Tests, record.Test{
				Name: "example.com/park." + name, Package: "example.com/park", Outcome: record.Pass, Rounds: 8, Repeats: 100, PerOperation: true,
				EnergyJ: record.Energy{spell.CPU: joules}, TimeMS: joules, RoundTimeMS: rounds(joules), RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: rounds(joules)},
			})
		}
		run.Meter = record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}}
	}
	return l
}

// rounds are eight values about a mean.
func rounds(mean float64) (list []float64) {
	for i := range 8 {
		list = append(list, mean*(1+(float64(i)-3.5)/1000))
	}
	return list
}

// Why: which of several alternatives is greenest is of use where the code is. The benchmark that compares them has a line
// with the result, and each function that was compared how it stands; the hover has the whole comparison. Measuring a
// benchmark measures its alternatives.
func TestAlternativesAreShown(t *testing.T) {
	dir := module(t, map[string]string{
		"a.go":      "package park\n\ntype List []int\n\nfunc Find() {}\n\nfunc (l *List) Find() {}\n\nfunc Other() {}\n",
		"a_test.go": "package park\n\nimport \"testing\"\n\nfunc BenchmarkSet(b *testing.B) {}\n\nfunc BenchmarkOther(b *testing.B) {}\n",
	})
	l := setsLab()
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	e.Start()
	path, test := filepath.Join(dir, "a.go"), filepath.Join(dir, "a_test.go")
	e.Open(path)
	e.Open(test)
	e.MustCall("workspace/executeCommand", map[string]any{"command": "spell-lsp.measure", "arguments": []any{map[string]any{"scope": "test", "uri": lsptest.URI(test), "name": "BenchmarkSet"}}})
	if asked := <-l.requests; !asked.Subtests || asked.Bench != "^BenchmarkSet$" {
		t.Errorf("asked to measure %q, with subtests %v", asked.Bench, asked.Subtests)
	}
	for file, want := range map[string]map[int]string{ // by line
		path: {4: "best of 2", 6: "3.00 times the energy of Find at n=16"},
		test: {4: "slice is best"},
	} {
		got := map[int]string{}
		for _, lens := range rawLenses(t, e, file) {
			if lens.Command.Command == "spell-lsp.ranking" {
				got[lens.Range.Start.Line] = lens.Command.Title
			}
		}
		if len(got) != len(want) {
			t.Errorf("lenses: %v", got)
		}
		for line, title := range want {
			if title += started.Format(" (2 Jan 2006)"); got[line] != title {
				t.Errorf("the lens of line %d is %q, want %q", line, got[line], title)
			}
		}
	}
	for _, c := range []struct{ file, at, has, lacks string }{
		{path, "Find() {}", "| 2 | List.Find |", "slice"},
		{test, "BenchmarkSet", "**Set**: slice is best", "List"},
	} {
		hover := e.Hover(c.file, c.at)
		if hover == nil || !strings.Contains(hover.Contents.Value, c.has) || strings.Contains(hover.Contents.Value, c.lacks) {
			t.Errorf("the hover of %s is %+v, want %q and not %q", c.at, hover, c.has, c.lacks)
		}
	}
	e.Configure(map[string]any{"lenses": false})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("no lens of a comparison", func() bool {
		return !slices.ContainsFunc(rawLenses(t, e, path), func(l rawLens) bool { return l.Command.Command == "spell-lsp.ranking" })
	})
	if hover := e.Hover(path, "Find() {}"); hover == nil || !strings.Contains(hover.Contents.Value, "| 2 | List.Find |") {
		t.Errorf("without lenses the hover is %+v, want the comparison", hover)
	}
	if hover := e.Hover(path, "Other"); hover != nil {
		t.Errorf("a function that was not compared has the hover %+v", hover)
	}
}
