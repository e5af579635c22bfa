package runner

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/cache"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Budgets belong to the functions and tests that ran. A note says which have no verdict: nobody would
// miss those of helpers in test files, and of functions that have no probe.
func TestAddBudgets(t *testing.T) {
	build := &instrument.Build{
		Budgets: []cache.Budget{{ID: "m.F", File: "f.go", Text: "1 J/call", Line: 3}, {ID: "m.F", File: "f.go", Text: "2 J/call", Line: 4}, {ID: "m.never", File: "f.go", Text: "1 J/call", Line: 9}},
		TestBudgets: []cache.Budget{
			{ID: "m.TestA", File: "f_test.go", Hash: "0123", Text: "3 J/test", Line: 5}, {ID: "m.helper", File: "f_test.go", Text: "1 J/call", Line: 8},
		},
	}
	const alike = " no verdict, as what the comment limits did not run or is not measured as a function: "
	for _, c := range []struct {
		granularity spell.Kind
		functions   string
		note        string
	}{
		{spell.KindFunction, "[{1 J/call 3} {2 J/call 4}]", "2 budgets have" + alike + "f.go:9, f_test.go:8"},
		{spell.KindType, "[]", "4 budgets have" + alike + "f.go:3, f.go:4, f.go:9, f_test.go:8"},
	} {
		r := &record.Run{Granularity: c.granularity, Components: []record.Component{{ID: "m.F"}}, Tests: []record.Test{{Name: "m.TestA"}, {Name: "m.TestB"}}}
		addBudgets(r, build)
		test := &r.Tests[0]
		got := []string{fmt.Sprint(r.Components[0].Budgets), fmt.Sprintf("%v %s %s", test.Budgets, test.File, test.Hash), fmt.Sprint(r.Tests[1].Budgets), fmt.Sprint(wording.Texts(r.Notes))}
		want := []string{c.functions, "[{3 J/test 5}] f_test.go 0123", "[]", "[" + c.note + "]"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.granularity, diff)
		}
	}
}
