package main

import (
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Why: the rows of callers rest on a few divisions. Under Eager the callee used 15 J a run, of which
// 12 J were found; shares are judged apart from how much energy was found in all.
func TestRowOfCallers(t *testing.T) {
	r := &callerRow{Name: "dear", w: callerWorkload{workload: workload{functions: []function{{"Calm", 1, computes}, {"Eager", 1, computes}}}, fitted: true, bar: 10}}
	component := func(name string, joules float64) record.Component {
		return record.Component{ID: workModule + "." + name, TimeMS: 2000, EnergyJ: record.Energy{spell.CPU: joules, spell.DRAM: joules}}
	}
	run := &record.Run{
		Components: []record.Component{component("Callee", 16), component("Calm", 1), component("Eager", 1)},
		CallTree: []record.CallNode{
			{Parent: -1, Component: 1}, {Parent: 0, Component: 0, TimeMS: 1000, Power: 0.5},
			{Parent: -1, Component: 2}, {Parent: 2, Component: 0, TimeMS: 1000, Power: 1.5},
		},
	}
	machine := &truth{Functions: map[int]functionUsed{2: {Joules: 10}, 3: {Joules: 30}}, Test: testUsed{Runs: 2}}
	if err := r.take("instrument", run, machine); err != nil {
		t.Fatal(err)
	}
	r.score()
	for i, want := range []underCaller{{TruthJ: 5, GotJ: 4}, {TruthJ: 15, GotJ: 12}} {
		if u := r.Under[i]; u.TruthJ != want.TruthJ || u.GotJ != want.GotJ || u.ShareOff > 1e-9 || u.ShareOff < -1e-9 || !u.Fitted {
			t.Errorf("%+v, want %g J of %g J, fitted, and the right share", u, want.GotJ, want.TruthJ)
		}
	}
	for _, c := range r.Checks {
		if !c.OK {
			t.Errorf("%+v", c)
		}
	}
	var b strings.Builder
	writeCallers(&b, []*callerRow{r, {Name: "broken", Fault: "no meter"}})
	for _, want := range []string{"-20.0 %", "FAIL: no meter"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, b.String())
		}
	}
	run.CallTree[1].Power, run.CallTree[3].Power = 0, 0
	other := &callerRow{Name: "dear", w: r.w}
	if err := other.take("sample", run, machine); err != nil {
		t.Fatal(err)
	}
	other.score()
	for _, c := range other.Checks {
		if c.OK {
			t.Errorf("shared by time, %+v passes", c)
		}
	}
	if err := other.take("sample", &record.Run{}, machine); err == nil || !strings.Contains(err.Error(), "Callee was not measured") {
		t.Errorf("without the callee, the error is %v", err)
	}
}
