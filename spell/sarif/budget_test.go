package sarif_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/record"
	"spell-lsp/spell/sarif"
	"spell-lsp/spell/settings"
)

// Broken budgets are results at their comments.
func TestBudgets(t *testing.T) {
	run := func() *record.Run {
		r := recordtest.Park()
		for i := range r.Components {
			if c := &r.Components[i]; c.ID == recordtest.Module+".(*Park).Sort" {
				c.Budgets = []record.Budget{{Text: "1mJ/call, 10 calls/test", Line: 57}}
			}
		}
		r.Tests[0].Budgets, r.Tests[0].File = []record.Budget{{Text: "1 J/test, 1 h/test", Line: 3}, {Text: "1 J/test", Line: 4}}, "park_test.go"
		return r
	}
	found := func(o sarif.Options) []string {
		var log struct {
			Runs []struct {
				Results []struct {
					RuleID    string
					RuleIndex int
					Level     string
					Message   struct{ Text string }
					Locations []struct {
						PhysicalLocation struct {
							ArtifactLocation struct{ URI string }
							Region           struct{ StartLine int }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(written(t, run(), o), &log); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, r := range log.Runs[0].Results {
			if r.RuleID == "energy-budget" {
				at := r.Locations[0].PhysicalLocation
				list = append(list, fmt.Sprintf("%d %s %s:%d %s", r.RuleIndex, r.Level, at.ArtifactLocation.URI, at.Region.StartLine, r.Message.Text))
			}
		}
		return list
	}
	want := []string{
		"1 error park.go:57 example.com/park.(*Park).Sort: budget of 1 mJ per call is broken: 180 mJ, without what it calls.",
		"1 error park_test.go:4 example.com/park.TestMany: budget of 1 J per test is broken: 7.00 J.",
	}
	if diff := cmp.Diff(want, found(sarif.Options{})); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if got := found(sarif.Options{Severity: settings.Severity{Budget: settings.Off}}); got != nil {
		t.Errorf("with severity off: %q", got)
	}
}
