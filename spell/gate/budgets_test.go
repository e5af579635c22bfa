package gate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/gate"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A broken budget breaks the rule, an undecided one is a remark.
func TestBudgets(t *testing.T) {
	const (
		failed = "budget holds: 1 test that did not pass is not counted, and may cost more"
		none   = "budget holds: nothing that was measured has a budget"
	)
	for _, c := range []struct {
		why, budget     string
		fails           bool
		broken, remarks []string
	}{
		{"kept", "9 calls/test", false, nil, nil},
		{"kept, but a test failed", "9 calls/test", true, nil, []string{failed}},
		{"broken", "0.5 J/call, 9 calls/test, 7 calls/test", false, []string{
			"budget: m.Sort: budget of 0.5 J per call is broken: 1.00 J estimated (998 mJ to 1.00 J), without what it calls",
			"budget: m.Sort: budget of 7 calls per test is broken: 8 calls in m.TestAll",
		}, nil},
		{"broken, and another undecided", "1.0001 J/call, 7 calls/test", false, []string{"budget: m.Sort: budget of 7 calls per test is broken: 8 calls in m.TestAll"}, nil},
		{"undecided", "1.0001 J/call", false, nil, []string{"budget holds: m.Sort: budget of 1.0001 J per call is undecided: 1.00 J estimated (998 mJ to 1.00 J), without what it calls"}},
		{"none", "", false, nil, []string{none}},
	} {
		head := program(10, map[string]float64{"m.Sort": 8})
		if c.budget != "" {
			head.Components[0].Budgets = []record.Budget{{Text: c.budget, Line: 3}}
		}
		if c.fails {
			head.Tests = append(head.Tests, record.Test{Name: "m.TestBad", Outcome: record.Fail})
		}
		broken, remarks := checked(t, "budget", nil, head)
		if diff := cmp.Diff(c.broken, broken) + cmp.Diff(c.remarks, remarks); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, diff)
		}
	}
}

// A budget that is ignored would hold whatever is measured, so it is an error.
func TestIgnoredBudget(t *testing.T) {
	head := program(10, map[string]float64{"m.Sort": 8})
	head.Notes = []note.Note{note.BudgetIgnored("sort.go:3", "it has no unit")}
	_, err := gate.Check([]gate.Rule{{Text: "budget", Quantity: gate.Budget}}, nil, head, nil)
	if err == nil || !strings.HasSuffix(err.Error(), "the rule budget: the budgets were not checked: sort.go:3: the budget is ignored: it has no unit") {
		t.Errorf("error %v", err)
	}
}

// The rule holds for budgets that were not measured, and says that.
func TestBudgetsWithoutVerdict(t *testing.T) {
	head := program(10, map[string]float64{"m.Sort": 8})
	head.Components[0].Budgets = []record.Budget{{Text: "1 J/call, 2 J/call, 8 calls/test", Line: 3}}
	head.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
	head.Notes = []note.Note{note.NoVerdict(2, []string{"sort.go:9", "sort_test.go:3"})}
	broken, remarks := checked(t, "budget", nil, head)
	want := []string{
		"budget holds: 2 amounts of budgets have no verdict, as no test that counts ran the function, or the energy is not known, or calls were not counted",
		"budget holds: 2 budgets have no verdict, as what the comment limits did not run or is not measured as a function: sort.go:9, sort_test.go:3",
	}
	if diff := cmp.Diff(want, remarks); broken != nil || diff != "" {
		t.Errorf("broken %v, remarks (-want +got):\n%s", broken, diff)
	}
}
