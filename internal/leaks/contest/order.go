package contest

import (
	"cmp"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// An Order lists all functions that the tests executed, by falling score. Functions of
// equal score are tied: their order among each other means nothing.
type Order []Entry

// An Entry is one function of an order.
type Entry struct {
	ID    string // component ID
	Score float64
	Green bool // shown as harmless: it is not among the first functions that hold 95 % of all scores
}

// A Place is where an order has the leak.
type Place struct {
	// Rank is the number of functions that are inspected until the first function of the
	// leak is found, that one included. Tied functions are inspected in random order; Rank
	// is the expected value. It is the number of all functions if the order has none of the
	// leak.
	Rank float64 `json:"rank"`
	// Functions is the number of functions in the order.
	Functions int `json:"functions"`
	// Green says that all functions of the leak are shown as harmless.
	Green bool `json:"green"`
}

// newOrder orders the components of r that the tests executed by their scores. The zones
// are cut as spell.ZoneRule does by default.
func newOrder(r *record.Run, scores []float64) Order {
	var o Order
	for i, ran := range executed(r) {
		if ran {
			o = append(o, Entry{ID: r.Components[i].ID, Score: scores[i]})
		}
	}
	slices.SortFunc(o, func(a, b Entry) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	o.cut(spell.ZoneRule{}.WithDefaults().Yellow)
	return o
}

// Executed are the IDs of the components that the tests that count executed: those that
// every contestant orders.
func Executed(r *record.Run) []string {
	var ids []string
	for i, ran := range executed(r) {
		if ran {
			ids = append(ids, r.Components[i].ID)
		}
	}
	return ids
}

// TotalJ is the energy of the tests that count, in one execution of each, in joules.
func TotalJ(r *record.Run) float64 {
	sum := 0.0
	for i := range r.Tests {
		if r.Tests[i].InAnalysis(false) {
			sum += r.Tests[i].EnergyJ.Total()
		}
	}
	return sum
}

// executed says by component whether a test that counts executed it.
func executed(r *record.Run) []bool {
	ran := make([]bool, len(r.Components))
	for i, t := range r.Tallies() {
		ran[i] = t.N > 0 || t.TimeMS > 0
	}
	return ran
}

// cut marks as green what stands below the first functions that together hold a share of
// the sum of all scores. Scores of 0 and below are always green.
func (o Order) cut(share float64) {
	all, above := 0.0, 0.0
	for _, e := range o {
		all += max(0, e.Score)
	}
	const rounding = 1e-9 // as in package spell: it must not move the cut
	for i := range o {
		o[i].Green = o[i].Score <= 0 || above/all >= share-rounding
		above += max(0, o[i].Score)
	}
}

// Find finds the first of the functions of a leak.
func (o Order) Find(leak []string) Place {
	p := Place{Rank: float64(len(o)), Functions: len(o), Green: true}
	found := false
	for i := 0; i < len(o); {
		tied, wanted := 0, 0
		for ; i+tied < len(o) && o[i+tied].Score == o[i].Score; tied++ {
			if e := o[i+tied]; slices.Contains(leak, e.ID) {
				wanted++
				p.Green = p.Green && e.Green
			}
		}
		if wanted > 0 && !found {
			// The expected place of the first of w wanted among t in random order.
			p.Rank, found = float64(i)+float64(tied+1)/float64(wanted+1), true
		}
		i += tied
	}
	return p
}
