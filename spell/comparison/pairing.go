package comparison

import (
	"fmt"
	"math"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A pairing says which rounds of two runs are compared with one another. Where both ran as many rounds on the same
// nodes, those of the same node are, so that what is peculiar to a node cancels out; else those of the same number.
type pairing struct {
	rounds     [][2]int // of BASE and HEAD; nil: those of the same number
	base, head []record.Node
	same       bool // both runs have as many rounds of the same nodes, or neither has nodes
}

func pairingOf(base, head *record.Run) pairing {
	g := pairing{base: base.Nodes, head: head.Nodes}
	if g.same = slices.Equal(names(base.Nodes), names(head.Nodes)); !g.same || len(g.base) == 0 {
		return g
	}
	a, b := firstRounds(g.base), firstRounds(g.head)
	for _, node := range g.head {
		for i := range node.Rounds {
			g.rounds = append(g.rounds, [2]int{a[node.Name].first + i, b[node.Name].first + i})
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

// names are those of nodes with the number of their rounds, sorted.
func names(nodes []record.Node) (list []string) {
	for _, n := range nodes {
		list = append(list, fmt.Sprintf("%s (%d)", n.Name, n.Rounds))
	}
	slices.Sort(list)
	return list
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

// deviation is the standard deviation of single rounds, without what differs between nodes if that cancels out.
func (g *pairing) deviation(values []float64, nodes []record.Node) float64 {
	freedom := len(values) - len(nodes)
	if !g.same || len(nodes) < 2 || freedom < 1 {
		return deviation(values)
	}
	var squares float64
	for rest, i := values, 0; i < len(nodes) && len(rest) >= nodes[i].Rounds; i++ {
		of := rest[:nodes[i].Rounds]
		rest = rest[len(of):]
		own := deviation(of)
		squares += own * own * float64(len(of)-1)
	}
	return math.Sqrt(squares / float64(freedom))
}

// note says that the nodes differ; ok is false if that says nothing.
func (g *pairing) note() (n note.Note, ok bool) {
	if g.same || len(g.base) == 0 || len(g.head) == 0 {
		return n, false
	}
	return note.NodesDiffer(names(g.base), names(g.head)), true
}
