// Package score says how well contestants find leaks: measures of localization with
// bootstrap intervals, tests of paired differences, and tables of both.
//
// The package is pure: the same trials and seed give the same tables.
package score

import (
	"hash/fnv"

	"spell-lsp/internal/leaks/contest"
)

// A Trial is one leak, and where each contestant has it.
type Trial struct {
	Name   string // unique, for readers
	Module string // path of the module
	Kind   string // of leak
	Real   bool   // repaired by the authors of the module, not seeded
	// CostJ is the energy that the leak costs in one execution of all tests, in joules.
	CostJ float64
	// Share is the part of the program's energy that the leak costs, 0 to 1.
	Share float64
	// LineRank is the place of a seeded leak among the lines of its function, the costliest first;
	// 0 if it is not there.
	LineRank int
	Places   map[string]contest.Place // by name of contestant; those that could not take part have none
}

// HeldOut tells whether a module is among those that only a final score may use, so that no
// order is tuned to it: by a hash of its path, about 40 % of all modules are.
func HeldOut(module string) bool {
	h := fnv.New32a()
	h.Write([]byte(module))
	return h.Sum32()%5 < 2
}

// A measure is one number for the places that a contestant has leaks at.
type measure struct {
	name  string
	about string
	of    func(trials []Trial, contestant string) float64
	// share is printed as a percentage.
	share bool
}

// measures are the columns of the table of contestants.
var measures = []measure{
	{"Top-1", "share of the leaks that are found with the first function that is inspected", top(1), true},
	{"Top-3", "... with the first 3", top(3), true},
	{"Top-5", "... with the first 5", top(5), true},
	{"EXAM", "share of the executed functions that are inspected until the leak is found, mean; lower is better (Wong, Wei, Qi and Zhao, \"A crosstab-based statistical method for effective fault localization\", ICST 2008, for statements)",
		mean(exam), true},
	{"MRR", "mean reciprocal rank (Voorhees, \"The TREC-8 question answering track report\", 1999)", mean(reciprocal), false},
	{"saved by 1", "share of the energy of all leaks that is saved by repairing the first function of each order", saved(1), true},
	{"saved by 3", "... the first 3", saved(3), true},
	{"saved by 5", "... the first 5", saved(5), true},
	{"green", "share of the leaks that are shown as harmless; lower is better", mean(green), true},
}

// mrr and examAt are the places of measures that the tables sort and test by.
const (
	examAt = 3
	mrr    = 4
)

func exam(p contest.Place) float64 { return p.Rank / float64(max(1, p.Functions)) }

func reciprocal(p contest.Place) float64 { return 1 / max(1, p.Rank) }

func green(p contest.Place) float64 { return oneIf(p.Green) }

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// top is the share of trials with a rank of k or less. A rank is an expected value where
// functions are tied.
func top(k float64) func([]Trial, string) float64 {
	return mean(func(p contest.Place) float64 { return oneIf(p.Rank <= k) })
}

// mean is the mean of a value over the trials that the contestant took part in; 0 if there
// are none.
func mean(value func(contest.Place) float64) func([]Trial, string) float64 {
	return weighted(value, func(*Trial) float64 { return 1 })
}

// saved is the share of the leaked energy whose leak has a rank of k or less.
func saved(k float64) func([]Trial, string) float64 {
	return weighted(func(p contest.Place) float64 { return oneIf(p.Rank <= k) }, func(t *Trial) float64 { return t.CostJ })
}

func weighted(value func(contest.Place) float64, weight func(*Trial) float64) func([]Trial, string) float64 {
	return func(trials []Trial, contestant string) float64 {
		sum, all := 0.0, 0.0
		for i := range trials {
			if p, ok := trials[i].Places[contestant]; ok {
				w := weight(&trials[i])
				sum, all = sum+w*value(p), all+w
			}
		}
		if all == 0 {
			return 0
		}
		return sum / all
	}
}
