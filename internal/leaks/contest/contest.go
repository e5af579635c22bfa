// Package contest orders the functions of a program by how much they look like an energy
// leak: by SPELL's rankings, by single quantities, by profiles, and by comparison with the
// program without the leak. Each way to do so is a contestant. All contestants order the
// same functions, those that the tests executed, so that their orders can be compared.
//
// The package is pure: it computes from what was measured, and measures nothing.
package contest

import (
	"github.com/google/pprof/profile"

	"spell-lsp/spell/record"
)

// Evidence is what was measured of one program with a leak. A contestant looks at a part
// of it.
type Evidence struct {
	Leaky  *record.Run      // the program with the leak
	Clean  *record.Run      // the program without it
	CPU    *profile.Profile // go test -cpuprofile of the program with the leak
	Memory *profile.Profile // go test -memprofile of the program with the leak
}

// A Contestant orders the functions of a program.
type Contestant struct {
	Name  string // unique
	About string // how it orders, in a sentence
	Order func(*Evidence) (Order, error)
}

// Reference is the contestant that the others are compared with: the ranking that
// spell-lsp shows by default.
const Reference = "spell-lsp"

// All are the contestants. To add one that needs the run record alone, write a function
// that gives each component of the run a score, by the index of the component, and add a
// line with [fromRun].
func All() []Contestant {
	return []Contestant{
		{Reference, "the order and the zones that spell-lsp shows by default", byDefault},
		{"spell-lsp, with callers", "... and the caller that the first screen names beside a function that should run less often", withCallers},
		{"psi", "SPELL's global similarity, oracle sum-of-products (the paper): energy x executions x time, summed over tests", psi},
		{"psi, product of sums", "SPELL's global similarity, oracle product-of-sums (the thesis)", psiProductOfSums},
		fromRun("energy x time", "psi without executions", energyTime),
		fromRun("energy x ln(1+N) x time", "psi with executions damped by a logarithm", logarithmic),
		fromRun("energy x sqrt(N) x time", "psi with executions damped by a square root", squareRoot),
		fromRun("energy", "energy without callees (phi of energy has the same order)", energy),
		fromRun("energy x energy per call", "energy without callees, weighted by what a call costs", costlyCalls(1)),
		fromRun("energy x sqrt(energy per call)", "... by its square root", costlyCalls(0.5)),
		fromRun("energy x energy per call ^ 1/4", "... by its fourth root", costlyCalls(0.25)),
		fromRun("energy beyond the usual", "energy without callees, less what calls of functions of that length usually cost: a line what two thirds of the functions do not exceed; at least a quarter of the energy", beyondUsual),
		fromRun("energy of costly calls", "energy without callees, weighted by the share of functions whose calls do not cost more", rarelySoCostly(0)),
		fromRun("energy, half for cheap calls", "... from a half to the whole", rarelySoCostly(0.5)),
		fromRun("energy and energy per call", "reciprocal of the mean of the ranks by both", agreement),
		fromRun("energy of unusual calls", "energy without callees, weighted by how unusual the cost of a call is for the length of the function: the share of functions whose residual of a line fitted to the logarithms is not higher", unusualCalls),
		fromRun("energy in unmeasured callees", "energy without callees, but only for the time in functions without a probe", unmeasuredCallees),
		{"energy, with the collector", "energy without callees, and the energy of the garbage collector by the bytes of the memory profile", withCollector},
		fromRun("energy, cumulative", "energy with callees", cumulativeEnergy),
		fromRun("time", "running time without callees", time),
		fromRun("N", "executions", executions),
		fromRun("energy per call", "energy without callees, divided by executions", energyPerCall),
		{"CPU profile, flat", "go test -cpuprofile: samples in the function itself", cpuProfile(flat)},
		{"CPU profile, nearest", "go test -cpuprofile: samples go to the nearest function of the module on the stack, as with pprof -hide", cpuProfile(nearest)},
		{"CPU profile, cumulative", "go test -cpuprofile: samples with the function on the stack", cpuProfile(cumulative)},
		{"memory profile, flat", "go test -memprofile: bytes allocated by the function itself", memoryProfile(flat)},
		{"memory profile, nearest", "go test -memprofile: bytes go to the nearest function of the module on the stack", memoryProfile(nearest)},
		{"memory profile, cumulative", "go test -memprofile: bytes allocated with the function on the stack", memoryProfile(cumulative)},
		{"comparison", "growth of energy without callees, from the program without the leak", growth},
		fromRun("chance", "no order: every function is as likely as any other to be inspected first", chance),
	}
}

// fromRun makes a contestant of scores by component of a run record. It must not change
// the run.
func fromRun(name, about string, scores func(*record.Run) []float64) Contestant {
	return Contestant{name, about, func(e *Evidence) (Order, error) {
		return newOrder(e.Leaky, scores(e.Leaky)), nil
	}}
}
