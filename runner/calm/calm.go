// Package calm judges how far a measurement changed what it measured, from rounds of a program
// that were executed plain and measured in turns: the change of time and of CPU time, and
// whether the processor ran as it does without: how well the distributions of its frequencies
// over time and over its cores correspond.
//
// A run is calm as in Babakol, Canino, Mahmoud, Saxena and Liu, "Calm Energy Accounting for
// Multithreaded Java Applications" (ESEC/FSE 2020): its time is within 5 % of the plain
// program's, and the distributions of frequencies correlate with 0.85 or more (Pearson, bins by
// Freedman and Diaconis). Added here: intervals, without which two rounds of the same program are
// easily 5 % apart; the same bar for CPU time; CPU time per core and tick in place of frequencies,
// where these cannot be read; and the correspondence of plain rounds with each other, without which
// a low one says nothing.
package calm

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// MaxChange is the largest change of time and of CPU time of a calm run.
	MaxChange = 0.05
	// MinCorrespondence is the lowest correlation of distributions of a calm run.
	MinCorrespondence = 0.85
	// MaxRounds is how many plain rounds are worth their time.
	MaxRounds = 5
	// Shortest is the shortest period.
	Shortest = time.Millisecond
	// Longest is the longest period.
	Longest = 128 * time.Millisecond

	confidence  = 0.95
	leastPairs  = 3   // of rounds, for an interval
	leastValues = 100 // readings of a side, for a distribution
)

// A Round is one execution of the program.
type Round struct {
	Seconds    float64 // from its beginning to its end
	CPUSeconds float64
	// Trace has a row for each reading and in it a value for each core: its frequency, or its CPU
	// time since the reading before, all in one unit; NaN for a core that is off. It is empty where
	// nothing was read.
	Trace [][]float64
}

// A Verdict on a run.
type Verdict string

// The verdicts. Undecided is one that more or longer rounds may decide.
const (
	Calm      Verdict = "calm"
	Disturbed Verdict = "disturbed"
	Undecided Verdict = "undecided"
)

// A Change is that of a mean from plain to measured rounds, relative to plain ones: 0.05 is 5 %
// more. Low and High are its 95 % interval, -1 and +Inf without one.
type Change struct {
	Relative, Low, High float64
	Verdict             Verdict
}

// A Correspondence says how alike the distributions of plain and of measured rounds are.
type Correspondence struct {
	R float64 // Pearson's correlation of the shares of the bins, -1 to 1; 0 if it is not known
	// Own is the correlation of plain rounds with each other, the most that can be expected of R.
	Own     float64
	Verdict Verdict
}

// A Result is what rounds say of a run.
type Result struct {
	Time, CPU           Change
	OverTime, OverCores Correspondence
	Verdict             Verdict
}

// Judge compares measured with plain rounds, which were executed in turns, so that the i-th of
// one kind was next to the i-th of the other. The run is disturbed if any of the four figures
// is, and calm if all of them are. Without traces, it can only be disturbed or undecided.
func Judge(plain, measured []Round) Result {
	r := Result{
		Time:      change(plain, measured, func(r Round) float64 { return r.Seconds }),
		CPU:       change(plain, measured, func(r Round) float64 { return r.CPUSeconds }),
		OverTime:  correspondence(plain, measured, overTime),
		OverCores: correspondence(plain, measured, overCores),
	}
	r.Verdict = all(r.Time.Verdict, r.CPU.Verdict, r.OverTime.Verdict, r.OverCores.Verdict)
	return r
}

// all is the verdict that several give together.
func all(verdicts ...Verdict) Verdict {
	switch {
	case slices.Contains(verdicts, Disturbed):
		return Disturbed
	case slices.Contains(verdicts, Undecided):
		return Undecided
	}
	return Calm
}

// change is that of an amount: the mean of the logarithms of its ratio in neighbouring rounds,
// with Student's interval.
func change(plain, measured []Round, amount func(Round) float64) Change {
	unknown := Change{Low: -1, High: math.Inf(1), Verdict: Undecided}
	var ratios []float64
	for i := range min(len(plain), len(measured)) {
		ratio := math.Log(amount(measured[i]) / amount(plain[i]))
		if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
			return unknown
		}
		ratios = append(ratios, ratio)
	}
	if len(ratios) == 0 {
		return unknown
	}
	mean, deviation := moments(ratios)
	unknown.Relative = math.Expm1(mean)
	if len(ratios) < leastPairs {
		return unknown
	}
	n := float64(len(ratios))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.5+confidence/2) * deviation / math.Sqrt(n)
	c := Change{Relative: math.Expm1(mean), Low: math.Expm1(mean - half), High: math.Expm1(mean + half), Verdict: Undecided}
	switch {
	case c.Low > MaxChange || c.High < -MaxChange:
		c.Verdict = Disturbed
	case c.Low >= -MaxChange && c.High <= MaxChange:
		c.Verdict = Calm
	}
	return c
}

// moments are the mean and the standard deviation of a sample.
func moments(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / max(1, float64(len(values)-1)))
}

// Next is the period of readings and samples at which a program is measured next, from the verdicts
// on those that it was measured at before. It begins with first. A disturbed run makes it twice as
// long, a calm one half as long, though not shorter than least, until one is calm and the next
// shorter one is not. An undecided run changes nothing. Where no period is calm, none of them
// is what disturbs the program, and it is first.
func Next(verdicts map[time.Duration]Verdict, least, first time.Duration) time.Duration {
	for p := first; ; {
		shorter, known := verdicts[p/2]
		switch v := verdicts[p]; {
		case v == Disturbed && p < Longest:
			p *= 2
		case v == Disturbed:
			return first
		case v == Calm && p/2 >= least && (!known || shorter == Calm):
			p /= 2
		default:
			return p
		}
	}
}

// OfPeriod is the verdict on the period at which a run was measured. Where probes change the time of
// a program, another period would not help.
func (r Result) OfPeriod(probes bool) Verdict {
	if probes && all(r.Time.Verdict, r.CPU.Verdict) == Disturbed {
		return Undecided
	}
	return r.Verdict
}
