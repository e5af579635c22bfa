package probe

import (
	"cmp"
	"fmt"
	"slices"
)

// A part of the file has what samples saw on the stacks of goroutines: a table of
// slots, open-addressed by hash, each a component where another called it. A slot
// has two words: a key, 0 if it is free, and CPU time, ns. The upper half of the
// key is the caller's slot, plus 1, or with isRoot the number of the test that was
// running, from 1 in the order in which they first began; the lower half is the
// row, with isCut if the stack went on beyond it, or a part of the own time of a component,
// see parts.go.
const (
	callSlots = 1 << 17
	callWords = 2
	callsSize = callSlots * callWords * wordSize

	isRoot = 1 << 31
	isCut  = 1 << 31
)

// A Call is a component where another called it, as samples of the stack saw it: a
// node of a forest. Samples are of the whole time in which a test ran, however
// often. What a component calls itself without another in between is one call.
type Call struct {
	Caller int    // index of the one that called it, less than its own; -1 if that was no component
	Row    int    // never 0
	Cut    bool   // what called it is not known, as the stack was too deep, or not whole
	NS     uint64 // CPU time in its own code, and in that of callees without a row
}

// calls reads the forests of the tests, whose names are given in the order in
// which they first began, and the parts of the own time of the components. What a program has
// destroyed is left out.
func (t *table) calls(words []uint64, tests []string) (map[string][]Call, map[string][]Part, error) {
	if len(tests) == 0 {
		return nil, nil, nil
	}
	f := callForest{words: words, below: make(slotsBelow), own: make(slotsBelow), lines: make(slotsBelow), callees: make(slotsBelow)}
	var sum uint64
	for slot := range uint32(callSlots) {
		below := f.levelOf(slot, t.rows-specials)
		if below == nil {
			continue
		}
		key := f.key(slot)
		if ns := f.ns(slot); ns > mostCounted-sum {
			return nil, nil, fmt.Errorf("a stack was sampled for %d ns, others for %d", ns, sum)
		}
		sum += f.ns(slot)
		below[uint32(key>>32)] = append(below[uint32(key>>32)], slot)
	}
	var forests map[string][]Call
	var parts map[string][]Part
	for i, test := range tests {
		forests = withTest(forests, test, f.list(nil, isRoot|uint32(i+1), -1))
		parts = withTest(parts, test, f.parts(isRoot|uint32(i+1)))
	}
	return forests, parts, nil
}

// levelOf is where a slot belongs; nil if it is free or has been destroyed.
func (f *callForest) levelOf(slot uint32, components int) slotsBelow {
	key := f.key(slot)
	line, callee, own := kindOf(key)
	row := int(uint32(key) &^ isCut)
	if own {
		row = int(uint32(key) &^ isOwn) // one that is cut is none
	}
	switch {
	case key == 0:
		return nil
	case line:
		return f.lines
	case callee:
		return f.callees
	case row == 0 || row > components:
		return nil
	case own:
		return f.own
	}
	return f.below
}

// withTest adds the list of a test, unless it is nil, to a map, which may be.
func withTest[T any](all map[string][]T, test string, list []T) map[string][]T {
	if list == nil {
		return all
	}
	if all == nil {
		all = make(map[string][]T)
	}
	all[test] = list
	return all
}

// slotsBelow are slots by the caller in their key.
type slotsBelow map[uint32][]uint32

// A callForest is the table, read.
type callForest struct {
	words               []uint64
	below               slotsBelow // of rows that another row, or a test, called
	own, lines, callees slotsBelow // see parts.go
}

func (f *callForest) key(slot uint32) uint64 { return f.words[slot*callWords] }

func (f *callForest) ns(slot uint32) uint64 { return f.words[slot*callWords+1] }

func (f *callForest) row(slot uint32) int { return int(uint32(f.key(slot)) &^ isCut) }

// list appends all that a caller called, in the order of rows, and what that
// called. As a slot has one caller, none is met twice.
func (f *callForest) list(calls []Call, caller uint32, index int) []Call {
	slots := f.below[caller]
	slices.SortFunc(slots, func(a, b uint32) int { return cmp.Compare(uint32(f.key(a)), uint32(f.key(b))) })
	for _, slot := range slots {
		at := len(calls)
		calls = append(calls, Call{Caller: index, Row: f.row(slot), Cut: uint32(f.key(slot))&isCut != 0, NS: f.ns(slot)})
		calls = f.list(calls, slot+1, at)
	}
	return calls
}

// testsOf lists the tests in the order in which they first began.
func testsOf(windows []Window) []string {
	var tests []string
	seen := make(map[string]bool)
	for _, w := range windows {
		if !seen[w.Test] {
			seen[w.Test] = true
			tests = append(tests, w.Test)
		}
	}
	return tests
}
