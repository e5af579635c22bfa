package benchfmt

import (
	"math"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A result is a benchmark, a test or a component.
type result struct {
	pkg, kind  string
	id         string  // what the run calls it
	name       string  // in the benchmark format, see name
	operations float64 // in a round: a whole number from 1 to maxOperations
	values     []value
}

// A value is what one operation used, in a unit. Less is better.
type value struct {
	unit    string
	mean    float64
	byRound []float64 // in the order of the rounds; empty where it is not known
	half    float64   // of the 95 % interval of the mean; 0 where it is not known
	part    bool      // of another value: a domain of the energy
}

// The kinds of results that are no components of another kind than function.
const (
	benchmarkKind = "benchmark"
	testKind      = "test"
	scenarioKind  = "scenario"
	functionKind  = "func"
)

const callsUnit = "calls/round"

// A reading makes results of a run.
type reading struct {
	r          *record.Run
	joules     string         // the unit, J or est-J
	domains    []spell.Domain // whose energy is known, of tests
	attributed []spell.Domain // and of components
}

// resultsOf are the benchmarks that count in the analysis, the tests, and the first components by
// rank, which have the values of all tests that ran them.
func resultsOf(r *record.Run, top int) []result {
	of := reading{r: r, joules: "est-J"}
	if origin(r) == string(record.Measured) {
		of.joules = "J"
	}
	if r.Meter.KnowsEnergy() {
		of.domains = r.Meter.Domains
	}
	for _, d := range of.domains {
		if slices.Contains(r.Matrix.Domains, d) {
			of.attributed = append(of.attributed, d)
		}
	}
	includeFailed := r.Analysis != nil && r.Analysis.IncludeFailed
	var benchmarks, others []result
	for i := range r.Tests {
		switch t := &r.Tests[i]; {
		case !t.InAnalysis(includeFailed):
		case t.PerOperation:
			benchmarks = append(benchmarks, of.test(t, benchmarkKind))
		default:
			others = append(others, of.test(t, of.rowKind()))
		}
	}
	list := slices.Concat(benchmarks, others)
	components := r.Components
	if top > 0 {
		components = components[:min(top, len(components))]
	}
	short := r.TooShort()
	for i := range components {
		list = append(list, of.component(&components[i], short[i]))
	}
	return slices.DeleteFunc(list, func(x result) bool { return len(x.values) == 0 })
}

// rowKind is the kind of rows that are no benchmarks. One program becomes one of several scenarios
// when another is added, and keeps its name.
func (of *reading) rowKind() string {
	if of.r.RowWord() == record.TestRow {
		return testKind
	}
	return scenarioKind
}

// test is what one execution of a test used, or one operation of a benchmark.
func (of *reading) test(t *record.Test, kind string) result {
	x := result{pkg: t.Package, kind: kind, id: t.Name, operations: whole(t.Repeats)}
	if !t.BelowResolution {
		x.add(of.energy(of.domains, t.EnergyJ, t.RoundEnergyJ, 1, "/op")...)
	}
	x.add(of.value("sec/op", t.TimeMS, t.RoundTimeMS, 1000))
	return x
}

// component is what one call of a component used itself, or one round where calls are not counted.
// What did not run has no values. One that ran too short has its calls alone, and one below
// resolution too: what is known of their time and energy would differ between runs of the same code.
func (of *reading) component(c *record.Component, short bool) result {
	x := result{pkg: c.Package, kind: string(c.Kind), id: c.ID, operations: whole(c.N)}
	if c.Kind == spell.KindFunction || c.Kind == "" {
		x.kind = functionKind
	}
	calls, per := c.N, "/op"
	if c.N == 0 {
		calls, per = 1, "/round"
	}
	if ran := c.TimeMS > 0 || c.EnergyJ.Total() > 0; ran && !short && !c.BelowResolution {
		energy := of.energy(of.attributed, c.EnergyJ, c.RoundEnergyJ, calls, per)
		if _, high, ok := c.EnergyInterval(); ok && len(energy) > 0 {
			energy[0].half = high/calls - energy[0].mean
		}
		x.add(energy...)
		x.add(of.value("cpu-sec"+per, c.TimeMS, c.RoundTimeMS, 1000*calls))
	}
	if c.N > 0 {
		counted := of.value(callsUnit, c.N, slices.Repeat([]float64{c.N}, len(c.RoundTimeMS)), 1)
		counted.half = 0 // by rounding
		x.add(counted)
	}
	return x
}

// energy is the energy of all domains together, and of each if there are several.
func (of *reading) energy(
	domains []spell.Domain, mean record.Energy, byRound map[spell.Domain][]float64, operations float64, per string,
) []value {
	if len(domains) == 0 {
		return nil
	}
	sum, series, parts := 0.0, make([][]float64, len(domains)), make([]value, len(domains))
	for i, d := range domains {
		sum += mean[d]
		series[i] = byRound[d]
		parts[i] = of.value(of.joulesOf(d)+per, mean[d], byRound[d], operations)
		parts[i].part = true
	}
	all := of.value(of.joules+per, sum, record.AddSeries(series), operations)
	if len(domains) == 1 {
		return []value{all}
	}
	return append([]value{all}, parts...)
}

// joulesOf is the unit of one domain: cpu-J or est-cpu-J.
func (of *reading) joulesOf(d spell.Domain) string {
	return strings.TrimSuffix(of.joules, "J") + string(d) + "-J"
}

// value divides a mean and its rounds. In a run of one round the mean is that of the round.
func (of *reading) value(unit string, mean float64, byRound []float64, divisor float64) value {
	v := value{unit: unit, mean: mean / divisor}
	if of.r.Rounds <= 1 && len(byRound) == 0 {
		byRound = []float64{mean}
	}
	if len(byRound) == max(1, of.r.Rounds) {
		for _, x := range byRound {
			v.byRound = append(v.byRound, x/divisor)
		}
	}
	v.half = record.Normal95 * record.MeanError(v.byRound, of.r.Nodes)
	return v
}

// add adds the values that are numbers: a component with almost no calls may have cost too much for
// each of them to be one.
func (x *result) add(values ...value) {
	for _, v := range values {
		if infinite(v.mean) || slices.ContainsFunc(v.byRound, infinite) {
			continue
		}
		if infinite(v.half) {
			v.half = 0
		}
		x.values = append(x.values, v)
	}
}

func infinite(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }

// maxOperations is the largest number of operations that is written: every reader has room for it.
const maxOperations = math.MaxInt32

// whole is a number of operations as the format has it.
func whole(n float64) float64 { return math.Round(min(max(n, 1), maxOperations)) }

// origin says where the energy comes from: measured, estimated, none, or unknown for a file that
// does not say it.
func origin(r *record.Run) string {
	switch origin := r.Meter.Origin(); {
	case !r.Meter.KnowsEnergy():
		return string(record.NoEnergy)
	case origin != "":
		return string(origin)
	}
	return "unknown"
}

// meterOf is the meter, and which counters it read if these are not the system's.
func meterOf(r *record.Run) string {
	return r.Meter.Name + wording.CounterRoot(r.Meter.Root)
}

// maxText is how much of a name is written, in bytes: readers have a limit on lines.
const maxText = 4096

// text is a text in one line, with every character visible.
func text(s string) string {
	s = page.Clean(s)
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "")
}

// field is text without spaces, which are written as package testing writes them.
func field(s string) string { return strings.ReplaceAll(text(s), " ", "_") }

// rounds is the number of rounds of which something is known.
func (x *result) rounds() int {
	rounds := 0
	for _, v := range x.values {
		rounds = max(rounds, len(v.byRound))
	}
	return rounds
}
