package gate_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// program is a run of functions that use so many joules, and 500 ms for each; rounds
// differ by less than 1 %.
func program(rounds int, joules map[string]float64) *record.Run {
	r := &record.Run{
		Rounds: rounds, Granularity: spell.KindFunction,
		Meter: record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}},
		Tests: []record.Test{{Name: "m.TestAll", Outcome: record.Pass, Rounds: rounds}},
	}
	var cells []record.Cell
	for _, id := range []string{"m.(*Park).Add", "m.Sort", "m.Old", "m.New"} {
		j, has := joules[id]
		if !has {
			continue
		}
		c := record.Component{ID: id, Kind: spell.KindFunction, N: j, TimeMS: 500 * j, EnergyJ: record.Energy{spell.CPU: j}, RoundEnergyJ: map[spell.Domain][]float64{}}
		for k := range rounds {
			v := j * (1 + 0.002*float64((k*7+int(j*1000))%5-2))
			c.RoundEnergyJ[spell.CPU] = append(c.RoundEnergyJ[spell.CPU], v)
			c.RoundTimeMS = append(c.RoundTimeMS, 500*v)
		}
		cells = append(cells, record.Cell{C: len(r.Components), N: j, TimeMS: 500 * j, EnergyJ: c.EnergyJ})
		r.Components = append(r.Components, c)
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	ranking.Analyze(r, spell.Options{}, false)
	return r
}

// checked returns the rules that are broken and the remarks.
func checked(t *testing.T, rules string, base, head *record.Run) (broken, remarks []string) {
	t.Helper()
	parsed, err := gate.ParseAll(rules)
	if err != nil {
		t.Fatal(err)
	}
	var c *comparison.Comparison
	if base != nil {
		if c, err = comparison.Compare(base, head, comparison.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	report, err := gate.Check(parsed, base, head, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Violations {
		broken = append(broken, v.String())
	}
	for _, remark := range report.Remarks {
		remarks = append(remarks, remark.String())
	}
	return broken, remarks
}

func TestValues(t *testing.T) {
	head := program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8})
	for rules, want := range map[string][]string{
		"energy>10J, time>5s, n>10": nil,
		"energy>9.9J":               {"energy>9.9J: HEAD uses 10.0 J (estimated) per round."},
		"time>4900ms":               {"time>4900ms: HEAD runs for 5.00 s per round."},
		"n>9":                       {"n>9: HEAD makes 10 executions per round."},
		"energy(Sort)>7J, energy(Park.Add)>1999mJ": {"energy(Sort)>7J: m.Sort uses 8.00 J (estimated) per round.", "energy(Park.Add)>1999mJ: m.(*Park).Add uses 2.00 J (estimated) per round."},
		"psi(m.Sort)>0.9":                          {"psi(m.Sort)>0.9: m.Sort has psi 0.9846."},
		"psi(m.Sort)>0.99":                         nil,
		"energy(*)>3J, n(*)>8, psi(*)>0.9":         {"energy(*)>3J: m.Sort uses 8.00 J (estimated) per round.", "psi(*)>0.9: m.Sort has psi 0.9846."},
		"red":                                      {"red: m.Sort is red: rank 1, psi 0.9846."},
	} {
		broken, remarks := checked(t, rules, nil, head)
		if diff := cmp.Diff(want, broken); diff != "" || len(remarks) > 0 {
			t.Errorf("%s: %s%q", rules, diff, remarks)
		}
	}
}

// What a test that failed used does not count, unless it was included.
func TestFailedTests(t *testing.T) {
	head := withTest(program(10, map[string]float64{"m.(*Park).Add": 0, "m.Sort": 8}), "m.TestFull", 1, 3)
	head.Tests[len(head.Tests)-1].Outcome = record.Fail
	ranking.Analyze(head, spell.Options{}, false)
	broken, remarks := checked(t, "energy>9J", nil, head)
	if want := []string{"energy>9J holds: 1 test that did not pass is not counted, and may cost more"}; len(broken) > 0 || !cmp.Equal(remarks, want) {
		t.Errorf("left out: %q, remarks %q, want %q", broken, remarks, want)
	}
	ranking.Analyze(head, spell.Options{}, true)
	if broken, _ := checked(t, "energy>9J", nil, head); len(broken) != 1 {
		t.Errorf("included: %q", broken)
	}
}

// A change breaks a rule only where it is significant; elsewhere a remark says why
// the rule holds.
func TestChanges(t *testing.T) {
	small, large := map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8}, map[string]float64{"m.(*Park).Add": 4, "m.Sort": 8}
	for _, tt := range []struct {
		why, rules      string
		rounds          int
		base, head      map[string]float64
		broken, remarks []string
	}{
		{"dearer", "energy>+5%, time>+5%, n>+5%", 10, small, large, []string{
			"energy>+5%: HEAD uses 20 % more energy (estimated) than BASE (p 0.002). Significantly: m.(*Park).Add uses 100 % more energy (estimated) than BASE.",
			"time>+5%: HEAD uses 20 % more running time than BASE (p 0.002). Significantly: m.(*Park).Add uses 100 % more running time than BASE.", "n>+5%: HEAD makes 12 executions, 20 % more than in BASE."}, nil},
		{"dearer, within the limit", "energy>+20%, time>+25%, n>+20%", 10, small, large, nil, nil},
		{"cheaper", "energy>+0%, time>+0%, n>+0%", 10, large, small, nil, nil},
		{"a function", "energy(Park.Add)>+5%, energy(Sort)>+5%", 10, small, large, []string{"energy(Park.Add)>+5%: m.(*Park).Add uses 100 % more energy (estimated) than BASE (p 0.0039)."}, nil},
		{"each function", "energy(*)>+5%, time(*)>+200%, n(*)>+5%, psi(*)>+5%", 10, small, large, []string{
			"energy(*)>+5%: m.(*Park).Add uses 100 % more energy (estimated) than BASE (p 0.0039).", "n(*)>+5%: m.(*Park).Add makes 4 executions, 100 % more than in BASE."}, []string{
			"psi(*)>+5% holds: 1 other component is beyond the limit, but with changes that are undecided or not significant"}},
		{"each function, of which one is decided", "energy(*)>+0.5%", 10, small, map[string]float64{"m.(*Park).Add": 4, "m.Sort": 8.1}, []string{"energy(*)>+0.5%: m.(*Park).Add uses 100 % more energy (estimated) than BASE (p 0.0039)."}, nil},
		{"each function, not decided", "energy(*)>+5%", 3, small, large, nil, []string{
			"energy(*)>+5% holds: 1 other component is beyond the limit, but with changes that are undecided or not significant"}},
		{"many times as dear", "energy>+5%", 10, small, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 358}, []string{"energy>+5%: HEAD uses 36.00 times as much energy (estimated) as BASE (p 0.002). Significantly: m.Sort uses 44.75 times as much energy (estimated) as BASE."}, nil},
		{"from nothing", "energy>+5%, n>+5%", 10, map[string]float64{"m.Sort": 0}, map[string]float64{"m.Sort": 8}, []string{
			"energy>+5%: HEAD uses some energy (estimated), where BASE uses none (p 0.002). Significantly: m.Sort uses some energy (estimated), where BASE uses none.", "n>+5%: HEAD makes 8 executions, where BASE has none."}, nil},
		{"too few rounds", "energy>+5%", 3, small, large, nil, []string{
			"energy>+5% holds: HEAD uses 20 % more energy (estimated) than BASE, but that is not decided: too few rounds: 3 pairs cannot give a p below 0.25, and a verdict needs 0.05: measure both with --rounds 6"}},
		{"not significant", "energy>+0.5%", 10, small, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8.1}, nil, []string{
			"energy>+0.5% holds: HEAD uses 1.0 % more energy (estimated) than BASE, but that is not significant (two runs of the same code may differ by as much)"}},
		{"psi without intervals", "psi(Park.Add)>+5%", 10, small, large, nil, []string{
			"psi(Park.Add)>+5% holds: the psi of m.(*Park).Add is 0.1111, 7.22 times as much as in BASE, but its intervals in the two runs overlap or are not known"}},
		{"a new function", "energy(New)>+5%", 10, small, map[string]float64{"m.New": 2, "m.Sort": 8}, nil, []string{"energy(New)>+5% holds: m.New is new in HEAD"}},
		{"a function that is gone", "energy(Park.Add)>+5%", 10, small, map[string]float64{"m.Sort": 8}, nil, []string{"energy(Park.Add)>+5% holds: m.(*Park).Add is not in HEAD any more"}},
	} {
		broken, remarks := checked(t, tt.rules, program(tt.rounds, tt.base), program(tt.rounds, tt.head))
		if len(remarks) == 0 {
			remarks = nil
		}
		if diff := cmp.Diff([][]string{tt.broken, tt.remarks}, [][]string{broken, remarks}); diff != "" {
			t.Errorf("%s: %s", tt.why, diff)
		}
	}
}

// A psi whose intervals are apart breaks its rule.
func TestPsiApart(t *testing.T) {
	base, head := program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8}), program(10, map[string]float64{"m.(*Park).Add": 6, "m.Sort": 8})
	for _, r := range []*record.Run{base, head} {
		for i := range r.Components {
			psi := r.Components[i].Psi
			r.Components[i].PsiCI = [2]float64{0.9 * psi, min(1, 1.1*psi)}
		}
	}
	if broken, _ := checked(t, "psi(Park.Add)>+5%", base, head); len(broken) != 1 || !strings.Contains(broken[0], "is 0.2967, 19.29 times as much as in BASE.") {
		t.Errorf("got %q", broken)
	}
}

// A function under its old name is the one that it became.
func TestRuleOfARenamedFunction(t *testing.T) {
	base, head := program(10, map[string]float64{"m.Old": 2, "m.Sort": 8}), program(10, map[string]float64{"m.New": 4, "m.Sort": 8})
	for _, r := range []*record.Run{base, head} {
		for i := range r.Components {
			if c := &r.Components[i]; c.ID != "m.Sort" {
				c.Hash = "abc"
			}
		}
	}
	for _, rule := range []string{"energy(Old)>+5%", "energy(New)>+5%"} {
		if broken, _ := checked(t, rule, base, head); len(broken) != 1 || !strings.Contains(broken[0], "m.New uses 100 % more") {
			t.Errorf("%s: %q", rule, broken)
		}
	}
}

// Newly red is what got worse, or is new; not what is red because others got cheaper.
func TestNewRed(t *testing.T) {
	for _, tt := range []struct {
		why        string
		base, head map[string]float64
		broken     string
		remark     string
	}{
		{"got worse", map[string]float64{"m.(*Park).Add": 0.2, "m.Sort": 8}, map[string]float64{"m.(*Park).Add": 20, "m.Sort": 8}, "m.(*Park).Add is red, and was green", ""},
		{"is new", map[string]float64{"m.Sort": 8}, map[string]float64{"m.New": 20, "m.Sort": 8}, "m.New is red, and not in BASE", ""},
		{"was red", map[string]float64{"m.Sort": 8}, map[string]float64{"m.Sort": 20}, "", ""},
		{"too few rounds", nil, nil, "", "m.(*Park).Add is red and was green; whether it got more expensive is not decided: too few rounds"},
		{"others got cheaper", map[string]float64{"m.(*Park).Add": 3, "m.Sort": 8}, map[string]float64{"m.(*Park).Add": 3, "m.Sort": 1}, "", "m.(*Park).Add is red and was yellow, but did not get more expensive"},
	} {
		rounds := 10
		if tt.base == nil { // as where it got worse
			rounds, tt.base, tt.head = 3, map[string]float64{"m.(*Park).Add": 0.2, "m.Sort": 8}, map[string]float64{"m.(*Park).Add": 20, "m.Sort": 8}
		}
		for _, order := range []spell.Order{spell.ByPsi, spell.ByEnergy} {
			base, head := program(rounds, tt.base), program(rounds, tt.head)
			ranking.Analyze(base, spell.Options{Order: order}, false)
			ranking.Analyze(head, spell.Options{Order: order}, false)
			broken, remarks := checked(t, "new-red", base, head)
			all := strings.Join(broken, "\n")
			if (tt.broken == "") != (all == "") || !strings.Contains(all, tt.broken) {
				t.Errorf("%s, by %s: broken %q, want %q", tt.why, order, all, tt.broken)
			}
			if told := strings.Join(remarks, "\n"); (tt.remark == "") != (told == "") || !strings.Contains(told, tt.remark) {
				t.Errorf("%s, by %s: remarks %q, want %q", tt.why, order, told, tt.remark)
			}
		}
	}
}

// A function that got a little dearer and is now called most is red by psi. By energy it is not:
// a repair of it saves little. BASE is ranked as HEAD is, whatever its record says.
func TestNewRedFollowsTheOrderOfHead(t *testing.T) {
	for order, want := range map[spell.Order]int{spell.ByPsi: 1, spell.ByEnergy: 0} {
		base := program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8})
		head := program(10, map[string]float64{"m.(*Park).Add": 2.5, "m.Sort": 8})
		for i := range head.Matrix.Cells {
			if c := &head.Matrix.Cells[i]; head.Components[c.Component].ID == "m.(*Park).Add" {
				c.N = 1000
			}
		}
		ranking.Analyze(head, spell.Options{Order: order}, false)
		for _, of := range []spell.Order{spell.ByPsi, spell.ByEnergy} {
			ranking.Analyze(base, spell.Options{Order: of}, false)
			if broken, _ := checked(t, "new-red", base, head); len(broken) != want {
				t.Errorf("HEAD by %s, BASE by %s: broken %q, want %d", order, of, broken, want)
			}
		}
	}
}

// withTest adds a test to a run, in which a component uses so many joules.
func withTest(r *record.Run, name string, component int, joules float64) *record.Run {
	r.Tests = append(r.Tests, record.Test{Name: name, Outcome: record.Pass, Rounds: r.Rounds})
	r.Matrix.Add(record.Cell{T: len(r.Tests) - 1, C: component, N: joules, TimeMS: 500 * joules, EnergyJ: record.Energy{spell.CPU: joules}})
	ranking.Analyze(r, spell.Options{}, false)
	for i := range r.Components {
		r.Components[i].PsiCI = [2]float64{r.Components[i].Psi, r.Components[i].Psi}
	}
	return r
}

// A new test is no leak of what it runs: that is as it was in the tests that both
// runs have. What is new in HEAD counts with its own tests.
func TestNewTestIsNoLeak(t *testing.T) {
	add, sort := 1, 0 // by rank
	base := func() *record.Run {
		return withTest(program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8}), "m.TestOld", sort, 1)
	}
	head := withTest(base(), "m.TestNew", add, 80)
	broken, remarks := checked(t, "psi(Park.Add)>+5%, new-red, n>+0%", base(), head)
	if want := []string{"new-red holds: m.(*Park).Add is red in HEAD, but not by the tests that count in both runs"}; len(broken) > 0 || !cmp.Equal(want, remarks) {
		t.Errorf("broken %q, remarks %q, want %q", broken, remarks, want)
	}
	fresh := program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8, "m.New": 0})
	broken, _ = checked(t, "new-red", base(), withTest(fresh, "m.TestNew", 2, 80))
	if len(broken) != 1 || !strings.Contains(broken[0], "m.New is red, and not in BASE") {
		t.Errorf("what is new: %q", broken)
	}
}

// An energy that only one run has could have grown: the rule holds without it.
func TestEnergyOfOneRun(t *testing.T) {
	head := program(10, map[string]float64{"m.Sort": 8})
	head.Meter.Domains = append(head.Meter.Domains, spell.Disk)
	head.Matrix = record.MatrixOf(head.Meter.Domains, record.Cell{N: 8, TimeMS: 4000, EnergyJ: record.Energy{spell.CPU: 8, spell.Disk: 100}})
	broken, remarks := checked(t, "energy>+5%, time>+5%", program(10, map[string]float64{"m.Sort": 8}), head)
	if want := []string{"energy>+5% holds: only HEAD has energy of disk, which is not compared"}; len(broken) > 0 || !cmp.Equal(want, remarks) {
		t.Errorf("broken %q, remarks %q, want %q", broken, remarks, want)
	}
	// Not one for each function, and none is beyond the limit for it.
	broken, remarks = checked(t, "energy(*)>+5%", program(10, map[string]float64{"m.Sort": 8}), head)
	if want := []string{"energy(*)>+5% holds: only HEAD has energy of disk, which is not compared"}; len(broken) > 0 || !cmp.Equal(want, remarks) {
		t.Errorf("broken %q, remarks %q, want %q", broken, remarks, want)
	}
}

// Energy that is known by test only enters no rule about functions, and each such rule
// says so; the rule about the whole program includes it.
func TestEnergyOfTestsOnly(t *testing.T) {
	withDisk := func(joules float64) *record.Run {
		r := program(10, map[string]float64{"m.Sort": 8})
		r.Meter.Domains = append(r.Meter.Domains, spell.Disk)
		for i := range r.Tests {
			t := &r.Tests[i]
			t.EnergyJ = record.Energy{spell.CPU: 8, spell.Disk: joules}
			t.RoundTimeMS = slices.Repeat([]float64{4000}, 10)
			t.RoundEnergyJ = map[spell.Domain][]float64{spell.CPU: slices.Repeat([]float64{8}, 10), spell.Disk: slices.Repeat([]float64{joules}, 10)}
		}
		return r
	}
	base, head := withDisk(1), withDisk(100)
	broken, remarks := checked(t, "energy>9J, energy(Sort)>9J", nil, head)
	want := []string{
		"energy>9J holds: the energy of disk is known by test only and is not counted",
		"energy(Sort)>9J holds: the energy of disk is known by test only and is not counted",
	}
	if len(broken) > 0 || !cmp.Equal(want, remarks) {
		t.Errorf("broken %q, remarks %q, want %q", broken, remarks, want)
	}
	broken, remarks = checked(t, "energy(Sort)>+5%", base, head)
	if want := []string{"energy(Sort)>+5% holds: the energy of disk is compared by test and in total only"}; len(broken) > 0 || !cmp.Equal(want, remarks) {
		t.Errorf("broken %q, remarks %q, want %q", broken, remarks, want)
	}
	if broken, _ = checked(t, "energy>+5%", base, head); len(broken) != 1 {
		t.Errorf("the disk uses 100 times as much: broken %q", broken)
	}
	head.Meter.Domains, head.Matrix.Domains, head.Matrix.EnergyJ = []spell.Domain{spell.Disk}, []spell.Domain{}, nil
	rules, err := gate.ParseAll("energy>9J")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Check(rules, nil, head, nil); err == nil || !strings.Contains(err.Error(), "known by test only") {
		t.Errorf("a rule that nothing is known of: error %v", err)
	}
}

// On another machine a leak may look like no change: the rule holds, but says so.
func TestMachineThatMayHideALeak(t *testing.T) {
	base, head := program(10, map[string]float64{"m.Sort": 8}), program(10, map[string]float64{"m.Sort": 8})
	base.ReferenceMS, head.ReferenceMS = slices.Repeat([]float64{0.6}, 10), slices.Repeat([]float64{0.48}, 10)
	broken, remarks := checked(t, "energy>+5%", base, head)
	if len(broken) > 0 || len(remarks) != 1 || !strings.Contains(remarks[0], "it is undecided whether it really changed: the machine may hide a change: the reference workload took 20 % less time in HEAD") {
		t.Errorf("broken %q, remarks %q", broken, remarks)
	}
}

// Where nothing was compared, no rule about a change holds.
func TestNothingToCompare(t *testing.T) {
	failed := func(joules float64) *record.Run {
		r := program(10, map[string]float64{"m.Sort": joules})
		r.Tests[0].Outcome = record.Fail
		ranking.Analyze(r, spell.Options{}, false)
		return r
	}
	usual := program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8})
	add := 1
	elsewhere := func(test string) *record.Run {
		r := withTest(program(10, map[string]float64{"m.(*Park).Add": 0, "m.Sort": 8}), test, add, 3)
		r.Components[add].N = 3
		return r
	}
	failing := func(r *record.Run) *record.Run {
		r.Tests[len(r.Tests)-1].Outcome = record.Fail
		ranking.Analyze(r, spell.Options{}, false)
		return r
	}
	nothing := func() *record.Run { return program(3, map[string]float64{"m.Sort": 0}) }
	for _, tt := range []struct {
		why, rules string
		base, head *record.Run
		want       string // "" = checked
	}{
		{"failed in both", "energy>+5%", failed(8), failed(9.6), "the rule energy>+5%: nothing was compared, as no test counts in both BASE and HEAD"},
		{"failed in both", "time>+5%", failed(8), failed(9.6), "nothing was compared"},
		{"failed in both", "n>+5%", failed(8), failed(9.6), "nothing was compared"},
		{"failed in both", "psi(Sort)>+5%", failed(8), failed(9.6), "nothing was compared"},
		{"failed in both", "new-red", failed(8), failed(9.6), "nothing was compared"},
		{"fails now", "new-red", usual, failed(9.6), "nothing was compared"},
		{"a value of HEAD", "energy>5J", failed(8), failed(9.6), "the rule energy>5J: no test of HEAD counts, as none passed"},
		{"red in HEAD", "red", failed(8), failed(9.6), "no test of HEAD counts"},
		{"a value of HEAD that passed", "energy>50J, red", failed(8), usual, ""},
		{"a component of a failed test", "energy(Park.Add)>5J", usual, failing(elsewhere("m.TestA")), "m.(*Park).Add ran in no test that counts"},
		{"a component whose tests have other names", "energy(Park.Add)>+5%", elsewhere("m.TestA"), elsewhere("m.TestB"), "m.(*Park).Add ran in no test that counts in both runs"},
		{"the others", "energy(Sort)>+5%", elsewhere("m.TestA"), elsewhere("m.TestB"), ""},
		{"nothing, and too few rounds", "energy>+5%", nothing(), nothing(), "neither run uses any energy (estimated) that was compared: too few rounds"},
	} {
		rules, err := gate.ParseAll(tt.rules)
		if err != nil {
			t.Fatal(err)
		}
		c, err := comparison.Compare(tt.base, tt.head, comparison.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gate.Check(rules, tt.base, tt.head, c); (tt.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %s: %v, want %q", tt.why, tt.rules, err, tt.want)
		}
	}
}

// What cannot be checked is an error, not a rule that holds.
func TestCheckErrors(t *testing.T) {
	run := program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8})
	compared, err := comparison.Compare(run, program(10, map[string]float64{"m.(*Park).Add": 2, "m.Sort": 8}), comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	timed := program(10, map[string]float64{"m.Sort": 8})
	timed.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
	timed.Matrix.Domains, timed.Matrix.EnergyJ = nil, nil
	for _, tt := range []struct {
		why, rule string
		head      *record.Run
		c         *comparison.Comparison
		want      string
	}{
		{"no base", "energy>+5%", run, nil, "the rule energy>+5% is about a change: give a run to compare with"},
		{"no base", "new-red", run, nil, "the rule new-red is about a change"},
		{"a name that nothing has", "energy(Park.Ad)>2J", run, nil, "did you mean m.(*Park).Add?"},
		{"nor in either run", "energy(Park.Ad)>+2%", run, compared, "did you mean m.(*Park).Add?"},
		{"no energy", "energy>2J", timed, nil, "no energy is known of HEAD"},
	} {
		rules, err := gate.ParseAll(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gate.Check(rules, nil, tt.head, tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.why, err, tt.want)
		}
	}
}

func TestFailure(t *testing.T) {
	if err := (&gate.Report{}).Err(); err != nil {
		t.Errorf("nothing is broken: %v", err)
	}
	one, two := gate.Violation{Rule: "red", Note: note.Text("F is red.")}, gate.Violation{Rule: "n>5", Note: note.Text("HEAD makes 6.")}
	var failure *gate.Failure
	if err := (&gate.Report{Violations: []gate.Violation{one}}).Err(); !errors.As(err, &failure) || err.Error() != "a rule is broken: red: F is red." {
		t.Errorf("one: %v", err)
	}
	if err := (&gate.Report{Violations: []gate.Violation{one, two}}).Err(); err.Error() != "2 rules are broken:\n  red: F is red.\n  n>5: HEAD makes 6." {
		t.Errorf("two: %v", err)
	}
}
