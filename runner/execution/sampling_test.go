package execution

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/pclntab"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/stacks/frames"
)

// The components of the made-up program: rows 1 to 3.
var made = Sampling{
	Components: 3,
	Index:      probe.NewIndex(probe.NamedRows{Components: []string{"m.A", "m.B", "m.C"}, Packages: []string{"m"}}),
}

// A seen stack is one of a sample, the innermost function first; a function may have a line, as in
// "m.A:7", and be assembly, as in "bytes.Index.s".
type seenStack struct {
	functions string
	at, ns    int64
	cut       bool
}

// sampled makes a sampling of stacks that were seen, with spans that begin at instants.
func sampled(list []seenStack, cuts ...int64) *sampling {
	s := newSampling(made)
	for _, one := range list {
		for len(cuts) > 0 && cuts[0] < one.at {
			s.cut(cuts[0])
			cuts = cuts[1:]
		}
		var stack []frames.Frame
		for _, text := range strings.Fields(one.functions) {
			f := pclntab.Frame{Function: text}
			if name, line, found := strings.Cut(text, ":"); found {
				f.Function = name
				fmt.Sscan(line, &f.Line)
			}
			f.Function, f.Assembly = strings.CutSuffix(f.Function, ".s")
			stack = append(stack, frames.Frame{Frame: f})
		}
		s.add(s.place(s.placeOf(stack, "", one.cut)), one.at, one.ns)
	}
	for _, at := range cuts {
		s.cut(at)
	}
	return s
}

// window is a log of one window.
func window(from, to int64) *probe.Log {
	return &probe.Log{Windows: []probe.Window{{Test: "T", Start: from, End: to}}}
}

// times are the own times, and those with callees, of rows: "self/cum".
func times(counts map[int]probe.Count) map[int]string {
	text := make(map[int]string)
	for row, c := range counts {
		text[row] = fmt.Sprintf("%d/%d in %d", c.SelfNS, c.CumNS, c.Samples)
	}
	return text
}

// The CPU time of samples is booked to the innermost function of the module, and to those that
// called it.
func TestTimeOfStacks(t *testing.T) {
	const collector, testCode = 4, 0
	for name, test := range map[string]struct {
		stacks []seenStack
		want   map[int]string
	}{
		"a function": {
			[]seenStack{{functions: "m.A", ns: 5}, {functions: "m.A", ns: 6}},
			map[int]string{1: "11/11 in 2"},
		},
		"callers have the time with callees": {
			[]seenStack{{functions: "m.B m.A", ns: 5}, {functions: "m.A", ns: 2}},
			map[int]string{1: "2/7 in 1", 2: "5/5 in 1"},
		},
		"the standard library's time is that of the function that called it": {
			[]seenStack{{functions: "runtime.memmove strings.Repeat m.B m.A", ns: 5}},
			map[int]string{1: "0/5 in 0", 2: "5/5 in 1"},
		},
		"recursion counts once": {
			[]seenStack{{functions: "m.A m.B m.A m.A m.B", ns: 5}},
			map[int]string{1: "5/5 in 1", 2: "0/5 in 0"},
		},
		"a literal is part of its function": {
			[]seenStack{{functions: "m.A.func1 sort.Slice m.A", ns: 5}},
			map[int]string{1: "5/5 in 1"},
		},
		"a helper of a test that a function calls back is test code": {
			[]seenStack{{functions: "m.TestX.func1 m.A m.TestX testing.tRunner", ns: 5}},
			map[int]string{testCode: "5/0 in 1", 1: "0/5 in 0"},
		},
		"the collector's goroutines": {
			[]seenStack{{functions: "runtime.scanobject runtime.gcDrain runtime.gcBgMarkWorker", ns: 5}, {functions: "runtime.sweepone runtime.bgsweep", ns: 1}},
			map[int]string{collector: "6/0 in 2"},
		},
		"an assist of the collector": {
			[]seenStack{{functions: "runtime.gcDrainN runtime.gcAssistAlloc runtime.mallocgc m.A", ns: 5}},
			map[int]string{collector: "5/0 in 1", 1: "0/5 in 0"},
		},
		"the scheduler's time is no row's": {
			[]seenStack{{functions: "runtime.findRunnable runtime.schedule runtime.mcall", ns: 5}},
			map[int]string{},
		},
		"a goroutine that a library started": {
			[]seenStack{{functions: "net/http.(*Transport).dialConn", ns: 5}},
			map[int]string{testCode: "5/0 in 1"},
		},
		"functions with type arguments": {
			[]seenStack{{functions: "slices.insertionSortOrdered[go.shape.int] m.B[go.shape.int] m.A", ns: 5}},
			map[int]string{1: "0/5 in 0", 2: "5/5 in 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range test.stacks {
				test.stacks[i].at = 10
			}
			log := window(1, 20)
			sampled(test.stacks, 1, 20).count(log)
			if scheduled := name == "the scheduler's time is no row's"; scheduled != (log.Windows[0].SchedulerNS == 5) {
				t.Errorf("the scheduler has %d ns", log.Windows[0].SchedulerNS)
			}
			if diff := cmp.Diff(test.want, times(log.Windows[0].Counts)); diff != "" {
				t.Errorf("- is wanted:\n%s", diff)
			}
		})
	}
}

// A sample belongs to the window in which it was taken: after its start, and up to its end. What is
// seen between windows belongs to none.
func TestWindowsOfSamples(t *testing.T) {
	s := sampled([]seenStack{
		{"m.A", 1, 1, false}, {"m.A", 10, 10, false}, {"m.A", 11, 100, false}, {"m.B", 20, 1000, false},
		{"m.A", 21, 1, false}, {"m.A", 31, 10_000, false}, {"m.C", 45, 100_000, false},
	}, 10, 20, 30, 40)
	log := &probe.Log{Windows: []probe.Window{{Test: "T", Start: 10, End: 20}, {Test: "U", Start: 30, End: 40}, {Test: "T", Start: 40, End: 50}}}
	parts := s.count(log)
	var got []map[int]string
	for _, w := range log.Windows {
		got = append(got, times(w.Counts))
	}
	want := []map[int]string{{1: "100/100 in 1", 2: "1000/1000 in 1"}, {1: "10000/10000 in 1"}, {3: "100000/100000 in 1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- is wanted:\n%s", diff)
	}
	if want := []Part{{Row: 1, NS: 100}, {Row: 2, NS: 1000}, {Row: 3, NS: 100_000}}; !slices.Equal(parts["T"], want) {
		t.Errorf("parts of T are %v, want %v", parts["T"], want)
	}
	if own := s.own(30); own[0] != 10_000 || own[2] != 100_000 || len(own) != 2 {
		t.Errorf("since 30 functions ran %v", own)
	}
}

// A sample that is read after its window has ended still belongs to it: windows end when the
// program says so, samples are read later.
func TestLateSamples(t *testing.T) {
	s := sampled(nil, 10, 20, 30)
	s.add(s.place(s.placeOf([]frames.Frame{{Frame: pclntab.Frame{Function: "m.A"}}}, "", false)), 15, 7)
	log := window(10, 20)
	s.count(log)
	if got := log.Windows[0].Counts[1].SelfNS; got != 7 {
		t.Errorf("the window has %d ns, want 7", got)
	}
}

// Lines and callees without a row divide a function's own time; the tree of calls has who called
// whom.
func TestPartsAndCallsOfStacks(t *testing.T) {
	log := window(1, 20)
	parts := sampled([]seenStack{
		{"m.B:7 m.A:3", 5, 1, false}, {"bytes.Index.s strings.Count m.B:8 m.A:3", 5, 10, false},
		{"slices.Sort[go.shape.int] m.B:8 m.C:1 m.C:2", 5, 100, false}, {"m.B:9", 5, 1000, true},
	}, 1, 20).count(log)
	want := []Part{
		{Row: 2, Line: 7, NS: 1}, {Row: 2, Line: 8, Function: "slices.Sort", NS: 100}, {Row: 2, Line: 8, Function: "strings.Count", NS: 10}, {Row: 2, Line: 9, NS: 1000},
	}
	if diff := cmp.Diff(want, parts["T"]); diff != "" {
		t.Errorf("parts, - is wanted:\n%s", diff)
	}
	calls := log.Calls["T"]
	path := func(i int) (text string) {
		for ; i >= 0; i = calls[i].Caller {
			text = fmt.Sprintf("/%d%s", calls[i].Row, map[bool]string{true: "…"}[calls[i].Cut]) + text
		}
		return text
	}
	tree := make(map[string]uint64)
	for i, c := range calls {
		tree[path(i)] = c.NS
	}
	if diff := cmp.Diff(map[string]uint64{"/1": 0, "/1/2": 11, "/3": 0, "/3/2": 100, "/2…": 1000}, tree); diff != "" {
		t.Errorf("calls, - is wanted:\n%s", diff)
	}
}

// A long run takes no more memory than a short one: what was seen is added up, and the number of
// stacks and places is bounded. Beyond the bound it is forgotten who called a function, and said so;
// its time stays right.
func TestMemoryOfSamples(t *testing.T) {
	s := newSampling(made)
	for i := range 100_000 {
		s.add(s.place(place{row: 1, rows: []int{1}}), int64(i), 1)
	}
	if len(s.places) != 1 || len(s.spans) != 1 || len(s.spans[0].seen) != 1 {
		t.Errorf("100,000 equal samples: %d places, %d spans", len(s.places), len(s.spans))
	}
	for i := range mostPlaces + 1000 {
		s.add(s.place(place{row: 2, rows: []int{2, 100 + i}}), 1, 1)
	}
	if len(s.places) > mostPlaces+1 {
		t.Errorf("%d places, at most %d are wanted", len(s.places), mostPlaces+1)
	}
	log := window(0, 20)
	s.count(log)
	if got := log.Windows[0].Counts[2].SelfNS; got != mostPlaces+1000 {
		t.Errorf("%d ns of B, want %d", got, mostPlaces+1000)
	}
	if !slices.ContainsFunc(log.Calls["T"], func(c probe.Call) bool { return c.Row == 2 && c.Caller < 0 && c.Cut && c.NS >= 1000 }) {
		t.Error("no cut stack has the time whose callers were forgotten")
	}
}

// The same samples give the same log, in the same order.
func TestCountIsDeterministic(t *testing.T) {
	var list []seenStack
	for i := range 60 {
		list = append(list, seenStack{fmt.Sprintf("m.%c:%d m.%c:%d", 'A'+i%3, i, 'A'+i%2, i), int64(i), 1, false})
	}
	first := window(1, 100)
	parts := sampled(list, 1, 100).count(first)
	for range 20 {
		again := window(1, 100)
		if p := sampled(list, 1, 100).count(again); !slices.Equal(p["T"], parts["T"]) || !slices.Equal(again.Calls["T"], first.Calls["T"]) || !maps.Equal(again.Windows[0].Counts, first.Windows[0].Counts) {
			t.Fatal("the same samples gave another log")
		}
	}
}
