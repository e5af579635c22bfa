// Package explanation finds out what makes the rank of a component, or its cost so high, as
// facts that package wording writes. It reads a row of a ranking, and callees of a component; it
// knows nothing of runs.
package explanation

import "spell-lsp/spell"

// Ratios from which on one thing counts as far above another.
const (
	farAbove   = 2.0  // shares of cost and of executions
	waiting    = 3.0  // wall time and running time
	dearer     = 1.25 // shares of energy and of running time ...
	dearerBy   = 0.05 // ... which also differ by so much
	negligible = 0.05 // a share that is not worth an effort
	shortMS    = 1e-4 // running time of an execution below which there is little to gain in one: 100 ns
)

// A Reason is what stands out in a component: where the ranks follow psi, the category that
// makes its rank; where they follow the energy or the time, what makes its cost so high.
type Reason string

// The reasons.
const (
	NotRun            Reason = "not-run"            // no test ran it
	ExecutionsUnknown Reason = "executions-unknown" // its cost is known, how often it ran is not
	OfFunctions       Reason = "of-functions"       // it is a group of goroutines, whose cost is that of functions in them
	LittleToGain      Reason = "little-to-gain"     // its cost is negligible, and its executions where they count in the rank
	RunsOften         Reason = "runs-often"         // executions stand out
	CostlyEach        Reason = "costly-each"        // cost stands out; under energy or time an execution is not very short either
	NoneStandsOut     Reason = "none-stands-out"    // neither does, or executions are very short
)

// An Explanation says what makes the rank of a component.
type Explanation struct {
	By        spell.Criterion // what the ranks follow
	Reason    Reason
	Inclusive bool       // its values include its callees
	Kept      spell.Zone // that it keeps from the run before, though its share asks for another; "" = none
	Cost      Cost
	Waiting   Waiting
	Dear      DearState
	Callee    Callee
	Line      Line
	Functions []Function // of a Reason OfFunctions, the most time first
}

// A Function has a share of the time of a group.
type Function struct {
	Name  string
	Share float64
}

// A Cost is what a component used. Shares are from 0 to 1.
type Cost struct {
	NShare      float64
	TimeShare   float64
	Domain      spell.Domain // in which it used most joules; "" if it used none
	EnergyShare float64      // of Domain; 0 without one
	Estimated   bool         // its joules are estimated
	EachJ       float64      // joules of one execution, 0 without a Domain
	EachMS      float64      // running time of one execution, 0 if executions are not known
}

// A Waiting is of a component that mostly waits. The zero value is of one that does not.
type Waiting struct {
	RanMS  float64
	WallMS float64 // from entry to exit, without the running time of callees
}

// A DearState is of a component that makes a domain use more power than usual. The zero value
// is of one that does not.
type DearState struct {
	Domain spell.Domain
	Ratio  float64 // the share of its energy by the share of the running time, above 1
}

// Of explains the rank of row in a ranking by a criterion. domains are those of the ranking.
// wallMS is the time from entry to exit over all tests, waiting included, without the running
// time of callees; 0 if it is not known. estimated says that joules are estimated.
func Of(row spell.Row, by spell.Criterion, domains []spell.Domain, wallMS float64, estimated bool) Explanation {
	e := Explanation{By: by, Cost: costOf(row, domains, estimated)}
	e.Reason = reason(row, e.Cost, e.NCounts())
	if wallMS-row.TimeMS >= 1 && wallMS >= waiting*row.TimeMS && row.N > 0 {
		e.Waiting = Waiting{row.TimeMS, wallMS}
	} else if d := dearDomain(row); d >= 0 {
		e.Dear = DearState{domains[d], row.Phi.Energy[d] / row.Phi.Time}
	}
	return e
}

// NCounts tells whether executions count in the rank.
func (e *Explanation) NCounts() bool {
	return e.By == spell.PsiCriterion || e.By == spell.ExecutionsCriterion
}

func costOf(row spell.Row, domains []spell.Domain, estimated bool) Cost {
	c := Cost{NShare: row.Phi.N, TimeShare: row.Phi.Time, Estimated: estimated}
	most := 0.0
	for d, j := range row.Joules {
		if j > most {
			most, c.Domain, c.EnergyShare, c.EachJ = j, domains[d], row.Phi.Energy[d], row.EPI
		}
	}
	if row.N > 0 {
		c.EachMS = min(row.TimeMS/row.N, spell.MaxValue)
	}
	return c
}

func reason(row spell.Row, c Cost, nCounts bool) Reason {
	n, cost := c.NShare, max(c.EnergyShare, c.TimeShare)
	switch {
	case row.N == 0 && row.TimeMS == 0 && c.Domain == "":
		return NotRun
	case row.N == 0:
		return ExecutionsUnknown
	case row.Zone == spell.Green && cost < negligible && (n < negligible || !nCounts):
		return LittleToGain
	case n >= farAbove*cost:
		return RunsOften
	case cost >= farAbove*n && (nCounts || c.EachMS == 0 || c.EachMS >= shortMS):
		return CostlyEach
	}
	return NoneStandsOut
}

// dearDomain is the domain with the largest share among those whose share of energy is far
// above the share of running time; -1 if there is none.
func dearDomain(row spell.Row) int {
	t, found := row.Phi.Time, -1
	for d, e := range row.Phi.Energy {
		if t > 0 && e >= dearer*t && e-t >= dearerBy && (found < 0 || e > row.Phi.Energy[found]) {
			found = d
		}
	}
	return found
}
