package pooling

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

const (
	// minDeviation is the least relative difference that is worth a word: processors of one model differ by
	// some percent.
	minDeviation = 0.05
	// deviationLevel is the chance that a node of equal ones is named.
	deviationLevel = 0.01
)

// costs are the energy of all tests by round, or their time where no energy is known; nil if they are not
// known by round.
func costs(r *record.Run) []float64 {
	var list [][]float64
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.RoundTimeMS == nil {
			continue // it did not run in all
		}
		if !r.Meter.KnowsEnergy() {
			list = append(list, t.RoundTimeMS)
		}
		for _, d := range r.Meter.Domains {
			list = append(list, t.RoundEnergyJ[d])
		}
	}
	return record.AddSeries(list)
}

// name sets the deviations of nodes that differ from the others: the one that differs most first, then of
// the rest. Of two nodes nobody knows which is the odd one: it is the dearer one. At least half of the nodes
// are left.
func name(nodes []record.Node, costs []float64) {
	left := samplesOf(nodes, costs)
	for len(left) > max(1, (len(nodes)+1)/2) {
		odd, deviation, found := oddOne(left)
		if !found {
			return
		}
		nodes[left[odd].node].Deviation = deviation
		left = slices.Delete(left, odd, odd+1)
	}
}

// A sample is the costs of the rounds of a node.
type sample struct {
	node    int
	n, mean float64
	squares float64 // of the differences from the mean
}

// samplesOf is nil where the costs are not known.
func samplesOf(nodes []record.Node, costs []float64) (list []sample) {
	first := 0
	for i, node := range nodes {
		s := sample{node: i, n: float64(node.Rounds)}
		if first += node.Rounds; first > len(costs) {
			return nil
		}
		of := costs[first-node.Rounds : first]
		for _, v := range of {
			s.mean += v / s.n
		}
		for _, v := range of {
			s.squares += (v - s.mean) * (v - s.mean)
		}
		list = append(list, s)
	}
	return list
}

// oddOne finds the node that differs most from the median of the others, relative to it, where chance does
// not explain that: by a t-test with the spread of rounds within nodes, corrected for the number of nodes.
func oddOne(list []sample) (odd int, deviation float64, found bool) {
	if len(list) < 2 {
		return 0, 0, false
	}
	var squares, freedom, rounds float64
	for _, s := range list {
		squares, freedom, rounds = squares+s.squares, freedom+s.n-1, rounds+s.n
	}
	for i, s := range list {
		center := medianOfOthers(list, i)
		if center <= 0 {
			return 0, 0, false
		}
		off := s.mean/center - 1
		if math.Abs(off) > math.Abs(deviation) && (len(list) > 2 || off > 0) {
			odd, deviation = i, off
		}
	}
	s, center := list[odd], medianOfOthers(list, odd)
	if math.Abs(deviation) < minDeviation || freedom == 0 {
		return 0, 0, false
	}
	spread := math.Sqrt(squares / freedom * (1/s.n + 1/(rounds-s.n)))
	limit := distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(1 - deviationLevel/2/float64(len(list)))
	return odd, deviation, math.Abs(s.mean-center) > limit*spread
}

func medianOfOthers(list []sample, but int) float64 {
	var means []float64
	for i, s := range list {
		if i != but {
			means = append(means, s.mean)
		}
	}
	slices.Sort(means)
	n := len(means)
	return (means[(n-1)/2] + means[n/2]) / 2
}

// nodeNotes say which nodes ran, and which of them differ.
func nodeNotes(r *record.Run) []note.Note {
	var names []string
	for _, n := range r.Nodes {
		names = append(names, n.Name)
	}
	if len(names) < 2 {
		return nil
	}
	list := []note.Note{note.RanOnNodes(r.Rounds, names)}
	quantity := "energy"
	if !r.Meter.KnowsEnergy() {
		quantity = "time"
	}
	odd := slices.DeleteFunc(slices.Clone(r.Nodes), func(n record.Node) bool { return n.Deviation == 0 })
	slices.SortStableFunc(odd, func(a, b record.Node) int { return cmp.Compare(math.Abs(b.Deviation), math.Abs(a.Deviation)) })
	for _, n := range odd {
		list = append(list, note.NodeDiffers(n.Name, quantity, n.Deviation))
	}
	return list
}

// notesOf joins the notes of parts: one that all have stands once, others with the node that has it.
func notesOf(parts []Part) (list []note.Note) {
	count, seen := make(map[string]int), make(map[string]bool)
	for _, p := range parts {
		for _, n := range p.Run.Notes {
			count[key(n)]++
		}
	}
	for _, p := range parts {
		for _, n := range p.Run.Notes {
			if count[key(n)] < len(parts) {
				n = note.OnNode(p.Node, n)
			}
			if k := key(n); !seen[k] {
				seen[k] = true
				list = append(list, n)
			}
		}
	}
	return list
}

func has(list []note.Note, n note.Note) bool {
	return slices.ContainsFunc(list, func(o note.Note) bool { return key(o) == key(n) })
}

// key identifies a note by all that it says.
func key(n note.Note) string {
	text, _ := json.Marshal(n) // strings, numbers and notes: there is no error
	return string(text)
}
