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

// A component's own time is known by line, and by what a line called that has no row, which is
// known by the offset of its name; on whichever stacks that was.
func TestPartsOfOwnTime(t *testing.T) {
	const name = 77
	f := withCalls(t,
		slot{at: 1, caller: isRoot | 1, row: 1, ns: 150},
		slot{at: 2, caller: 1 + 1, row: 2, ns: 90},
		slot{at: 3, caller: isRoot | 1, row: isOwn | 1},
		slot{at: 4, caller: 3 + 1, row: isLine | 12, ns: 10},
		slot{at: 5, caller: 4 + 1, row: isCallee | isAssembly | name, ns: 20},
		slot{at: 6, caller: 4 + 1, row: isCallee | name + 1, ns: 30},
		slot{at: 7, caller: 3 + 1, row: isLine | 9, ns: 90},
		slot{at: 8, caller: isRoot | 1, row: isOwn | 2, ns: 40}, // there was no room for its line
		slot{at: 9, caller: 8 + 1, row: isLine, ns: 50},
		slot{at: 10, caller: isRoot | 2, row: 1 | isCut, ns: 70},
		slot{at: 11, caller: isRoot | 2, row: isOwn | 1},
		slot{at: 12, caller: 11 + 1, row: isLine | mostOffset},
		slot{at: 13, caller: 12 + 1, row: isCallee | name, ns: 70},
	)
	log, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]Call{
		"TestA": {{Caller: -1, Row: 1, NS: 150}, {Caller: 0, Row: 2, NS: 90}},
		"TestB": {{Caller: -1, Row: 1, Cut: true, NS: 70}},
	}
	parts := map[string][]Part{
		"TestA": {
			{Row: 1, Line: 9, NS: 90}, {Row: 1, Line: 12, Name: name + 1, NS: 30}, {Row: 1, Line: 12, Name: name, Assembly: true, NS: 20}, {Row: 1, Line: 12, NS: 10},
			{Row: 2, NS: 50}, {Row: 2, NS: 40},
		},
		"TestB": {{Row: 1, Line: mostOffset, Name: name, NS: 70}},
	}
	if diff := cmp.Diff(calls, log.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(parts, log.Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

// Times that no program can have are refused, also where only their sum is too large: it
// must not begin again at 0.
func TestStacksOfImpossibleTimes(t *testing.T) {
	for name, slots := range map[string][]slot{
		"one":  {{at: 1, caller: isRoot | 1, row: 1, ns: mostCounted + 1}},
		"most": {{at: 1, caller: isRoot | 1, row: 1, ns: 1<<64 - 1}, {at: 2, caller: isRoot | 1, row: isOwn | 1, ns: 2}},
		"sum":  {{at: 1, caller: isRoot | 1, row: 1, ns: 1}, {at: 2, caller: 1 + 1, row: isLine | 1, ns: mostCounted}},
	} {
		if _, err := withCalls(t, slots...).Read(); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

// A program may write where it should not: what it destroys makes no rows that do
// not exist, no callers behind what they called, and no reading without end.
func TestCallsOfADestroyedTable(t *testing.T) {
	slots := []slot{
		{at: 1, caller: 1 + 1, row: 1, ns: 1},                             // calls itself
		{at: 2, caller: 3 + 1, row: 1, ns: 1}, {at: 3, caller: 3, row: 2}, // each other
		{at: 4, caller: isRoot | 3, row: 1, ns: 1},                  // in a test that is none
		{at: 5, caller: isRoot | 1, row: 3, ns: 1},                  // of a row that no component has
		{at: 6, caller: isRoot | 1, row: 0, ns: 1},                  // of the row of test code
		{at: 7, caller: callSlots + 9, row: 1},                      // of a slot that is none
		{at: 8, caller: isRoot | 2, row: 1, ns: 19},                 // whole
		{at: 9, caller: 5 + 1, row: isCallee | 1, ns: 1},            // of a row that no component has
		{at: 10, caller: isRoot | 1, row: isCallee | 1, ns: 1},      // of a test itself
		{at: 11, caller: 10 + 1, row: 2, ns: 1},                     // below a callee
		{at: 12, caller: 12 + 1, row: isCallee | 1<<28 | 9, ns: 1},  // calls itself
		{at: 13, caller: callSlots + 9, row: isCallee | 1, ns: 1},   // of a slot that is none
		{at: 14, caller: isRoot | 1, row: isOwn, ns: 1},             // the own time of the row of test code
		{at: 15, caller: isRoot | 1, row: isOwn | 3, ns: 1},         // and of a row that no component has
		{at: 19, caller: isRoot | 1, row: isCut | isOwn | 1, ns: 1}, // cut
		{at: 16, caller: 16 + 1, row: isOwn | 1, ns: 1},             // below itself
		{at: 17, caller: 17 + 1, row: isLine | 1, ns: 1},            // a line in itself
		{at: 18, caller: isRoot | 2, row: isOwn | 2, ns: 23},        // whole
	}
	random := rand.New(rand.NewPCG(1, 2))
	for at := 100; at < 20_000; at++ {
		slots = append(slots, slot{at, random.Uint32N(20_100), random.Uint32N(4), 1})
	}
	for at := 20_000; at < 30_000; at++ {
		slots = append(slots, slot{at, random.Uint32N(30_000), []uint32{isCallee, isLine, isOwn}[at%3] | random.Uint32(), 1})
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
	for test, parts := range log.Parts {
		for _, p := range parts {
			if p.Row < 1 || p.Row > 2 || p.Name > mostOffset || p.Line > mostOffset {
				t.Fatalf("%s has the part %+v", test, p)
			}
		}
	}
	if parts := log.Parts["TestB"]; len(parts) == 0 || parts[0] != (Part{Row: 2, NS: 23}) {
		t.Errorf("the whole part is read as %v", parts)
	}
	if calls := log.Calls["TestB"]; len(calls) == 0 || calls[0].NS != 19 {
		t.Errorf("what was whole is read as %v", calls)
	}
}
