package text_test

import (
	"bytes"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/text"
)

// Why: the page about a function says which caller makes it costly, and whether that was fitted. Where no
// power is told, it says by time; both ways the parts are its 3.5 J.
func TestUnderCallers(t *testing.T) {
	for _, test := range []struct {
		name         string
		under, tests record.CallNode // powers of Sort
		want         []string
	}{
		{"fitted", record.CallNode{Power: 1.25, PowerCI: [2]float64{1.125, 1.375}}, record.CallNode{ByTime: record.Few}, []string{
			"energy 95 % time power how under", "2.50 J 2.15 J to 2.85 J 20.0 ms 125 W fitted shop.Sell", "1.00 J 10.0 ms 100 W by time: too few samples tests and what is not measured"}},
		{"no caller differs", record.CallNode{ByTime: record.Alike}, record.CallNode{ByTime: record.Alike}, []string{
			"energy time power how under", "2.33 J 20.0 ms 117 W by time: no difference shown shop.Sell", "1.17 J 10.0 ms 117 W by time: no difference shown tests"}},
		{"not tried, a cut stack", record.CallNode{}, record.CallNode{Cut: true}, []string{
			"2.33 J 20.0 ms 117 W by time shop.Sell", "1.17 J 10.0 ms 117 W by time a caller that is not known"}},
	} {
		r := recordtest.Town()
		under, tests := test.under, test.tests
		under.Parent, under.Component, under.TimeMS = 0, 2, 20
		tests.Parent, tests.Component, tests.TimeMS = -1, 2, 10
		r.CallTree = []record.CallNode{{Parent: -1, Component: 3}, under, tests}
		r.Components[2].Lines = []record.Line{{Line: 15, TimeMS: 30, EnergyJ: recordtest.Joules(3, 0.5)}}
		ranking.Analyze(r, spell.Options{}, false)
		var b bytes.Buffer
		if err := text.Write(&b, r, text.Options{Within: "Sort"}); err != nil {
			t.Fatal(err)
		}
		page := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range append(test.want, "Sort itself used under each of its callers.") {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q:\n%s", test.name, want, b.String())
			}
		}
	}
}
