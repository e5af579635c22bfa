package probe

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withGroups makes a file of a program with two components and two tests. sets are the texts of
// sets of labels, by slot.
func withGroups(t testing.TB, sets map[int]string, slots ...slot) *File {
	t.Helper()
	f := withCalls(t)
	write := func(at int, words ...uint64) {
		for i, w := range words {
			if _, err := f.file.WriteAt(binary.NativeEndian.AppendUint64(nil, w), int64(at+i*wordSize)); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := layout{2 + specials}
	for _, s := range slots {
		write(l.groups()+s.at*callWords*wordSize, uint64(s.caller)<<32|uint64(s.row), s.ns)
	}
	for i, text := range sets {
		write(l.labels()+i*labelSet, 1, uint64(len(text)))
		if _, err := f.file.WriteAt([]byte(text), int64(l.labels()+i*labelSet+2*wordSize)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// The time of a component is known by go statement, with the outermost component on the stack, and
// by labels, with none, with some, and with such as had no room.
func TestReadsGroups(t *testing.T) {
	f := withGroups(t, map[int]string{7: "\x08endpoint\x04/buy\x01k\x00"},
		slot{at: 1, caller: isRoot | 1, row: 77},
		slot{at: 2, caller: 1 + 1, row: 2},
		slot{at: 3, caller: 2 + 1, row: 1, ns: 10},
		slot{at: 4, caller: 2 + 1, row: 2, ns: 20},
		slot{at: 5, caller: 1 + 1, row: 0},
		slot{at: 6, caller: 5 + 1, row: 2, ns: 5},
		slot{at: 7, caller: isRoot | 1, row: isLabels | 7 + 1},
		slot{at: 8, caller: 7 + 1, row: 1, ns: 10},
		slot{at: 9, caller: isRoot | 1, row: isLabels},
		slot{at: 10, caller: 9 + 1, row: 2, ns: 24},
		slot{at: 11, caller: isRoot | 1, row: isLabels | otherLabels},
		slot{at: 12, caller: 11 + 1, row: 2, ns: 1},
		slot{at: 13, caller: isRoot | 2, row: 0},
		slot{at: 14, caller: 13 + 1, row: 1},
		slot{at: 15, caller: 14 + 1, row: 1, ns: 3},
	)
	log, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	buy := &Labels{List: []Label{{"endpoint", "/buy"}, {"k", ""}}}
	want := map[string][]Grouped{
		"TestA": {
			{Row: 1, Statement: 77, Outermost: 2, NS: 10}, {Row: 1, Labels: buy, NS: 10},
			{Row: 2, Statement: 77, Outermost: 2, NS: 20}, {Row: 2, Statement: 77, NS: 5},
			{Row: 2, Labels: &Labels{}, NS: 24}, {Row: 2, Labels: &Labels{Other: true}, NS: 1},
		},
		"TestB": {{Row: 1, Outermost: 1, NS: 3}},
	}
	if diff := cmp.Diff(want, log.Groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// Sets of labels that are not whole, or that a program has destroyed, are other labels.
func TestDestroyedLabels(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "no value": "\x01k", "key is cut off": "\x05key", "value is cut off": "\x01k\xffv", "end of the slot": string(make([]byte, labelText-1)) + "\xff"} {
		f := withGroups(t, map[int]string{0: text}, slot{at: 1, caller: isRoot | 1, row: isLabels | 1}, slot{at: 2, caller: 1 + 1, row: 1, ns: 9})
		log, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Grouped{{Row: 1, Labels: &Labels{Other: true}, NS: 9}}, log.Groups["TestA"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if list, ok := labelsIn(make([]byte, labelText), labelText+1); ok {
		t.Errorf("a text that is too long is read as %v", list)
	}
}

// What a program may have written makes no components that do not exist, and no reading without end.
func TestGroupsOfADestroyedTable(t *testing.T) {
	slots := []slot{
		{at: 1, caller: 1 + 1, row: 1, ns: 1},                                                                      // below itself
		{at: 2, caller: isRoot | 1, row: 5}, {at: 3, caller: 2 + 1, row: 3}, {at: 4, caller: 3 + 1, row: 1, ns: 1}, // an outermost component that is none
		{at: 5, caller: isRoot | 1, row: isLabels}, {at: 6, caller: 5 + 1, row: 3, ns: 1}, {at: 7, caller: 5 + 1, row: 0, ns: 1}, // no components
		{at: 8, caller: isRoot | 3, row: isLabels}, // of a test that is none
	}
	random := rand.New(rand.NewPCG(1, 2))
	for at := 100; at < 20_000; at++ {
		caller := 100 + random.Uint32N(20_000)
		if at%100 == 0 {
			caller = isRoot | 2
		}
		slots = append(slots, slot{at, caller, random.Uint32N(4) | random.Uint32()&isLabels, 1})
	}
	log, err := withGroups(t, nil, slots...).Read()
	if err != nil {
		t.Fatal(err)
	}
	if list := log.Groups["TestA"]; list != nil {
		t.Errorf("TestA has %v", list)
	}
	for _, g := range log.Groups["TestB"] {
		if g.Row < 1 || g.Row > 2 || g.Outermost < 0 || g.Outermost > 2 {
			t.Fatalf("there is %+v", g)
		}
	}
	for _, ns := range []uint64{mostCounted + 1, 1<<64 - 1} {
		if _, err := withGroups(t, nil, slot{at: 1, caller: isRoot | 1, row: 1, ns: 1}, slot{at: 2, caller: isRoot | 1, row: 2, ns: ns}).Read(); err == nil {
			t.Errorf("%d ns were read", ns)
		}
	}
}
