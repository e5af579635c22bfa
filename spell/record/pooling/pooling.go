// Package pooling makes one run of several: those of the same programs on machines of one kind, each of
// which ran whole rounds. The machine is a random effect: intervals count what differs between machines.
package pooling

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// A Part is a run of one machine.
type Part struct {
	Node string // the machine's name
	Run  *record.Run
}

// ErrNothing says that no part has a round.
var ErrNothing = errors.New("no machine has completed a round")

// Options say how the run is ranked.
type Options struct {
	Analysis      spell.Options // its order must not be spell.OrderAuto
	IncludeFailed bool
	Seed          uint64 // of the intervals of psi and ranks
}

// Pool returns the run of all rounds, those of one node after those of another. Parts of the kind of
// machine and meter that has most rounds count, and a note names the others. Parts are not changed. The
// error is ErrNothing.
func Pool(parts []Part, o Options) (*record.Run, error) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Run == nil || p.Run.Rounds == 0 })
	if len(parts) == 0 {
		return nil, ErrNothing
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return compareNames(a.Node, b.Node) })
	parts, others := ofOneKind(parts)
	r := add(parts)
	r.Nodes = nodesOf(parts)
	name(r.Nodes, costs(r))
	setIntervals(r, parts)
	r.Notes = append(notesOf(parts), others...)
	r.Notes = append(r.Notes, nodeNotes(r)...)
	r.Analysis = ranking.AnalysisOf(o.Analysis, o.IncludeFailed, r.Matrix.Domains)
	setRankIntervals(r, parts, o)
	ranking.Analyze(r, o.Analysis, o.IncludeFailed)
	return r, nil
}

// compareNames orders names of machines: node2 before node10.
func compareNames(a, b string) int {
	stem := func(name string) string { return strings.TrimRight(name, "0123456789") }
	if c := strings.Compare(stem(a), stem(b)); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// nodesOf are the machines, in the order of their parts.
func nodesOf(parts []Part) (nodes []record.Node) {
	for _, p := range parts {
		if n := len(nodes); n == 0 || nodes[n-1].Name != p.Node {
			nodes = append(nodes, record.Node{Name: p.Node})
		}
		nodes[len(nodes)-1].Rounds += p.Run.Rounds
	}
	return nodes
}

// ofOneKind returns the parts of the kind with most rounds, the first of them if several have as many, and
// a note on each node of another.
func ofOneKind(parts []Part) (kept []Part, others []note.Note) {
	var kinds [][]Part
	for _, p := range parts {
		i := slices.IndexFunc(kinds, func(k []Part) bool { return len(differences(k[0].Run, p.Run)) == 0 })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, nil)
		}
		kinds[i] = append(kinds[i], p)
	}
	most := slices.MaxFunc(kinds, func(a, b []Part) int { return cmp.Compare(rounds(a), rounds(b)) })
	for _, k := range kinds {
		if k[0] == most[0] {
			continue
		}
		for _, node := range nodesOf(k) {
			others = append(others, note.NodeOfAnotherKind(node.Name, node.Rounds, differences(most[0].Run, k[0].Run)))
		}
	}
	return most, others
}

func rounds(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Run.Rounds
	}
	return n
}

// differences say what keeps the rounds of two runs from counting together.
func differences(a, b *record.Run) (list []note.Note) {
	if a.Host.CPU != b.Host.CPU {
		list = append(list, note.ProcessorsDiffer(a.Host.CPU, b.Host.CPU))
	}
	if a.Host.Cores != b.Host.Cores {
		list = append(list, note.CoresDiffer(a.Host.Cores, b.Host.Cores))
	}
	if a.Host.Arch != b.Host.Arch {
		list = append(list, note.ArchitecturesDiffer(a.Host.Arch, b.Host.Arch))
	}
	if meterOf(a) != meterOf(b) {
		list = append(list, note.NodeMetersDiffer(meterOf(a), meterOf(b)))
	}
	return list
}

// meterOf names the meter of a run, and the domains that it knows by function.
func meterOf(r *record.Run) string {
	text := strings.TrimSpace(r.Meter.Name + " " + strings.Join(spell.DomainNames(r.Matrix.Domains), "+"))
	if only := r.TestOnly(); len(only) > 0 {
		text += ", by test " + strings.Join(spell.DomainNames(only), "+")
	}
	return text
}
