package attribution

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"spell-lsp/runner/power"
	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

// CallerPowers is what the ticks say of the power of a row under its callers.
type CallerPowers struct {
	Row     int
	Callers []CallerPower // by row
	// ByTime says why energy is to be shared by time all the same; "" if the powers differ.
	ByTime record.ByTime
}

// A CallerPower is the power of a row while one caller had called it, in all domains that the
// model solves for together.
type CallerPower struct {
	Caller  int     // row; 0 if it is no component
	Watts   float64 // 0 if it could not be found
	SD      float64
	Freedom float64 // degrees of freedom of SD
	Samples int     // that saw the caller
}

// Known says whether the power was found.
func (p *CallerPower) Known() bool { return p.Watts > 0 }

// What a difference must show before it is believed.
const (
	leastSamples    = 20   // of a caller
	leastRuns       = 3    // of a caller: their spread is the error of its power
	leastAgreement  = 0.5  // on the caller, of samples that follow each other, beyond chance (Cohen's kappa)
	leastDifference = 0.05 // of a power from the mean: models and clocks err by some of that
	differenceLevel = 0.01 // chance of a false alarm among all rows of a measurement
)

// CallerPowers are those of all rows that samples saw under two callers or more, by row. A power
// differs if Welch's t-test of a caller against the others says so, corrected for the number of
// tests by Holm's method. Where callers change faster than samples follow, the difference would
// seem smaller than it is, so none is told.
func (m *Model) CallerPowers() []CallerPowers {
	if m.callers == nil {
		return nil
	}
	all := m.callers.rows()
	if len(all) == 0 {
		return nil
	}
	m.callers.end()
	main, _ := m.fit()
	more := m.load(m.samplerS) - m.rest.SamplerLoad
	m.pinRest(m.callers.solver, func(d int) float64 { return more * main.Mean(d) })
	fit := m.callers.solver.Fit()
	var ps []float64
	var of []int
	for i := range all {
		c := &all[i]
		if c.ByTime != "" {
			continue
		}
		for j := range c.Callers {
			m.callers.estimate(fit, c.Row, &c.Callers[j])
		}
		for _, p := range c.differences() {
			ps, of = append(ps, p), append(of, i)
		}
		c.ByTime = record.Alike
		if !c.comparable() {
			c.ByTime = record.Few
		}
	}
	for k, p := range significance.Holm(ps) {
		if c := &all[of[k]]; p <= differenceLevel && c.apart() {
			c.ByTime = ""
		}
	}
	return all
}

// rows lists the rows with several callers. ByTime is set where the samples alone decide.
func (c *callerModel) rows() []CallerPowers {
	var all []CallerPowers
	at := make(map[uint32]int)
	pairs := make([]callerPair, 0, len(c.seen))
	for pair := range c.seen {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b callerPair) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.caller, b.caller)) })
	for _, pair := range pairs {
		i, known := at[pair.row]
		if !known {
			i = len(all)
			at[pair.row] = i
			all = append(all, CallerPowers{Row: int(pair.row)})
		}
		all[i].Callers = append(all[i].Callers, CallerPower{Caller: int(pair.caller), Samples: c.seen[pair].all})
	}
	all = slices.DeleteFunc(all, func(p CallerPowers) bool { return len(p.Callers) < 2 })
	for i := range all {
		all[i].ByTime = c.unfit(&all[i])
	}
	return all
}

// unfit says why samples cannot tell the caller of a row in a tick; "" if they can.
func (c *callerModel) unfit(p *CallerPowers) record.ByTime {
	var all, same, chance float64
	enough := 0
	for _, of := range p.Callers {
		s := c.seen[callerPair{uint32(p.Row), uint32(of.Caller)}]
		all, same, chance = all+float64(s.followed), same+float64(s.same), chance+float64(s.followed)*float64(s.followed)
		if s.all >= leastSamples {
			enough++
		}
	}
	if enough < 2 || all == 0 {
		return record.Few
	}
	chance /= all * all
	if same/all-chance < leastAgreement*(1-chance) {
		return record.Interleaved
	}
	return ""
}

// estimate finds the power of a row under a caller: that of the model, corrected by what its runs
// used beyond the model. The correction counts as an error, with the larger of the model's error
// and the spread between runs.
func (c *callerModel) estimate(fit *power.Fit, row int, p *CallerPower) {
	number, known := c.numbers[callerPair{uint32(row), uint32(p.Caller)}]
	if !known || p.Samples < leastSamples || c.pairs[number].runs < leastRuns {
		return
	}
	solved := c.first + uint32(number)
	watts, variance := totalPower(fit, solved)
	mean, spread, n := c.pairs[number].residual(fit, solved)
	if n < leastRuns || watts+mean <= 0 {
		return
	}
	p.Watts, p.Freedom = watts+mean, float64(n-1)
	p.SD = math.Sqrt(max(variance, spread*spread) + mean*mean)
}

// totalPower is the power of a row of the solver in all domains, and its variance.
func totalPower(fit *power.Fit, row uint32) (watts, variance float64) {
	for d := range fit.Domains() {
		e := fit.Watts(row, d)
		watts, variance = watts+e.Watts, variance+e.SD*e.SD
	}
	return watts, variance
}

// residual is by how much the power of a row was above what the model says, in its runs: the
// mean and its standard error, and the number of batches that this rests on.
func (p *pairRuns) residual(fit *power.Fit, row uint32) (mean, spread float64, n int) {
	var joules, seconds float64
	rest := make([]float64, len(p.batches))
	for i, b := range p.batches {
		for d, j := range b.joules {
			rest[i] += j - fit.Idle(d).Watts*b.seconds
			for _, r := range slices.Sorted(maps.Keys(b.ran)) { // the sum is the same each time
				rest[i] -= fit.Watts(r, d).Watts * b.ran[r]
			}
		}
		joules, seconds = joules+rest[i], seconds+b.ran[row]
	}
	n = len(p.batches)
	if seconds <= 0 || n < 2 {
		return 0, math.Inf(1), n
	}
	mean = joules / seconds
	var squares float64
	for i, b := range p.batches {
		off := rest[i] - mean*b.ran[row]
		squares += off * off
	}
	return mean, math.Sqrt(squares*float64(n)/float64(n-1)) / seconds, n
}

// comparable says whether the power is known under two callers.
func (p *CallerPowers) comparable() bool {
	known := 0
	for i := range p.Callers {
		if p.Callers[i].Known() {
			known++
		}
	}
	return known >= 2
}

// differences are the p-values of each known caller against all other known ones.
func (p *CallerPowers) differences() []float64 {
	if !p.comparable() {
		return nil
	}
	var ps []float64
	for i := range p.Callers {
		one := &p.Callers[i]
		if !one.Known() {
			continue
		}
		rest, variance, freedom := p.without(i)
		a, b := one.SD*one.SD, variance
		welch := (a + b) * (a + b) / (a*a/one.Freedom + b*b/freedom)
		t := math.Abs(one.Watts-rest) / math.Sqrt(a+b)
		if math.IsNaN(t) || math.IsNaN(welch) || welch <= 0 {
			t, welch = 0, 1
		}
		ps = append(ps, 2*distuv.StudentsT{Sigma: 1, Nu: welch}.Survival(t))
	}
	return ps
}

// without is the mean power of the known callers but one, by samples, its variance, and the
// least degrees of freedom among them.
func (p *CallerPowers) without(one int) (watts, variance, freedom float64) {
	var samples float64
	freedom = math.Inf(1)
	for i := range p.Callers {
		if c := &p.Callers[i]; i != one && c.Known() {
			n := float64(c.Samples)
			watts, variance, samples = watts+n*c.Watts, variance+n*n*c.SD*c.SD, samples+n
			freedom = min(freedom, c.Freedom)
		}
	}
	return watts / samples, variance / (samples * samples), freedom
}

// apart says whether a power is far enough from the mean of all to matter.
func (p *CallerPowers) apart() bool {
	mean, _, _ := p.without(-1)
	return slices.ContainsFunc(p.Callers, func(c CallerPower) bool {
		return c.Known() && math.Abs(c.Watts/mean-1) >= leastDifference
	})
}
