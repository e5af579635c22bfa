package probe

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// A part of the file has the own time of components by the go statement that started the
// goroutine, and by the goroutine's labels: a table of slots like that of calls.go. Below a
// test, a key has in the place of a row a go statement or, with isLabels, a set of labels;
// below a go statement the outermost component on the stack, 0 if it is not known; below that,
// and below labels, the component with the time.
const (
	groupSlots = 1 << 15
	groupsSize = groupSlots * callWords * wordSize

	isLabels    = 1 << 30
	otherLabels = isLabels - 1
)

// Behind it stand the sets of labels: a hash, the size of the text, 0 if that is not whole, and
// the text. It has for each label the length of the key, a byte, the key, and the same of the value.
const (
	labelSets  = 1 << 10
	labelText  = 496
	labelSet   = 2*wordSize + labelText
	labelsSize = labelSets * labelSet
)

// A Grouped is the CPU time of a component's own code in goroutines of one kind: those of a go
// statement, or those with the same labels. Both kinds cover the same time.
type Grouped struct {
	Row    int
	Labels *Labels // nil: by go statement
	// Statement is where the call of the go statement returns, from the start of the program's
	// code; 0 if that is not known.
	Statement uint32
	Outermost int    // row of the outermost component on the goroutine's stack; 0 if that is not known
	NS        uint64 // CPU time
}

// Labels are the labels of a goroutine (runtime/pprof), sorted by key.
type Labels struct {
	List  []Label
	Other bool // they were too many, or too long, to be kept
}

// A Label is one of them.
type Label struct{ Key, Value string }

// A groupTable is these parts of the file, read.
type groupTable struct {
	words      []uint64
	sets       []byte
	components int
}

func (t *table) grouped() (*groupTable, error) {
	words, err := t.words(t.groups(), groupSlots*callWords)
	if err != nil {
		return nil, err
	}
	sets := make([]byte, labelsSize)
	_, err = t.file.ReadAt(sets, int64(t.labels()))
	return &groupTable{words, sets, t.rows - specials}, err
}

// since is the table with the time that was booked after another moment.
func (g *groupTable) since(from *groupTable) *groupTable {
	return &groupTable{slotsSince(from.words, g.words), g.sets, g.components}
}

// of lists what was booked in each test, whose names are given in the order in which they first
// began. What a program has destroyed is left out.
func (g *groupTable) of(tests []string) (map[string][]Grouped, error) {
	walk := groupWalk{groupTable: g, below: make(slotsBelow)}
	var sum uint64
	for slot := range uint32(groupSlots) {
		key, ns := g.words[slot*callWords], g.words[slot*callWords+1]
		if key == 0 {
			continue
		}
		if ns > mostCounted-sum {
			return nil, fmt.Errorf("goroutines were sampled for %d ns, others for %d", ns, sum)
		}
		sum += ns
		walk.below[uint32(key>>32)] = append(walk.below[uint32(key>>32)], slot)
	}
	var all map[string][]Grouped
	for i, test := range tests {
		all = withTest(all, test, walk.test(isRoot|uint32(i+1)))
	}
	return all, nil
}

type groupWalk struct {
	*groupTable
	below slotsBelow
}

// test lists what is below a test, by row.
func (w *groupWalk) test(root uint32) []Grouped {
	var list []Grouped
	for _, slot := range w.below[root] {
		group := w.row(slot)
		if group&isLabels != 0 {
			list = w.rows(list, slot, Grouped{Labels: w.labels(group &^ isLabels)})
			continue
		}
		for _, below := range w.below[slot+1] {
			if outermost := int(w.row(below)); outermost <= w.components {
				list = w.rows(list, below, Grouped{Statement: group, Outermost: outermost})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Grouped) int { return cmp.Compare(a.Row, b.Row) })
	return list
}

// rows appends the components below a slot.
func (w *groupWalk) rows(list []Grouped, slot uint32, g Grouped) []Grouped {
	for _, below := range w.below[slot+1] {
		g.Row, g.NS = int(w.row(below)), w.words[below*callWords+1]
		if g.Row > 0 && g.Row <= w.components && g.NS > 0 {
			list = append(list, g)
		}
	}
	return list
}

func (w *groupWalk) row(slot uint32) uint32 { return uint32(w.words[slot*callWords]) }

// labels are the set of a number: none for 0.
func (w *groupWalk) labels(number uint32) *Labels {
	if number == 0 {
		return new(Labels)
	}
	if number <= labelSets {
		set := w.sets[(number-1)*labelSet:][:labelSet]
		if list, ok := labelsIn(set[2*wordSize:], binary.NativeEndian.Uint64(set[wordSize:])); ok {
			return &Labels{List: list}
		}
	}
	return &Labels{Other: true}
}

// labelsIn reads a text of so many bytes.
func labelsIn(text []byte, size uint64) (list []Label, ok bool) {
	if size == 0 || size > labelText {
		return nil, false
	}
	text = text[:size]
	for len(text) > 0 {
		var l Label
		for _, part := range []*string{&l.Key, &l.Value} {
			if len(text) == 0 || len(text) <= int(text[0]) {
				return nil, false
			}
			end := 1 + int(text[0])
			*part, text = string(text[1:end]), text[end:]
		}
		list = append(list, l)
	}
	return list, true
}
