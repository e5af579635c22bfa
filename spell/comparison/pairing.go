package comparison

import (
	"maps"
	"math"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A pairing says which rounds of two runs are compared with one another. Rounds of the same node are, so
// that what is peculiar to a node cancels out; other rounds by their number.
type pairing struct {
	rounds     [][2]int // of BASE and HEAD; nil: those of the same number
	base, head []record.Node
	same       bool // both runs have the same nodes, or neither has any
}

func pairingOf(base, head *record.Run) pairing {
	g := pairing{base: base.Nodes, head: head.Nodes, same: slices.Equal(names(base.Nodes), names(head.Nodes))}
	if len(g.base) == 0 || len(g.head) == 0 {
		return g
	}
	a, b := firstRounds(g.base), firstRounds(g.head)
	for _, name := range names(g.head) {
		from, both := a[name]
		for i := range min(from.Rounds, b[name].Rounds) {
			g.rounds = append(g.rounds, [2]int{from.first + i, b[name].first + i})
		}
		if !both {
			return pairing{base: g.base, head: g.head} // of different nodes, all rounds count
		}
	}
	return g
}

// someRounds are those of a node.
type someRounds struct {
	record.Node
	first int // index
}

func firstRounds(nodes []record.Node) map[string]someRounds {
	of, first := make(map[string]someRounds, len(nodes)), 0
	for _, n := range nodes {
		of[n.Name] = someRounds{n, first}
		first += n.Rounds
	}
	return of
}

// names are those of nodes, sorted.
func names(nodes []record.Node) []string {
	return slices.Sorted(maps.Keys(firstRounds(nodes)))
}

// differences are head - base of the pairs of rounds that both have.
func (g *pairing) differences(base, head []float64) []float64 {
	if g.rounds == nil {
		d := make([]float64, min(len(base), len(head)))
		for i := range d {
			d[i] = head[i] - base[i]
		}
		return d
	}
	var d []float64
	for _, pair := range g.rounds {
		if pair[0] < len(base) && pair[1] < len(head) {
			d = append(d, head[pair[1]]-base[pair[0]])
		}
	}
	return d
}

// nodeError is half of the 95 % interval of the difference of two means that different nodes explain.
func (g *pairing) nodeError(base, head []float64) float64 {
	if g.same {
		return 0
	}
	return record.Normal95 * math.Hypot(record.MeanError(base, g.base), record.MeanError(head, g.head))
}

// note says that the nodes differ; ok is false if that says nothing.
func (g *pairing) note() (n note.Note, ok bool) {
	if g.same || len(g.base) == 0 || len(g.head) == 0 {
		return n, false
	}
	return note.NodesDiffer(names(g.base), names(g.head)), true
}
