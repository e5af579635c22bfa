// Package scaling says how what a run measured grows with the size of the input: benchmarks
// that differ in a size in their names, as BenchmarkSort/n=1000, and the functions that they called.
//
// The rules:
//
//   - Measured energy is fitted. Where it is estimated, below resolution or not known, time is, as in
//     spell/alternatives.
//   - A benchmark's cost is that of one operation, without the probes. A function's is what it used in one operation, callees
//     included where that is known.
//   - The cost of a function whose calls noted their sizes is that of one call, callees included; each of its sizes
//     has a growth of its own, if it varied.
//   - Errors of the mean are those of the rounds of the benchmark. Rounds say nothing about
//     one function in one benchmark, so its relative error is the benchmark's.
//   - The formula, its exponents and predictions are those of spell/growth.
package scaling

import (
	"cmp"
	"math"
	"slices"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/growth"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Schema names the version of the JSON form of a Result.
const Schema = "spell-lsp/growth/v1"

// DefaultShare is the part of a benchmark's cost, at its largest size, that a function must have to be listed.
const DefaultShare = 0.1

// Options say which growths are wanted.
type Options struct {
	Share float64 // that functions must have; 0 is DefaultShare
}

// A Result has the growths of a run.
type Result struct {
	Schema string        `json:"schema"`
	Run    string        `json:"run"`
	Meter  string        `json:"meter"`
	Source record.Source `json:"source"`
	Rounds int           `json:"rounds"`
	// Growths are sorted by the lower end of the exponent's interval, the steepest first; those without a formula
	// are last.
	Growths []Growth `json:"growths"`
	// LeftOut are benchmarks with sizes that did not pass.
	LeftOut []alternatives.LeftOut `json:"left_out"`
	// Partial says that the measurement was interrupted.
	Partial bool `json:"partial,omitempty"`
	// Doubts are the facts of the measurement that make the figures doubtful, the weightiest first.
	Doubts []note.Note `json:"doubts"`
}

// An Origin says where the sizes come from.
type Origin string

// The origins.
const (
	Benchmark Origin = "benchmark" // names of benchmarks
	Calls     Origin = "calls"     // arguments of calls, noted by probes
)

// A Growth is how the cost of a benchmark or function grows with one or two sizes. Costs are in joules or, where
// Quantity is time, in milliseconds.
type Growth struct {
	Subject   string `json:"subject"`   // ID of a component, or import path and name of a benchmark: m.BenchmarkSort
	Component bool   `json:"component"` // Subject is a component
	Origin    Origin `json:"origin"`
	// Series is the benchmark with * for each size: m.BenchmarkSort/n=*; "" of calls.
	Series   string                `json:"series,omitempty"`
	Sizes    []string              `json:"sizes"` // names of the one or two sizes
	Quantity alternatives.Quantity `json:"quantity"`
	WhyTime  alternatives.Reason   `json:"why_time,omitempty"`
	// Cumulative says that the cost of a component includes its callees. That of a benchmark does.
	Cumulative bool `json:"cumulative"`
	// PerCall says that the cost of a component is that of one call: each operation made one.
	PerCall bool `json:"per_call,omitempty"`
	// Function is the component after which a benchmark is named, as BenchmarkGrow_Sort after Sort; "" for none.
	// It is listed whatever its share: the benchmark is there for it, and may spend more on what it works on.
	Function string `json:"function,omitempty"`
	// Share is what a component has of the benchmark's cost at the largest size.
	Share float64 `json:"share,omitempty"`

	Model     string        `json:"model,omitempty"` // see growth.Formula; n is the first size, m the second
	Constant  float64       `json:"constant,omitempty"`
	Terms     []Term        `json:"terms,omitempty"`
	Scatter   float64       `json:"scatter,omitempty"` // relative standard deviation of the points about the formula
	Exponents []Exponent    `json:"exponents,omitempty"`
	Reason    growth.Reason `json:"reason,omitempty"` // why there is no formula
	Ranges    []Range       `json:"ranges"`           // by size
	Points    []Point       `json:"points"`           // ascending
	// Predictions are those at ten and a hundred times the largest sizes.
	Predictions []Prediction `json:"predictions,omitempty"`

	Formula growth.Formula `json:"-"` // predicts for other sizes
}

// A Term is growth.Term.
type Term struct {
	Factor      float64    `json:"factor"`
	Powers      [2]float64 `json:"powers"`
	Logs        [2]float64 `json:"logs"`
	Exponential bool       `json:"exponential,omitempty"`
}

// An Exponent is growth.Exponent: the power with its 95 % interval.
type Exponent struct {
	Value float64    `json:"value"`
	CI    [2]float64 `json:"ci"`
}

// A Range is what was seen of a size.
type Range struct {
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Distinct int     `json:"distinct"`
}

// A Point is what was measured at one size.
type Point struct {
	Sizes []float64 `json:"sizes"`
	Cost  float64   `json:"cost"`
	Error float64   `json:"error"` // standard error of Cost; 0 = not known
	Calls float64   `json:"calls"` // how many operations or calls Cost is the mean of
}

// A Prediction is what the formula says of sizes, with the 95 % interval of a measurement there.
type Prediction struct {
	Sizes        []float64  `json:"sizes"`
	Cost         float64    `json:"cost"`
	CI           [2]float64 `json:"ci"`
	Extrapolated bool       `json:"extrapolated"`
}

// Of finds the growths of a run. The error is a *NoneError.
func Of(r *record.Run, o Options) (*Result, error) {
	result := &Result{
		Schema: Schema, Run: r.ID, Meter: r.Meter.Name, Source: r.Meter.Origin(), Rounds: r.Rounds,
		Growths: []Growth{}, LeftOut: []alternatives.LeftOut{}, Partial: r.Partial, Doubts: alternatives.Doubts(r),
	}
	all, leftOut, without := seriesOf(r)
	result.LeftOut = append(result.LeftOut, leftOut...)
	for i := range all {
		s := &all[i]
		result.Growths = append(result.Growths, s.benchmark(r))
		result.Growths = append(result.Growths, s.components(r, cmp.Or(o.Share, DefaultShare))...)
	}
	result.Growths = append(result.Growths, callsOf(r)...)
	if len(result.Growths) == 0 {
		return nil, &NoneError{Run: r.ID, Benchmarks: without, LeftOut: leftOut, Failed: failedOf(r, without)}
	}
	slices.SortStableFunc(result.Growths, steepest)
	return result, nil
}

// steepest puts the growth with the highest lower end of an exponent first.
func steepest(a, b Growth) int {
	return cmp.Or(cmp.Compare(b.Low(), a.Low()), cmp.Compare(a.Series, b.Series), cmp.Compare(a.Share, b.Share), cmp.Compare(a.Subject, b.Subject))
}

// Low is the highest lower end of the exponents' intervals.
func (g *Growth) Low() float64 {
	low := math.Inf(-1)
	for _, e := range g.Exponents {
		low = max(low, e.CI[0])
	}
	return low
}

// fit sets the formula of points, and what follows from it.
func (g *Growth) fit(points []Point) {
	slices.SortStableFunc(points, func(a, b Point) int { return slices.Compare(a.Sizes, b.Sizes) })
	g.Points, g.Ranges = points, rangesOf(points, len(g.Sizes))
	given := make([]growth.Point, len(points))
	for i, p := range points {
		given[i] = growth.Point(p)
	}
	if g.Formula, g.Reason = growth.Fit(given); g.Reason != "" {
		return
	}
	f := &g.Formula
	g.Model, g.Constant, g.Scatter = f.Model, f.Constant, f.Scatter
	for _, t := range f.Terms {
		g.Terms = append(g.Terms, Term(t))
	}
	for _, e := range f.Exponents {
		g.Exponents = append(g.Exponents, Exponent{e.Value, [2]float64{e.Low, e.High}})
	}
	for _, times := range []float64{10, 100} {
		sizes := make([]float64, len(g.Ranges))
		for k, r := range g.Ranges {
			sizes[k] = times * r.Max
		}
		if p, ok := f.Predict(sizes...); ok {
			g.Predictions = append(g.Predictions, Prediction{sizes, p.Cost, [2]float64{p.Low, p.High}, p.Extrapolated})
		}
	}
}

// rangesOf are the ranges of so many sizes; none of no points.
func rangesOf(points []Point, sizes int) []Range {
	ranges := []Range{}
	for k := 0; k < sizes && len(points) > 0; k++ {
		var seen []float64
		for _, p := range points {
			seen = append(seen, p.Sizes[k])
		}
		slices.Sort(seen)
		seen = slices.Compact(seen)
		ranges = append(ranges, Range{seen[0], seen[len(seen)-1], len(seen)})
	}
	return ranges
}
