package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A row is the result of a workload. Joules are of the package zone, in one run of
// the test.
type row struct {
	Name      string               `json:"name"`
	About     string               `json:"about"`
	Functions []*compared          `json:"functions"`
	Methods   []method             `json:"methods"` // in the order of methodNames
	TruthJ    float64              `json:"truth_j"` // of the test, idle machine included
	CounterJ  float64              `json:"counter_j"`
	Imbalance float64              `json:"imbalance"`
	Waiting   float64              `json:"waiting"` // measured share of the energy of functions that hardly run
	Runs      int                  `json:"runs"`    // of the test
	Seconds   float64              `json:"seconds"` // duration of one run
	Late      powercapsim.Lateness `json:"late"`
	IdleW     float64              `json:"idle_w"`            // measured idle power, memory included
	Quality   string               `json:"quality,omitempty"` // quality figures of the run record
	Fault     string               `json:"fault,omitempty"`   // why there are no values
	Checks    []check              `json:"checks"`

	sampledCounter   float64 // relative error of the test's energy without probes
	sampledImbalance float64
	sampledRun       string // in words

	punctuality string
	bars        bars
	excuse      string
}

// The methods that are compared.
const (
	spellLSP = iota
	sampling // spell-lsp without probes
	simpler  // spell-lsp with a linear model and without counters of cores, where the machine is not linear or has them
	bracketing
	equalSplit
	cpuProfile
	methods
)

var methodNames = [methods]string{"spell-lsp", "without probes", "simpler model", "bracketing", "equal split", "CPU profile"}

// A compared function has, for each method, the truth in the run that the method
// saw, and the method's result.
type compared struct {
	Name   string           `json:"name"`
	Truth  [methods]float64 `json:"truth_j"`
	Got    [methods]float64 `json:"got_j"`
	Counts bool             `json:"counts"` // its share of the energy is large enough for its error to count
	// Interval is the interval of spell-lsp; nil if there is none.
	Interval        *[2]float64 `json:"interval_j"`
	BelowResolution bool        `json:"below_resolution"`
	// Sampled is the interval without probes; nil if there is none.
	Sampled                *[2]float64 `json:"sampled_interval_j"`
	SampledBelowResolution bool        `json:"sampled_below_resolution"`
	waiting                bool
}

// covered reports whether the truth is in the interval, or the function is marked as
// below resolution; with probes, or without.
func (c *compared) covered(method int) bool {
	ci, below := c.Interval, c.BelowResolution
	if method == sampling {
		ci, below = c.Sampled, c.SampledBelowResolution
	}
	return below || ci != nil && ci[0] <= c.Truth[method] && c.Truth[method] <= ci[1]
}

// off is the signed relative error of a method.
func (c *compared) off(method int) float64 { return c.Got[method]/c.Truth[method] - 1 }

// A method has absolute values of relative errors, over the functions that count.
type method struct {
	Name   string  `json:"name"`
	Median float64 `json:"median"`
	Worst  float64 `json:"worst"`
}

// A check compares a value with its bar.
type check struct {
	What  string `json:"what"`
	Value string `json:"value"`
	Bar   string `json:"bar"`
	OK    bool   `json:"ok"`
}

// take adds the measurement of spell-lsp and its truth to the row.
func (r *row) take(w *workload, run *record.Run, t *truth) error {
	if len(run.Tests) != 1 || t.Test.Runs == 0 {
		return fmt.Errorf("%d tests were measured, which ran %d times: want one that ran", len(run.Tests), t.Test.Runs)
	}
	runs := float64(t.Test.Runs)
	r.Runs, r.Seconds, r.Late, r.punctuality = t.Test.Runs, t.Test.Seconds/runs, t.Late, t.punctuality()
	r.TruthJ = testJoules(w, run, t)
	r.CounterJ, r.Imbalance = run.Tests[0].EnergyJ[spell.CPU], run.Imbalance()
	r.Quality, r.IdleW = quality(run), run.Meter.IdleW
	var all float64
	for i, f := range w.functions {
		c := &compared{Name: f.name, waiting: f.kind == sleeps || f.kind == waitsAlways}
		c.Truth[spellLSP] = t.Functions[i].Joules / runs
		all += c.Truth[spellLSP]
		r.Functions = append(r.Functions, c)
		got, ok := component(run, f.name)
		if !ok {
			return fmt.Errorf("%s was not measured", f.name)
		}
		c.Got[spellLSP], c.BelowResolution = got.EnergyJ[spell.CPU], got.BelowResolution
		if ci, ok := got.EnergyCI[spell.CPU]; ok {
			c.Interval = &ci
		}
		if c.waiting {
			r.Waiting += c.Got[spellLSP] / r.CounterJ
		}
	}
	for _, c := range r.Functions {
		c.Counts = c.Truth[spellLSP] > 0 && c.Truth[spellLSP] >= share*all
	}
	return nil
}

// takeSampled adds the measurement without probes and its truth to the row. A function in which no
// sample fell used nothing by it, below resolution.
func (r *row) takeSampled(w *workload, run *record.Run, t *truth) error {
	if len(run.Tests) != 1 || t.Test.Runs == 0 {
		return fmt.Errorf("without probes, %d tests were measured, which ran %d times: want one that ran", len(run.Tests), t.Test.Runs)
	}
	for i, f := range w.functions {
		c := r.Functions[i]
		c.Truth[sampling] = t.Functions[i].Joules / float64(t.Test.Runs)
		got, seen := component(run, f.name)
		c.Got[sampling], c.SampledBelowResolution = got.EnergyJ[spell.CPU], got.BelowResolution || !seen
		if ci, ok := got.EnergyCI[spell.CPU]; ok {
			c.Sampled = &ci
		}
	}
	r.sampledRun = fmt.Sprintf("the test ran %d times, %d rounds of %g are in the run, of %.1f ms each; counter %+.2f %%", t.Test.Runs, run.Tests[0].Rounds, max(1, run.Tests[0].Repeats),
		run.Tests[0].TimeMS, 100*(run.Tests[0].EnergyJ[spell.CPU]/testJoules(w, run, t)-1))
	r.sampledCounter, r.sampledImbalance = run.Tests[0].EnergyJ[spell.CPU]/testJoules(w, run, t)-1, run.Imbalance()
	return nil
}

// takeSimpler adds the measurement with the simpler model and its truth to the row.
func (r *row) takeSimpler(w *workload, run *record.Run, t *truth) error {
	if len(run.Tests) != 1 || t.Test.Runs == 0 {
		return fmt.Errorf("with the simpler model, %d tests were measured, which ran %d times: want one that ran", len(run.Tests), t.Test.Runs)
	}
	for i, f := range w.functions {
		got, _ := component(run, f.name)
		r.Functions[i].Truth[simpler], r.Functions[i].Got[simpler] = t.Functions[i].Joules/float64(t.Test.Runs), got.EnergyJ[spell.CPU]
	}
	return nil
}

// testJoules is the true energy of one run of the test, idle machine included. If
// some executed runs were dropped, the functions' energy is the mean over all runs,
// and the rest is the mean power over all runs times the duration of the kept ones.
func testJoules(w *workload, run *record.Run, t *truth) float64 {
	runs, test := float64(t.Test.Runs), run.Tests[0]
	if runs == float64(test.Rounds)*max(1, test.Repeats) {
		return (t.Test.Joules + idleCPUW*t.Test.Seconds) / runs
	}
	var functions float64
	for i := range w.functions {
		functions += t.Functions[i].Joules
	}
	return functions/runs + ((t.Test.Joules-functions)/t.Test.Seconds+idleCPUW)*test.TimeMS/1e3
}

// quality describes the quality figures of the run record.
func quality(run *record.Run) string {
	all := wording.Texts(run.AllNotes())
	for i := range run.Dropped {
		all = append(all, fmt.Sprintf("round %d was dropped: %s", run.Dropped[i].Round, wording.Text(run.Dropped[i].Why())))
	}
	if run.Meter.Quality != "" {
		all = append(all, "the meter's readings are "+run.Meter.Quality)
	}
	return strings.Join(all, "; ")
}

// component finds a function of the workload.
func component(run *record.Run, name string) (record.Component, bool) {
	i := slices.IndexFunc(run.Components, func(c record.Component) bool { return c.ID == workModule+"."+name })
	if i < 0 {
		return record.Component{}, false
	}
	return run.Components[i], true
}

// takeOthers adds the results of the other methods and their truth. Each method is
// told the idle power, and its result excludes it.
func (r *row) takeOthers(w *workload, t *truth, profile map[string]float64) error {
	if t.Test.Runs == 0 {
		return errors.New("without probes, the test did not run")
	}
	runs := float64(t.Test.Runs)
	for i, f := range w.functions {
		used, c := t.Functions[i], r.Functions[i]
		for m := bracketing; m < methods; m++ {
			c.Truth[m] = used.Joules / runs
		}
		c.Got[bracketing] = max(0, used.BracketJ-idleCPUW*used.BracketSeconds) / runs
		c.Got[equalSplit] = used.SplitJ / runs
		c.Got[cpuProfile] = profile[f.name] * t.Test.Joules / runs
	}
	return nil
}

// score computes the errors and compares them with the bars.
func (r *row) score() {
	for m := range methods {
		errs := r.errors(m)
		r.Methods = append(r.Methods, method{methodNames[m], harness.Median(errs), worst(errs)})
	}
	if b := r.bars; b.median > 0 {
		r.atMost("median error", r.Methods[spellLSP].Median, b.median)
	}
	if b := r.bars; b.worst > 0 {
		r.atMost("worst error", r.Methods[spellLSP].Worst, b.worst)
	}
	if b := r.bars; b.ofSimpler > 0 {
		r.atMost("median error, of the simpler model's", r.Methods[spellLSP].Median/r.Methods[simpler].Median, b.ofSimpler)
	}
	if r.bars.waiting > 0 {
		r.atMost("energy of what waits", r.Waiting, r.bars.waiting)
	}
	r.atMost("counter", math.Abs(r.CounterJ/r.TruthJ-1), counterBar)
	r.atMost("parts", r.Imbalance, imbalanceBar)
	r.atMost("counter without probes", math.Abs(r.sampledCounter), counterBar)
	r.atMost("parts without probes", r.sampledImbalance, imbalanceBar)
	r.nearest()
}

// atMost checks a value against a bar in per cent.
func (r *row) atMost(what string, value, bar float64) {
	r.Checks = append(r.Checks, check{what, fmt.Sprintf("%.2f %%", 100*value), fmt.Sprintf("at most %g %%", bar), 100*value <= bar})
}

// asNear is the largest difference of two methods' errors that counts as a tie.
const asNear = 0.01

// nearest checks that no other method is nearer to the truth, except where the
// workload has an excuse.
func (r *row) nearest() {
	best := bracketing
	for m := range r.Methods {
		if m > simpler && r.Methods[m].Median < r.Methods[best].Median {
			best = m
		}
	}
	ours, others := r.Methods[spellLSP].Median, r.Methods[best].Median
	if len(r.errors(spellLSP)) > 0 && r.excuse == "" {
		r.Checks = append(r.Checks, check{"nearest to the truth", fmt.Sprintf("%.2f %%", 100*ours), fmt.Sprintf("%s has %.2f %%", methodNames[best], 100*others), ours <= others+asNear})
	}
}

// errors are the absolute relative errors of the functions that count.
func (r *row) errors(method int) []float64 {
	var errs []float64
	for _, c := range r.Functions {
		if c.Counts && c.Truth[method] > 0 {
			errs = append(errs, math.Abs(c.off(method)))
		}
	}
	return errs
}

// intervals counts the functions that used energy, those among them that have an
// interval or are marked as below resolution, and those that are covered.
func (r *row) intervals(method int) (functions, known, covered int) {
	for _, c := range r.Functions {
		if c.Truth[method] == 0 {
			continue
		}
		functions++
		if method == spellLSP && (c.Interval != nil || c.BelowResolution) || method == sampling && (c.Sampled != nil || c.SampledBelowResolution) {
			known++
		}
		if c.covered(method) {
			covered++
		}
	}
	return functions, known, covered
}

func worst(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values)
}

// simplerMeasured says whether the simpler model was measured, too.
func (r *row) simplerMeasured() bool {
	for _, c := range r.Functions {
		if c.Truth[simpler] > 0 {
			return true
		}
	}
	return false
}
