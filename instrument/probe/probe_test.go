package probe

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// left is what a program leaves in its file.
type left struct {
	log     string
	calls   map[int][]uint64   // by shard and row
	times   map[int][][]uint64 // by shard, row and counter
	samples [][]uint64
	origins [][]uint64
	moved   [][]uint64 // by row
	hot     []byte
	scale   float64   // ns a tick
	costs   [3]uint64 // inner, outer, change, ticks
	frame   float64   // ns
	stops   []uint64  // by shard
}

// written makes a file as a program with two components leaves it behind.
func written(t testing.TB, l left) *File {
	t.Helper()
	names, err := NewNames(NewIndex(NamedRows{Components: []string{"p.F", "p.G"}, Packages: []string{"p"}}))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Create(Setup{Components: 2, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close(); names.Close() })
	write := func(at int, words ...uint64) {
		for i, w := range words {
			if _, err := f.file.WriteAt(binary.NativeEndian.AppendUint64(nil, w), int64(at+i*wordSize)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if l.scale == 0 {
		l.scale = 1
	}
	at := layout{rows: 2 + specials}
	write(headScale*wordSize, math.Float64bits(l.scale))
	write(headLogged*wordSize, uint64(len(l.log)))
	write(headInner*wordSize, append(l.costs[:], math.Float64bits(l.frame))...)
	write(headUsed*wordSize, 6)
	for shard, rows := range l.calls {
		write(at.shard(shard), rows...)
	}
	for shard, rows := range l.times {
		for row, words := range rows {
			write(at.shard(shard)+pages(at.rows*wordSize)+row*rowSize, words...)
		}
	}
	for shard, n := range l.stops {
		write(at.shard(shard)+at.inShard()+ringStops*wordSize, n)
	}
	for row, words := range l.samples {
		write(at.samples()+row*sampleRow, words...)
	}
	for row, words := range l.moved {
		write(at.moved()+row*movedRow, words...)
	}
	for slot, words := range l.origins {
		write(at.origins()+slot*strayWords*wordSize, words...)
	}
	for _, part := range []struct {
		data []byte
		at   int
	}{{[]byte(l.log), pageSize}, {l.hot, at.modes() + 1}} {
		if _, err := f.file.WriteAt(part.data, int64(part.at)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// grew is a line of the log: a row and the counters that grew, the others 0.
func grew(row int, values ...uint64) string {
	line := fmt.Sprint(row)
	for i := range len(counters{}) {
		v := uint64(0)
		if i < len(values) {
			v = values[i]
		}
		line += fmt.Sprint(" ", v)
	}
	return line + "\n"
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name string
		left
		want Log
	}{
		{name: "a program that never came to its tests", want: Log{Hot: make([]Hot, 2)}},
		{
			name: "what ran before the first test belongs to none",
			left: left{costs: [3]uint64{20, 30, 40}, log: "main\nstop 5 0\n" + grew(1, 7, 70, 70, 70) + "test 6 0 \"TestA\"\nstop 9 0\n" + grew(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + "end pass \"TestA\"\n"},
			want: Log{Reached: InMain, InnerNS: 20, OuterNS: 30, SwitchNS: 40, Hot: make([]Hot, 2),
				Windows: []Window{{Test: "TestA", Start: 6, End: 9, Counts: map[int]Count{1: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, Moved{}}}}},
				Ends:    []End{{"TestA", "pass"}}},
		},
		{
			name: "ticks of the counters' clock become ns, samples and calls do not",
			left: left{scale: 0.5, costs: [3]uint64{21, 30, 40}, frame: 1.25, log: "main\nstop 5 0\ntest 6 0 \"TestA\"\nstop 9 0\n" + grew(1, 1, 20, 30, 40, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)},
			want: Log{Reached: InMain, InnerNS: 10.5, OuterNS: 15, FrameNS: 1.25, SwitchNS: 20, Hot: make([]Hot, 2),
				Windows: []Window{{Test: "TestA", Start: 6, End: 9, Counts: map[int]Count{1: {1, 10, 15, 20, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, Moved{}}}}}},
		},
		{
			name: "goroutines stop on all processors, strays too",
			left: left{stops: []uint64{1, 2, 3, 4}},
			want: Log{Stops: 10, Hot: make([]Hot, 2)},
		},
		{
			name: "counters that are left out at the end did not grow",
			left: left{scale: 0.5, log: "stop 5 0\ntest 6 0 \"TestA\"\nstop 9 0\n1 3 8\n"},
			want: Log{Hot: make([]Hot, 2), Windows: []Window{{Test: "TestA", Start: 6, End: 9, Counts: map[int]Count{1: {N: 3, SelfNS: 4}}}}},
		},
		{
			name: "a window knows what CPU time the program used in it",
			left: left{log: "stop 5 100\ntest 6 120 \"TestA\"\nstop 9 150\n"},
			want: Log{Hot: make([]Hot, 2), Windows: []Window{{Test: "TestA", Start: 6, End: 9, CPUNS: 30, Counts: map[int]Count{}}}},
		},
		{
			name: "what is known of children holds until something else is",
			left: left{log: "waited 0 true\nstop 5 0\ntest 6 0 \"TestA\"\nwaited 700 false\nstop 9 0\ntest 9 0 \"TestB\"\nstop 12 0\n"},
			want: Log{Hot: make([]Hot, 2), Waits: []Wait{{5, 0, true}, {9, 700, false}, {12, 700, false}}, Windows: []Window{
				{Test: "TestA", Start: 6, End: 9, Counts: map[int]Count{}}, {Test: "TestB", Start: 9, End: 12, Counts: map[int]Count{}},
			}},
		},
		{
			name: "operations of the runs of a benchmark add up",
			left: left{log: "operations 1 \"BenchmarkA\"\noperations 100 \"BenchmarkA\"\noperations 0 \"BenchmarkB\"\n"},
			want: Log{Hot: make([]Hot, 2), Operations: map[string]float64{"BenchmarkA": 101, "BenchmarkB": 0}},
		},
		{
			name: "what a run of a benchmark had timed counts nothing where it resets its timer, and all else does",
			left: left{log: "stop 1 0\ntest 2 0 \"BenchmarkA\"\nstop 3 0\noperations 1 \"BenchmarkA\"\n" +
				"test 4 0 \"BenchmarkA\"\nstop 5 0\n" + grew(2, 1, 1, 1, 1) + "test 5 0 \"BenchmarkA/b\"\nstop 6 0\ntest 6 0 \"BenchmarkA\"\nstop 7 0\nreset \"BenchmarkA\"\ntest 8 0 \"BenchmarkA\"\nstop 9 0\n"},
			want: Log{Hot: make([]Hot, 2), Operations: map[string]float64{"BenchmarkA": 1}, Interrupted: map[string]bool{"BenchmarkA": true}, Windows: []Window{
				{Test: "BenchmarkA", Start: 2, End: 3, Counts: map[int]Count{}},
				{Test: "BenchmarkA", Start: 4, End: 4, Counts: map[int]Count{}},
				{Test: "BenchmarkA/b", Start: 5, End: 6, Counts: map[int]Count{}},
				{Test: "BenchmarkA", Start: 6, End: 6, Counts: map[int]Count{}},
				{Test: "BenchmarkA", Start: 8, End: 9, Counts: map[int]Count{}},
			}},
		},
		{
			name: "a test that waits for its turn has two windows",
			left: left{log: "stop 1 0\ntest 2 0 \"TestA\"\nstop 3 0\ntest 4 0 \"TestB\"\nstop 5 0\n" + grew(2, 1, 1, 1, 1) + "test 6 0 \"TestA\"\nstop 7 0\n"},
			want: Log{Hot: make([]Hot, 2), Windows: []Window{
				{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{}},
				{Test: "TestB", Start: 4, End: 5, Counts: map[int]Count{2: {N: 1, SelfNS: 1, CumNS: 1, WallNS: 1}}},
				{Test: "TestA", Start: 6, End: 7, Counts: map[int]Count{}},
			}},
		},
		{
			name: "what a row ran between two tests is not that of the test that is open at the end",
			left: left{log: "stop 1 0\ndropped 2 7\ntest 2 0 \"TestA\"\n", times: map[int][][]uint64{0: {{}, {}, {10}}}},
			want: Log{Open: true, Hot: make([]Hot, 2), Windows: []Window{{Test: "TestA", Start: 2, End: 2, Counts: map[int]Count{2: {SelfNS: 3}}}}},
		},
		{
			name: "after a kill the open test has what the processors counted beyond the log",
			left: left{
				log:     "stop 1 0\n" + grew(1, 3, 30, 30, 30) + "test 2 0 \"TestA\"\nstop 3 0\n" + grew(1, 1, 10, 10, 10, 0, 0, 1) + "test 4 0 \"TestB\"\n",
				calls:   map[int][]uint64{2: {0, 4}, 4: {0, 5}},
				times:   map[int][][]uint64{0: {{5}}, 2: {{}, {90, 91, 92, 1, 2, 4}}, 4: {{}, {1, 1, 1}}},
				samples: [][]uint64{{}, {}, {1, 2, 3, 4, 5}},
			},
			want: Log{Open: true, Hot: make([]Hot, 2), Windows: []Window{
				{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{1: {N: 1, SelfNS: 10, CumNS: 10, WallNS: 10, Literals: 1}}},
				{Test: "TestB", Start: 4, End: 4, Counts: map[int]Count{
					0: {SelfNS: 5},
					1: {N: 5, SelfNS: 51, CumNS: 52, WallNS: 53, Calls: 1, Timed: 2, Literals: 3},
					2: {KeptNS: 1, LostNS: 2, GainedNS: 3, BelowNS: 4, Samples: 5},
				}},
			}},
		},
		{
			name: "goroutines that outlive their test run in a later one, and are no component",
			left: left{scale: 2, log: "stop 1 0\ntest 2 0 \"TestA\"\nstop 3 0\ntest 4 0 \"TestB\"\nstop 9 0\n" +
				"go 1 7 \"TestA\" \"p.Start\" \"/m/a b.go\" \"p.Run\"\nstrays 1 2 300\nstrays 0 1 5\n" + grew(5, 0, 305) +
				"test 10 0 \"TestC\"\nstop 11 0\nstrays 1 0 4\n" + grew(5, 0, 4)},
			want: Log{Hot: make([]Hot, 2), Windows: []Window{
				{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{}},
				{Test: "TestB", Start: 4, End: 9, Counts: map[int]Count{5: {SelfNS: 610}}, StraysNS: map[int]float64{0: 10, 1: 600}},
				{Test: "TestC", Start: 10, End: 11, Counts: map[int]Count{5: {SelfNS: 8}}, StraysNS: map[int]float64{1: 8}},
			}, Strays: []Stray{{Goroutines: 1}, {"TestA", "p.Start", "/m/a b.go", 7, "p.Run", 2}}},
		},
		{
			name: "after a kill they are told apart, too",
			left: left{
				log: "stop 1 0\ntest 2 0 \"TestA\"\nstop 3 0\ngo 1 7 \"TestA\" \"p.Start\" \"a.go\" \"p.Run\"\nstrays 1 1 10\n" +
					"test 4 0 \"TestB\"\n",
				calls:   map[int][]uint64{2: {0, 4}, 3: {0, 99}},
				times:   map[int][][]uint64{1: {{1}}, 2: {{5}}, 3: {{7}, {20, 21, 22}, {}, {}, {}, {}, {3}}},
				origins: [][]uint64{{}, {1, 1, 1, 0, 0, 3, 40}, {1, 0, 0, 0, 0, 1, 6}},
			},
			want: Log{Open: true, Hot: make([]Hot, 2), Windows: []Window{
				{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{}, StraysNS: map[int]float64{1: 10}},
				{Test: "TestB", Start: 4, End: 4, Counts: map[int]Count{0: {SelfNS: 5}, 1: {N: 4}, 5: {SelfNS: 31}}, StraysNS: map[int]float64{1: 30, 2: 6}},
			}, Strays: []Stray{{}, {"TestA", "p.Start", "a.go", 7, "p.Run", 3}, {Goroutines: 1}}},
		},
		{
			name: "bytes that rows moved, in two windows and after a kill",
			left: left{
				log: "stop 1 0\ntest 2 0 \"TestA\"\nstop 3 0\nmoved 1 1 2 3 4 5 6 7 8 9 10\nmoved 2 5 0 0 0 0 0 0 0 0 0\ntest 4 0 \"TestB\"\n" +
					"stop 5 0\nmoved 1 10 0 0 0 0 0 0 0 0 0\ntest 6 0 \"TestA\"\n",
				moved: [][]uint64{{}, {13, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {5}, {0, 0, 0, 1}},
			},
			want: Log{Open: true, Hot: make([]Hot, 2), Windows: []Window{
				{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{1: {Moved: Moved{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, 2: {Moved: Moved{Read: 5}}}},
				{Test: "TestB", Start: 4, End: 5, Counts: map[int]Count{1: {Moved: Moved{Read: 10}}}},
				{Test: "TestA", Start: 6, End: 6, Counts: map[int]Count{1: {Moved: Moved{Read: 2}}, 3: {Moved: Moved{Sent: 1}}}},
			}},
		},
		{
			name: "a program whose TestMain ends it",
			left: left{log: "main\n"},
			want: Log{Reached: InMain, Hot: make([]Hot, 2)},
		},
		{
			name: "a program that ended among its tests",
			left: left{log: "main\nrun\n"},
			want: Log{Reached: Running, Hot: make([]Hot, 2)},
		},
		{
			name: "a program that came to its end",
			left: left{log: "main\nrun\nstop 1 0\nran\n"},
			want: Log{Reached: Ran, Hot: make([]Hot, 2)},
		},
		{
			name: "what turned out to be hot",
			left: left{hot: []byte{0, 3}},
			want: Log{Hot: []Hot{0, HotCalls | HotLiterals}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := written(t, test.left).Read()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("log differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefusesOperations(t *testing.T) {
	for _, operations := range []string{"-1 \"BenchmarkA\"", "many \"BenchmarkA\"", "1 BenchmarkA", "18446744073709551615 \"BenchmarkA\""} {
		if _, err := written(t, left{log: "operations " + operations + "\n"}).Read(); err == nil {
			t.Errorf("operations %s: no error", operations)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	const tooMany = "18446744073709551615"
	for log, want := range map[string]string{
		"walk 1\n":  "line 1",
		"reset A\n": "invalid syntax",
		"test 1 0 \"BenchmarkA\"\nreset \"BenchmarkA\"\n": "the timer of a benchmark was reset while its window was open",
		"stop 1 0\n1\n":                                 "line 2",
		"stop 1 0\ndropped 6 1\n":                       "row 6",
		"stop 1 0\ndropped 1 -1\n":                      "line 2",
		"stop 1 0\ntest 2 0 \"T\"\ndropped 1 1\n":       "between two tests",
		"stop 1 0\n1" + strings.Repeat(" 1", 16) + "\n": "line 2",
		"stop x\n":                               "invalid syntax",
		grew(1, 1):                               "before any stop",
		"stop 1 0\ntest 2 0 TestA\n":             "line 2",
		"stop 1 0\n-" + grew(1):                  "row -1",
		"stop 1 0\n" + grew(6):                   "row 6 of 6",
		"stop 1 0\nend pass TestA\n":             "invalid syntax",
		"end hacked \"TestA\"\n":                 "unknown test outcome",
		"stop 1 0\n\n":                           "line 2",
		"stop 2 0\nstop 1 0\n":                   "line 2",
		"stop 1 -1\n":                            "no CPU time",
		"strays 1 1 1\n":                         "before any stop",
		"stop 1 0\nstrays 64 1 1\n":              "64 is not between",
		"stop 1 0\nstrays 1 -1 1\n":              "-1 is not between",
		"stop 1 0\nstrays 1 1 -1\n":              "invalid syntax",
		"go 0 1 \"T\" \"\" \"\" \"\"\n":          "0 is not between",
		"go 1 1 \"T\" \"\" \"\" \"\"\n":          "of no test",
		"go 1 1 \"T\" \"\" \"\"\n":               "invalid syntax",
		"stop 1 0\nstrays 1 1 " + tooMany + "\n": "ran for",
		"stop 1 0\n" + strings.Repeat("strays 1 "+strconv.Itoa(maxStrays)+" 0\n", 2):                 "line 3",
		"stop 1 0\n1 " + tooMany + strings.Repeat(" 0", 14) + "\n":                                   "counted " + tooMany,
		"moved 1 1 1 1 1 1 1 1 1 1 1\n":                                                              "after a stop",
		"stop 1 0\nmoved 1 1 1 1 1 1 1 1 1 1\n":                                                      "no row with 10 numbers",
		"stop 1 0\nmoved 6 1 1 1 1 1 1 1 1 1 1\n":                                                    "row 6 of 6",
		"stop 1 0\nmoved -1 1 1 1 1 1 1 1 1 1 1\n":                                                   "row -1 of 6",
		"stop 1 0\nmoved 1 1 1 1 x 1 1 1 1 1 1\n":                                                    "invalid syntax",
		"stop 1 0\nmoved 1 " + tooMany + " 1 1 1 1 1 1 1 1 1\n":                                      "moved " + tooMany,
		"stop 1 0\n" + strings.Repeat(fmt.Sprintf("moved 1 0 0 %d 0 0 0 0 0 0 0\n", mostCounted), 2): "line 3",
		// Each for itself is possible, their sum is not.
		"stop 1 0\n" + strings.Repeat(grew(1, mostCounted), 2): "line 3",
	} {
		if _, err := written(t, left{log: log}).Read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("log %q: error is %v, want one with %q", log, err, want)
		}
	}
}

// A program may write where it should not: what it says of its file is not believed.
func TestReadRefusesADestroyedFile(t *testing.T) {
	at := layout{rows: 2 + specials}
	for name, test := range map[string]struct {
		at   int
		word uint64
		want string
	}{
		"another program's file":                 {headToken * wordSize, 7, "header"},
		"other rows":                             {headRows * wordSize, 3, "header"},
		"other names":                            {headNames * wordSize, 3, "header"},
		"more processors than there is room for": {headUsed * wordSize, maxShards + 1, "2051 shards"},
		"processors without end":                 {headUsed * wordSize, 1 << 63, "shards"},
		"a log longer than the file":             {headLogged * wordSize, logSize + 1, "log"},
		"a clock that is no number":              {headScale * wordSize, math.Float64bits(math.NaN()), "NaN ns a tick"},
		"a probe that costs more than a second":  {headFrame * wordSize, math.Float64bits(1e300), "a probe costs 1e+300 ns"},
		"a probe that costs nothing known":       {headFrame * wordSize, math.Float64bits(math.NaN()), "a probe costs NaN ns"},
		"a probe that costs a year":              {headInner * wordSize, 1 << 62, "a probe costs 4.6"},
		"a clock that goes backwards":            {headScale * wordSize, math.Float64bits(-1), "-1 ns a tick"},
		"a clock that stands still":              {headScale * wordSize, math.Float64bits(1e-300), "ns a tick"},
		"a clock of eternities":                  {headScale * wordSize, math.Float64bits(math.Inf(1)), "+Inf ns a tick"},
		"samples of years":                       {headLost * wordSize, 1 << 63, "samples"},
		"a mode that there is not":               {at.modes() + 1, 0xff, "mode 255"},
		"fewer calls than are in the log":        {at.shard(0) + wordSize, 0, "row 1"},
		"strays without end":                     {at.origins() + strayCount*wordSize, 1 << 63, "goroutines of a go statement"},
		"bytes without end":                      {at.moved() + movedRow + wordSize, 1 << 63, "row 1 moved"},
		"goroutines that stop for ever":          {at.shard(1) + at.inShard() + ringStops*wordSize, 1 << 63, "goroutines stopped 9223372036854775808 times"},
		"stacks of years":                        {at.stacks() + wordSize, 1 << 63, "a stack was sampled"},
	} {
		t.Run(name, func(t *testing.T) {
			f := written(t, left{
				log:   "stop 1 0\n" + grew(1, 3) + "test 2 0 \"TestA\"\n",
				calls: map[int][]uint64{0: {0, 5}},
			})
			root := binary.NativeEndian.AppendUint64(nil, (isRoot|1)<<32|1)
			write(t, f, at.stacks(), root)
			if _, err := f.Read(); err != nil {
				t.Fatalf("before it was destroyed: %v", err)
			}
			write(t, f, test.at, binary.NativeEndian.AppendUint64(nil, test.word))
			if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func write(t testing.TB, f *File, at int, data []byte) {
	t.Helper()
	if _, err := f.file.WriteAt(data, int64(at)); err != nil {
		t.Fatal(err)
	}
}

// A file that is cut would end whoever reads it, and a table of names that is
// changed tells other programs' samples wrong.
func TestFilesAreSealed(t *testing.T) {
	f := written(t, left{})
	for name, file := range map[string]*os.File{"the file": f.file, "the table of names": f.setup.Names.file} {
		if link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd())); err != nil || !strings.Contains(link, "memfd:") {
			t.Skipf("this system has no files in memory: %s %v", link, err)
		}
		if file.Truncate(100) == nil || file.Truncate(1<<40) == nil {
			t.Errorf("the size of %s could be changed", name)
		}
	}
	if _, err := f.setup.Names.file.WriteAt([]byte("x"), 0); err == nil {
		t.Error("the table of names could be written")
	}
	if _, err := f.Read(); err != nil {
		t.Error(err)
	}
}

func words(w ...uint64) (data []byte) {
	for _, w := range w {
		data = binary.NativeEndian.AppendUint64(data, w)
	}
	return data
}

// What a program writes into the rings is taken while it runs. The first that is no
// record ends it, whatever else there is, and the whole file is refused.
func TestOccupancyRefusesADestroyedRing(t *testing.T) {
	at := layout{rows: 2 + specials}
	ring := at.shard(1) + at.inShard()
	for name, test := range map[string]struct {
		head   []byte
		record []byte
		want   string
	}{
		"records without end":          {words(1 << 62), nil, "records were written"},
		"more than there is room for":  {words(ringRecords + 1), nil, "records were written"},
		"another reader":               {words(1, 0, 0, 0, 0, 0, 0, 0, 1), nil, "records were written"},
		"losses without end":           {words(0, 1<<63), nil, "lost"},
		"a row that there is not":      {words(1), words(9), "row 9 of 9"},
		"a time that no program has":   {words(1), words(1, 0, 0, math.MaxUint64), "row 1 of 9 ran"},
		"a row of years in the record": {words(1), words(1, 1, 2, 1<<62), "row 1 of 9 ran"},
	} {
		t.Run(name, func(t *testing.T) {
			f := written(t, left{})
			write(t, f, ring, test.head)
			write(t, f, ring+pageSize, test.record)
			for range 2 {
				f.Occupancy(false, func(o Occupied) { t.Errorf("%+v was taken", o) })
			}
			if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

// Losses that are found together with a fault count: the call after that finds nothing any more.
func TestLossesBesideAFault(t *testing.T) {
	f, at := written(t, left{}), layout{rows: 2 + specials}
	ring := at.shard(1) + at.inShard()
	write(t, f, ring, words(1, 5))
	write(t, f, ring+pageSize, words(9))
	for _, want := range []uint64{5, 0} {
		if lost := f.Occupancy(false, func(o Occupied) { t.Errorf("%+v was taken", o) }); lost != want || !f.Damaged() {
			t.Errorf("%d records are lost, want %d; the file counts as damaged: %t", lost, want, f.Damaged())
		}
	}
}

// Whatever a program does to its file, reading it ends with numbers that can be, or an
// error. The words are put over a file that is whole.
func FuzzRead(f *testing.F) {
	at := layout{rows: 2 + specials}
	add := func(at int, words ...uint64) {
		var data []byte
		for _, w := range words {
			data = binary.NativeEndian.AppendUint64(data, w)
		}
		f.Add(at, data)
	}
	add(headUsed*wordSize, 1<<40)
	add(headScale*wordSize, math.Float64bits(math.NaN()))
	add(headTicks*wordSize, 1<<63, 1<<63)
	add(pageSize, math.MaxUint64)
	add(at.modes(), math.MaxUint64)
	add(at.samples(), math.MaxUint64, 1<<63)
	add(at.origins()+strayCount*wordSize, math.MaxUint64, math.MaxUint64)
	add(at.stacks(), isRoot<<32|1<<32|1, 5, 1<<32|1, math.MaxUint64)
	add(at.shard(1), math.MaxUint64, 1<<60)
	add(at.shard(1)+at.inShard(), ringRecords, 0, 0, 2)
	add(at.shard(1)+at.inShard()+pageSize, math.MaxUint64, 1, math.MaxUint64, 1<<50)
	f.Fuzz(func(t *testing.T, place int, data []byte) {
		file := written(t, left{
			log:     "main\nrun\nstop 5 0\n" + grew(1, 7, 70) + "test 6 0 \"TestA\"\nstop 9 0\n" + grew(1, 1, 2, 3) + "end pass \"TestA\"\ntest 10 0 \"TestB\"\n",
			calls:   map[int][]uint64{0: {0, 9}, 1: {0, 5}, 2: {0, 5}},
			times:   map[int][][]uint64{1: {{}, {90, 91, 92, 1, 2, 4}}, 2: {{}, {90, 91, 92, 1, 2, 4}}},
			samples: [][]uint64{{}, {1, 2, 3, 4, 5}},
			origins: [][]uint64{{}, {1, 1, 1, 0, 0, 3, 40}},
		})
		if place < 0 || place > at.shard(7) || len(data) > 1<<20 {
			t.Skip("no place in the file")
		}
		write(t, file, place, data)
		taken := 0
		take := func(o Occupied) {
			taken++
			if int(o.Row) >= at.rows || !(o.RanNS >= 0 && o.RanNS <= mostCounted) {
				t.Fatalf("%+v was taken", o)
			}
		}
		file.Occupancy(false, take)
		file.Occupancy(true, take)
		if most := 7*ringRecords + 7*at.rows; taken > most {
			t.Errorf("%d records were taken, of %d that there can be", taken, most)
		}
		log, err := file.Read()
		if err != nil {
			return
		}
		for _, ns := range []float64{log.InnerNS, log.OuterNS, log.FrameNS, log.SwitchNS} {
			if !(ns >= 0 && ns <= 1e9) {
				t.Errorf("a probe costs %g ns", ns)
			}
		}
		before := int64(math.MinInt64)
		for _, w := range log.Windows {
			if w.Start < before || w.End < w.Start {
				t.Errorf("%+v begins before %d or ends before it begins", w, before)
			}
			before = w.End
			for row, c := range w.Counts {
				if row >= at.rows-calibration || c.largest() > mostCounted {
					t.Errorf("row %d has %+v", row, c)
				}
			}
			for slot, ns := range w.StraysNS {
				if slot >= len(log.Strays) || !(ns >= 0 && ns <= mostCounted) {
					t.Errorf("go statement %d of %d left goroutines for %g ns", slot, len(log.Strays), ns)
				}
			}
		}
		for test, calls := range log.Calls {
			for i, c := range calls {
				if c.Row < 1 || c.Row > 2 || c.Caller >= i || c.NS > mostCounted {
					t.Errorf("%s has %+v at %d", test, c, i)
				}
			}
		}
	})
}

func TestCreateRefusesTooManyComponents(t *testing.T) {
	if _, err := Create(Setup{Components: MaxComponents + 1}); err == nil {
		t.Error("more components than the probe's table can hold were accepted")
	}
}

// A slot is found by going on from the hash, as the program does.
func TestNamesAreFound(t *testing.T) {
	rows := NamedRows{Packages: []string{"p"}, Unprobed: []string{"p.asm"}}
	for i := range 1000 {
		rows.Components = append(rows.Components, fmt.Sprintf("p.F%d", i))
	}
	names, err := NewNames(NewIndex(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	table := make([]byte, names.slots*16)
	if _, err := names.file.ReadAt(table, 0); err != nil {
		t.Fatal(err)
	}
	find := func(name string) uint64 {
		for i := nameHash(name); ; i++ {
			slot := table[i%uint64(names.slots)*16:]
			if hash := binary.NativeEndian.Uint64(slot); hash == nameHash(name) || hash == 0 {
				return binary.NativeEndian.Uint64(slot[8:])
			}
		}
	}
	for i, name := range rows.Components {
		if got := find(name); got != uint64(i)+1 {
			t.Errorf("%s has row %d, want %d", name, got, i+1)
		}
	}
	if find("p.asm") != further || find("p") != 0 || find("p_test") != 0 {
		t.Errorf("p.asm has row %d, p %d, p_test %d", find("p.asm"), find("p"), find("p_test"))
	}
}

// What a profile calls a function is found under the name of its component.
func TestFunctionsAreFoundByTheirNamesAtRunTime(t *testing.T) {
	x := NewIndex(NamedRows{
		Components: []string{"a.com/x.F", "a.com/x.(*T).M", "a.com/x.T.V", "a.com/y%2ev2.F"},
		Unprobed:   []string{"a.com/x.asm"}, Packages: []string{"a.com/x", "a.com/y%2ev2"},
	})
	for name, want := range map[string]int{
		"a.com/x.F":                          1,
		"a.com/x.F.func1":                    1,
		"a.com/x.F.func2.1":                  1,
		"a.com/x.F.deferwrap1":               1,
		"a.com/x.F-range1":                   1,
		"a.com/x.F[go.shape.int]":            1,
		"a.com/x.F[a.com/z.T[int]].func1":    1,
		"a.com/x.(*T).M":                     2,
		"a.com/x.(*T[go.shape.string]).M-fm": 2,
		"a.com/x.T.V":                        3,
		"a.com/y%2ev2.F":                     4,
		"a.com/x.TestF":                      0,
		"a.com/x.TestF.func1":                0,
		"a.com/x.(*suite).TestG":             0,
		"a.com/x.TestF.G.func1":              -1, // a literal of an inlined function G, whose package is unknown
		"a.com/x.F.G.func1":                  -1,
		"a.com/x_test.TestF.func1":           0,
		"a.com/x.asm":                        -1,
		"a.com/x/z.F":                        -1,
		"a.com/xy.F":                         -1,
		"fmt.Println":                        -1,
		"":                                   -1,
	} {
		row, ok := x.Row(name)
		if !ok {
			row = -1
		}
		if row != want {
			t.Errorf("%q has row %d, want %d", name, row, want)
		}
	}
}

// Whatever a crashed program leaves in the file, reading it ends with a log or
// an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte("main\nstop 5 0\n" + grew(1, 7, 70) + "test 6 0 \"TestA\"\nstop 9 0\n" + grew(1, 1, 2, 3) + "end pass \"TestA\"\n"))
	f.Add([]byte("test 1 0 \"a\"\ntest 2 0 \"b\"\nstop x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p := newParser(5, 1)
		if p.parse(bytes.NewReader(text)) == nil && p.open {
			_ = p.finish(make([]counters, 5)) // or an error
		}
		for _, w := range p.log.Windows {
			if w.Counts == nil {
				t.Errorf("window %+v has no counts", w)
			}
		}
	})
}

// Of a program that has no tests, bytes are those between two moments.
func TestBytesBetweenTwoMoments(t *testing.T) {
	f := written(t, left{moved: [][]uint64{{}, {100, 7}}})
	from, err := f.Moment(1)
	if err != nil {
		t.Fatal(err)
	}
	at := layout{rows: 2 + specials}
	write(t, f, at.moved()+movedRow, words(150, 7))
	to, err := f.Moment(2)
	if err != nil {
		t.Fatal(err)
	}
	log, err := f.ReadProgram("server", from, to)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int]Count{1: {Moved: Moved{Read: 50}}}, log.Windows[0].Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if _, err := f.ReadProgram("server", to, from); err == nil || !strings.Contains(err.Error(), "row 1 moved") {
		t.Errorf("bytes that became less: error is %v", err)
	}
}
