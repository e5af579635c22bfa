package attribution

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spell-lsp/instrument/probe"
)

// Impossible logs are refused, possible logs are not.
func TestPlausible(t *testing.T) {
	const second = 1e9
	e := Life{BeganNS: 100 * second, EndedNS: 101 * second, CPUNS: 2 * second}
	one := func(c probe.Count) *probe.Log {
		return &probe.Log{Windows: []probe.Window{{Test: "T", Start: 100 * second, End: 101 * second, CPUNS: 2 * second, Counts: map[int]probe.Count{1: c}}}}
	}
	for name, test := range map[string]struct {
		log  *probe.Log
		want string // a substring of the error; "" for no error
	}{
		"an empty log": {&probe.Log{}, ""},
		"two processors, many goroutines that wait": {one(probe.Count{
			N: 4e9, Timed: 1e8, SelfNS: 2 * second, CumNS: 2 * second, WallNS: 10_000 * second, KeptNS: 2 * second, BelowNS: 2 * second, Samples: 2000,
		}), ""},
		"more calls than fit into the time":        {one(probe.Count{N: 1e12}), "calls"},
		"more timed calls than fit into the time":  {one(probe.Count{Timed: 1e12}), "calls"},
		"running for years":                        {one(probe.Count{SelfNS: 1 << 51}), "from entry to exit"},
		"waiting for years":                        {one(probe.Count{WallNS: 1 << 51}), "from entry to exit"},
		"more time in samples than in the program": {one(probe.Count{LostNS: 10 * second}), "ns of samples"},
		"a file that the kernel copied by itself":  {one(probe.Count{Moved: probe.Moved{Read: 1 << 40, Written: 1 << 40}}), ""},
		"more bytes than any system call moves":    {one(probe.Count{Moved: probe.Moved{Sent: 1 << 50}}), "bytes"},
		"a test before the start of the program":   {&probe.Log{Windows: []probe.Window{{Start: 5, End: 101 * second}}}, "it lived from"},
		"a test after the end of the program":      {&probe.Log{Windows: []probe.Window{{Start: 100 * second, End: math.MaxInt64}}}, "it lived from"},
		"as many operations as fit":                {&probe.Log{Operations: map[string]float64{"BenchmarkA": 1e9}}, ""},
		"more operations than the time allows":     {&probe.Log{Operations: map[string]float64{"BenchmarkA": 1e15}}, "BenchmarkA did"},
		"more objects than it had time for":        {one(probe.Count{AllocObjects: 1 << 50}), "calls"},
		"more CPU time than the program used":      {&probe.Log{Windows: []probe.Window{{Start: 100 * second, End: 101 * second, CPUNS: 9 * second}}}, "CPU time"},
		"more time in stacks than in the program":  {&probe.Log{Calls: map[string][]probe.Call{"T": {{Row: 1, NS: 10 * second}}}}, "stacks"},
		"goroutines of ended tests":                {&probe.Log{Windows: []probe.Window{{Start: 100 * second, End: 101 * second, StraysNS: map[int]float64{1: 2 * second}}}, Strays: []probe.Stray{{}, {Goroutines: 1000}}}, ""},
		"more of them than fit into the time":      {&probe.Log{Strays: []probe.Stray{{}, {Goroutines: 1 << 30}, {Goroutines: 1 << 62}}}, "outlived"},
		"goroutines of ended tests for years":      {&probe.Log{Windows: []probe.Window{{Start: 100 * second, End: 101 * second, StraysNS: map[int]float64{1: 1 << 60}}}}, "outlived"},
		"more lost time than time in the program":  {&probe.Log{LostNS: 10 * second}, "stacks"},
	} {
		err := e.Plausible(test.log)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// For every plausible log, components and parts add up to the gain of the counter, and no number
// is negative, infinite or NaN.
func FuzzPlausibleCountsAddUp(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 2.0, 20.0, 30.0)
	f.Add([]byte{255, 0, 0, 255, 0, 0, 0, 0, 0, 255, 255, 0, 255, 1, 1, 255}, 0.0, 0.0, 1e9)
	f.Add([]byte{0, 255, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 255}, 1e-9, 1e9, 1e9)
	f.Fuzz(func(t *testing.T, data []byte, joules, inner, outer float64) {
		if !(joules >= 0 && joules < 1e9 && inner >= 0 && inner <= 1e9 && outer >= 0 && outer <= 1e9) {
			t.Skip("impossible energy or cost of a probe")
		}
		const rows, second = 4, 1e9
		word := func() uint64 { // of every size up to 2^51
			if len(data) == 0 {
				return 0
			}
			w := uint64(data[0]&7+1) << (data[0] / 5)
			data = data[1:]
			return w
		}
		counts := make(map[int]probe.Count)
		for row := range rows {
			counts[row] = probe.Count{
				N: word(), SelfNS: word(), CumNS: word(), WallNS: word(), Calls: word(), Timed: word(), Literals: word(), Switches: word(),
				KeptNS: word(), LostNS: word(), GainedNS: word(), BelowNS: word(), Samples: word(),
			}
		}
		log := &probe.Log{Windows: []probe.Window{{Test: "T", Start: 100 * second, End: 101 * second, CPUNS: int64(word()), Counts: counts}}}
		e := Life{BeganNS: 100 * second, EndedNS: 101 * second, CPUNS: 2 * second}
		if e.Plausible(log) != nil {
			t.Skip("the log is implausible")
		}
		v := &Interval{Counts: counts, Cost: ProbeCost{InnerNS: inner, OuterNS: outer}, Joules: []float64{joules}, LengthNS: second, ProgramNS: float64(log.Windows[0].CPUNS)}
		shares, parts := totalsOf(2, v).Attribute(v, alike)
		possible := func(what string, values ...float64) {
			for _, x := range values {
				if !(x >= 0 && x <= 1e18) {
					t.Errorf("%s has %g: %+v", what, x, values)
				}
			}
		}
		for row, s := range shares {
			possible(fmt.Sprint("component ", row), s.N, s.SelfNS, s.CumNS, s.WallNS, s.Joules[0], s.CumJoules[0])
		}
		for name, p := range parts {
			possible(string(name), p.NS, p.Joules[0])
		}
		if got := total(shares, parts); math.Abs(got-joules) > 0.001*joules+1e-12 {
			t.Errorf("components and parts add up to %g J, the counter gained %g J", got, joules)
		}
	})
}
