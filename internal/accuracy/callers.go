package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// calleeName is the function that all functions of a workload call, if they call any.
const calleeName = "Callee"

// A callerWorkload is a program in which one function draws more or less under its callers.
type callerWorkload struct {
	workload
	fitted bool    // the power under each caller is to be found; else the energy is to be shared by time
	bar    float64 // of the error of each caller's share of the callee's energy, in per cent; 0 for none
}

// callerWorkloads are programs whose power depends on the caller, does not, or cannot be told.
func callerWorkloads() []callerWorkload {
	callers := []function{{"Calm", 12, computes}, {"Eager", 9, computes}}
	program := workload{functions: callers, goroutines: 1, shortest: 40 * ms, longest: 120 * ms, each: 2 * second, rounds: 5}
	dear, alike, mixed := program, program, program
	dear.name, dear.about, dear.calleeW = "caller-dependent function", "a function that draws 5 W under one caller and 15 W under another, which stay for 40 to 120 ms", []float64{5, 15}
	alike.name, alike.about, alike.calleeW = "caller-independent function", "the same with 10 W under both", []float64{10, 10}
	mixed.name, mixed.about, mixed.calleeW = "callers in turns", "5 and 15 W, but callers change after 0.2 to 1 ms, faster than samples follow", []float64{5, 15}
	mixed.shortest, mixed.longest = ms/5, ms
	return []callerWorkload{{dear, true, 10}, {alike, false, 10}, {mixed, false, 0}}
}

// underCaller is the energy of the callee under one caller, in one run of the test, in one mode:
// that of the package zone.
type underCaller struct {
	Mode     string     `json:"mode"`
	Caller   string     `json:"caller"`
	TruthJ   float64    `json:"truth_j"`
	GotJ     float64    `json:"got_j"`
	Interval [2]float64 `json:"interval_j"` // 0 to 0 if there is none
	Fitted   bool       `json:"fitted"`
	ByTime   string     `json:"by_time,omitempty"`
	// ShareOff is the relative error of the caller's share of the callee's energy: how much energy
	// the callee has in all is what the rows of functions are about.
	ShareOff float64 `json:"share_off"`
}

func (u *underCaller) off() float64 { return u.GotJ/u.TruthJ - 1 }

// A callerRow is the result of a callerWorkload.
type callerRow struct {
	Name   string        `json:"name"`
	About  string        `json:"about"`
	Under  []underCaller `json:"under"`
	Fault  string        `json:"fault,omitempty"`
	Checks []check       `json:"checks"`
	w      callerWorkload
}

// callers makes a callerRow, with probes and without.
func (p *prover) callers(ctx context.Context, w callerWorkload) *callerRow {
	r := &callerRow{Name: w.name, About: w.about, w: w}
	dir, err := harness.Folder(p.scratch)
	if err == nil {
		err = w.write(dir)
	}
	for _, mode := range []string{"instrument", "sample"} {
		if err != nil {
			break
		}
		harness.Progress("%s: measuring, %s", w.name, mode)
		var run *record.Run
		var t *truth
		if run, t, err = p.onMachine(ctx, filepath.Join(dir, "work"), &w.workload, mode); err == nil {
			err = r.take(mode, run, t)
		}
	}
	if err != nil {
		r.Fault = err.Error()
		r.Checks = []check{{What: w.name, Value: "a fault", Bar: "measured"}}
		return r
	}
	r.score()
	return r
}

// take adds what a measurement says of the callee, and the truth.
func (r *callerRow) take(mode string, run *record.Run, t *truth) error {
	at := slices.IndexFunc(run.Components, func(c record.Component) bool { return c.ID == workModule+"."+calleeName })
	if at < 0 || t.Test.Runs == 0 {
		return fmt.Errorf("%s.%s was not measured, or the test did not run", workModule, calleeName)
	}
	under, callee := calltree.Of(run).Under(at), run.Components[at]
	zone := callee.EnergyJ[spell.CPU] / callee.EnergyJ.Total()
	var all, truth float64
	for i, f := range r.w.functions {
		u := underCaller{Mode: mode, Caller: f.name, TruthJ: t.Functions[len(r.w.functions)+i].Joules / float64(t.Test.Runs)}
		for _, one := range under {
			if one.Component >= 0 && run.Components[one.Component].ID == workModule+"."+f.name {
				u.GotJ, u.Interval = zone*one.EnergyJ, [2]float64{zone * one.CI[0], zone * one.CI[1]}
				u.Fitted, u.ByTime = one.Fitted, string(one.ByTime)
			}
		}
		all, truth = all+u.GotJ, truth+u.TruthJ
		r.Under = append(r.Under, u)
	}
	for i := len(r.Under) - len(r.w.functions); i < len(r.Under); i++ {
		u := &r.Under[i]
		u.ShareOff = u.GotJ/all/(u.TruthJ/truth) - 1
	}
	return nil
}

// score compares the results with the bars.
func (r *callerRow) score() {
	for i := range r.Under {
		u := &r.Under[i]
		what := fmt.Sprintf("%s under %s, %s", r.Name, u.Caller, u.Mode)
		r.Checks = append(r.Checks, check{what + ": how", basis(u), map[bool]string{true: "fitted", false: "by time"}[r.w.fitted], u.Fitted == r.w.fitted})
		if r.w.bar > 0 {
			off := 100 * math.Abs(u.ShareOff)
			r.Checks = append(r.Checks, check{what + ": share", fmt.Sprintf("%.2f %%", off), fmt.Sprintf("at most %g %%", r.w.bar), off <= r.w.bar})
		}
	}
}

func basis(u *underCaller) string {
	if u.Fitted {
		return "fitted"
	}
	return strings.TrimSuffix("by time: "+u.ByTime, ": ")
}

// writeCallers writes a table of all rows.
func writeCallers(b *strings.Builder, rows []*callerRow) {
	if len(rows) == 0 {
		return
	}
	b.WriteString("\nEnergy of a function under its callers, in one run of the test:\n")
	cells := [][]string{{"workload", "mode", "under", "truth J", "J", "error", "interval", "error of the share", "how"}}
	for _, r := range rows {
		if r.Fault != "" {
			cells = append(cells, []string{r.Name, "", "", "", "", "", "", "", "FAIL: " + r.Fault})
		}
		for i := range r.Under {
			u := &r.Under[i]
			interval := "-"
			if u.Interval[1] > 0 {
				interval = fmt.Sprintf("%.3f to %.3f", u.Interval[0], u.Interval[1])
			}
			cells = append(cells, []string{r.Name, u.Mode, u.Caller, fmt.Sprintf("%.3f", u.TruthJ), fmt.Sprintf("%.3f", u.GotJ), fmt.Sprintf("%+.1f %%", 100*u.off()), interval, fmt.Sprintf("%+.1f %%", 100*u.ShareOff), basis(u)})
		}
	}
	grid(b, cells)
}
