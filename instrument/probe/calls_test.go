package probe

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A slot of the table, as a program leaves it behind.
type slot struct {
	at     int
	caller uint32 // 1 + a slot, or isRoot | a test's number
	row    uint32
	ns     uint64
}

// withCalls makes a file of a program with two components and two tests.
func withCalls(t testing.TB, slots ...slot) *File {
	t.Helper()
	f := written(t, left{log: "stop 1 0\ntest 2 0 \"TestA\"\nstop 3 0\ntest 4 0 \"TestB\"\nstop 5 0\ntest 6 0 \"TestA\"\nstop 7 0\n"})
	for _, s := range slots {
		node := binary.NativeEndian.AppendUint64(nil, uint64(s.caller)<<32|uint64(s.row))
		node = binary.NativeEndian.AppendUint64(node, s.ns)
		if _, err := f.file.WriteAt(node, int64(layout{2 + specials}.stacks()+s.at*callWords*wordSize)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Slots are where their hashes put them. What is read stands in the order of
// callers and rows, so that it is the same for the same stacks.
func TestCallsAreReadByTest(t *testing.T) {
	f := withCalls(t,
		slot{at: 9, caller: isRoot | 1, row: 2, ns: 5},
		slot{at: 3, caller: 9 + 1, row: 1, ns: 7},
		slot{at: callSlots - 1, caller: 3 + 1, row: 2, ns: 11},
		slot{at: 2, caller: isRoot | 1, row: 1},
		slot{at: 4, caller: 2 + 1, row: 2, ns: 13},
		slot{at: 0, caller: isRoot | 2, row: 1 | isCut, ns: 17},
	)
	log, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]Call{
		"TestA": {
			{Caller: -1, Row: 1}, {Caller: 0, Row: 2, NS: 13},
			{Caller: -1, Row: 2, NS: 5}, {Caller: 2, Row: 1, NS: 7}, {Caller: 3, Row: 2, NS: 11},
		},
		"TestB": {{Caller: -1, Row: 1, Cut: true, NS: 17}},
	}
	if diff := cmp.Diff(want, log.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A program may write where it should not: what it destroys makes no rows that do
// not exist, no callers behind what they called, and no reading without end.
func TestCallsOfADestroyedTable(t *testing.T) {
	slots := []slot{
		{at: 1, caller: 1 + 1, row: 1, ns: 1},                             // calls itself
		{at: 2, caller: 3 + 1, row: 1, ns: 1}, {at: 3, caller: 3, row: 2}, // each other
		{at: 4, caller: isRoot | 3, row: 1, ns: 1},  // in a test that is none
		{at: 5, caller: isRoot | 1, row: 3, ns: 1},  // of a row that no component has
		{at: 6, caller: isRoot | 1, row: 0, ns: 1},  // of the row of test code
		{at: 7, caller: callSlots + 9, row: 1},      // of a slot that is none
		{at: 8, caller: isRoot | 2, row: 1, ns: 19}, // whole
	}
	random := rand.New(rand.NewPCG(1, 2))
	for at := 100; at < 20_000; at++ {
		slots = append(slots, slot{at, random.Uint32N(20_100), random.Uint32N(4), 1})
	}
	log, err := withCalls(t, slots...).Read()
	if err != nil {
		t.Fatal(err)
	}
	for test, calls := range log.Calls {
		for i, c := range calls {
			if c.Row < 1 || c.Row > 2 || c.Caller >= i || c.Caller < -1 {
				t.Fatalf("%s has %+v at %d", test, c, i)
			}
		}
	}
	if calls := log.Calls["TestB"]; len(calls) == 0 || calls[0].NS != 19 {
		t.Errorf("what was whole is read as %v", calls)
	}
}
