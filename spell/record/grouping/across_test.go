package grouping_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
)

// The groups of the runs of these tests.
const (
	goroutineRest = iota
	labelRest
	opener
	ownGoroutine
	north
)

// sampled is Town with the groups in which its functions were seen: Add in both tests, Sort in
// another than it ran in, Sell in none.
func sampled() *record.Run {
	r := recordtest.Town()
	r.Groups = []record.Group{
		{Kind: spell.KindGoroutine, ID: record.NotSampled}, {Kind: spell.KindLabel, ID: record.NotSampled},
		{Kind: spell.KindGoroutine, ID: "example.com/park.(*Park).Open", Package: "example.com/park", File: "park.go", Line: 31},
		{Kind: spell.KindGoroutine, ID: record.TestGoroutine}, {Kind: spell.KindLabel, ID: "gate=north"},
	}
	r.Components[1].RoundTimeMS = []float64{0, 0} // no test runs it
	r.Components[0].GroupTime = []record.GroupTime{
		{Test: 0, Group: opener, TimeMS: 3}, {Test: 0, Group: ownGoroutine, TimeMS: 1}, {Test: 0, Group: north, TimeMS: 4},
		{Test: 1, Group: ownGoroutine, TimeMS: 2}, {Test: 1, Group: north, TimeMS: 2},
	}
	r.Components[2].GroupTime = []record.GroupTime{{Test: 1, Group: opener, TimeMS: 5}, {Test: 1, Group: ownGoroutine, TimeMS: 15}}
	return r
}

// A function is divided by what samples saw of it in the test, else in all tests; of what none was seen
// is named. Executions cannot be divided.
func TestRegroupByGoroutine(t *testing.T) {
	r := sampled()
	g, err := grouping.Regroup(r, spell.KindGoroutine)
	if err != nil {
		t.Fatal(err)
	}
	want := record.MatrixOf(r.Meter.Domains,
		record.Cell{T: 0, C: 1, TimeMS: 3*0.75 + 30*0.25, EnergyJ: recordtest.Joules(1*0.75+3*0.25, 0.5*0.25)},
		record.Cell{T: 0, C: 2, TimeMS: 3*0.25 + 30*0.75, EnergyJ: recordtest.Joules(1*0.25+3*0.75, 0.5*0.75)},
		record.Cell{T: 1, C: 0, TimeMS: 7, EnergyJ: recordtest.Joules(0.75, 0)},
		record.Cell{T: 1, C: 2, TimeMS: 1, EnergyJ: recordtest.Joules(0.25, 0)})
	if diff := cmp.Diff(want, g.Matrix); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
	var ids []string
	for _, c := range g.Components {
		ids = append(ids, c.ID)
		if c.Kind != spell.KindGoroutine || c.N != 0 {
			t.Errorf("%s is a %s that ran %g times", c.ID, c.Kind, c.N)
		}
	}
	if diff := cmp.Diff([]string{record.NotSampled, "example.com/park.(*Park).Open", record.TestGoroutine}, ids); diff != "" {
		t.Errorf("goroutines (-want +got):\n%s", diff)
	}
	if c := g.Components[1]; c.File != "park.go" || c.Line != 31 || c.TimeMS != 9.75 {
		t.Errorf("the goroutines that Open starts are %+v", c)
	}
	most := []record.FunctionTime{{ID: r.Components[2].ID, TimeMS: 7.5}, {ID: r.Components[0].ID, TimeMS: 2.25}}
	if diff := cmp.Diff(most, g.Components[1].Functions); diff != "" {
		t.Errorf("functions in these goroutines (-want +got):\n%s", diff)
	}
	ranking.Analyze(g, spell.Options{}, false)
	if why := g.Components[1].Explanation; !strings.Contains(why, ", mostly in park.(*Park).Sort 76.9 %, park.(*Park).Add 23.1 %.") {
		t.Errorf("it is explained by %q", why)
	}
	if len(g.Analysis.Notes) > 0 { // least of all that executions are unknown: a note of the run says it
		t.Errorf("the ranking has the notes %+v", g.Analysis.Notes)
	}
	written(t, g)
	if g.CallsCounted() {
		t.Error("calls of goroutines are said to be counted")
	}
	if again, err := grouping.Regroup(g, spell.KindGoroutine); err != nil || again != g {
		t.Errorf("by goroutine a second time it is another run, %v", err)
	}
}

// Groups cut across functions and have all of their energy and time, to rounding, whatever the shares
// are; also where the functions were summed up before.
func TestGroupsHaveAllEnergy(t *testing.T) {
	r := sampled()
	for i := range r.Components[0].GroupTime {
		r.Components[0].GroupTime[i].TimeMS = 1.0 / float64(i+3)
	}
	byPackage, err := grouping.Regroup(r, spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]*record.Run{"function": r, "package": byPackage} {
		for _, kind := range []spell.Kind{spell.KindGoroutine, spell.KindLabel} {
			g, err := grouping.Regroup(run, kind)
			if err != nil {
				t.Fatal(err)
			}
			if rounds, of := roundsOf(g), roundsOf(r); !cmp.Equal(rounds, of, cmpopts.EquateApprox(1e-12, 0)) {
				t.Errorf("%s by %s: the rounds have %v, those of the functions %v", name, kind, rounds, of)
			}
			want, got := sums(r), sums(g)
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-12*want[i] {
					t.Errorf("%s by %s: test %d has %v, its functions have %v", name, kind, i/3, got, want)
				}
			}
		}
	}
}

// roundsOf are time and energy of all components by round.
func roundsOf(r *record.Run) (list []float64) {
	list = make([]float64, 3*r.Rounds)
	for i := range r.Components {
		c := &r.Components[i]
		for k := range c.RoundTimeMS {
			list[3*k] += c.RoundTimeMS[k]
			for d, domain := range r.Meter.Domains {
				list[3*k+1+d] += c.RoundEnergyJ[domain][k]
			}
		}
	}
	return list
}

// sums are time and energy of the cells of each test.
func sums(r *record.Run) []float64 {
	list := make([]float64, 3*len(r.Tests))
	for i, c := range r.Matrix.Cells {
		list[3*c.Test] += c.TimeMS
		for d := range r.Matrix.Domains {
			list[3*int(c.Test)+1+d] += r.Matrix.EnergyJ[i*len(r.Matrix.Domains)+d]
		}
	}
	return list
}

// What cannot be divided is refused with what to do.
func TestRegroupAcrossErrors(t *testing.T) {
	byGoroutine, err := grouping.Regroup(sampled(), spell.KindGoroutine)
	if err != nil {
		t.Fatal(err)
	}
	onlyLabels := sampled()
	onlyLabels.Groups[goroutineRest].Kind = spell.KindLabel
	onlyLabels.Groups[goroutineRest].ID = "gate=south"
	for name, test := range map[string]struct {
		r    *record.Run
		kind spell.Kind
		want string
	}{
		"an older run":   {recordtest.Town(), spell.KindLabel, "the run does not tell the labels in which its functions ran: measure with this version and probes (--mode instrument), with Go 1.25 or 1.26"},
		"one kind only":  {onlyLabels, spell.KindGoroutine, "the run does not tell the goroutines"},
		"the other kind": {byGoroutine, spell.KindLabel, "the run is by goroutine, which does not tell its labels: give a run by function (measure without --granularity), which can be shown by each"},
		"back":           {byGoroutine, spell.KindFunction, "the run is by goroutine, which cannot be summed up by function: give a run by function"},
		"something else": {byGoroutine, spell.KindPackage, "the run is by goroutine, which cannot be summed up by package: give a run by function"},
	} {
		if _, err := grouping.Regroup(test.r, test.kind); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}
