package attribution

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
)

// A sampledProgram is a program on one thread, in virtual time: it calls functions in random order,
// and is sampled about every 2 ms of CPU time.
type sampledProgram struct {
	watts             []float64 // by function; its row is one more than the index
	shortest, longest float64   // ms that a call takes, log-uniform
	random            *rand.Rand
}

// powers measures ten seconds of the program, in ticks of 1 ms.
func (p *sampledProgram) powers() *Powers {
	const (
		idle, step = 8.0, 0.05 // W, ms
		ticks      = 10_000
	)
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
	m := NewModel(machine, len(p.watts), true)
	m.SetRest(Rest{IdleW: []float64{idle}, MeanW: []float64{idle}})
	k := NewTimeline(&machine)
	o := NewOccupancy(k)
	k.Add(Reading{Number: 1, Joules: []float64{0}})
	var joules, left, ran float64
	next, function := 2.0, 0
	for i := range ticks {
		for s := range 20 {
			if left -= step; left <= 0 {
				function = p.random.IntN(len(p.watts))
				left += p.shortest * math.Pow(p.longest/p.shortest, p.random.Float64())
			}
			joules += (idle + p.watts[function]) * step / 1e3
			if ran += step; ran >= next {
				o.AddSample(Sample{Thread: 1, Row: function + 1, AtNS: int64((float64(i) + float64(s+1)*step) * ms), RanNS: int64(ran * ms)})
				ran, next = 0, 1.8+0.4*p.random.Float64()
			}
		}
		read := joules + 0.03*p.random.NormFloat64()*idle/1e3
		k.Add(Reading{Number: uint64(i + 2), PublishedNS: int64(i+1) * ms, UpdatedNS: int64(i+1) * ms, CPUNS: int64(i+1) * ms, Joules: []float64{read}})
	}
	m.AddSamples(o)
	m.Add(k, o.Settle(true))
	return m.Powers()
}

// The powers of calls that are as long as the period or longer are known well. With shorter calls powers
// seem more alike than they are, and the intervals contain that: nine of ten contain the truth.
func TestPowersFromSamples(t *testing.T) {
	three, twenty := []float64{6, 14, 22}, make([]float64, 20)
	for i := range twenty {
		twenty[i] = 5 + float64(i)
	}
	for _, test := range []struct {
		name              string
		watts             []float64
		shortest, longest float64
		worst, spread     float64 // relative error, and relative standard deviation; 0 for no bound
	}{
		{"50 ms", three, 50, 50, 0.03, 0.03}, {"5 ms", three, 5, 5, 0.03, 0.1}, {"2 ms", three, 2, 2, 0.05, 0}, {"1 ms", three, 1, 1, 0, 0},
		{"0.5 ms", three, 0.5, 0.5, 0, 0}, {"0.5 to 5 ms", three, 0.5, 5, 0.25, 0}, {"0.05 to 10 ms", twenty, 0.05, 10, 0.25, 0.2},
	} {
		missed, all := 0, 0
		for seed := range uint64(5) {
			p := &sampledProgram{watts: test.watts, shortest: test.shortest, longest: test.longest, random: rand.New(rand.NewPCG(seed, 1))}
			w := p.powers()
			for i, want := range test.watts {
				got := w.Watts(i+1, 0)
				if test.worst > 0 && math.Abs(got/want-1) > test.worst {
					t.Errorf("calls of %s: %g W, want %g within %g", test.name, got, want, test.worst)
				}
				spread := w.Spread(i+1, 0)
				if math.Abs(got-want) > 1.96*spread*got {
					missed++
				}
				if test.spread > 0 && spread > test.spread {
					t.Errorf("calls of %s: %g W ± %g of it, want %g at most", test.name, got, spread, test.spread)
				}
			}
			all += len(test.watts)
		}
		if 10*missed > all {
			t.Errorf("calls of %s: %d of %d intervals do not contain the truth", test.name, missed, all)
		}
	}
}

// Where one of two functions runs in short bursts and the other in long ones, only the first one's
// power is in doubt; and none is in a program of one function, or with probes.
func TestPullsOfRows(t *testing.T) {
	for _, test := range []struct {
		name string
		q    sequels
		want map[int]bool // rows in doubt
	}{
		{"with probes", sequels{}, map[int]bool{}},
		{"one function", sequels{1: {all: 1000, followed: 999, same: 999}}, map[int]bool{}},
		{"samples that do not follow each other", sequels{1: {all: 500}, 2: {all: 500}}, map[int]bool{1: true, 2: true}},
		{"long calls", sequels{1: {all: 1000, followed: 1000, same: 990}, 2: {all: 1000, followed: 999, same: 989}}, map[int]bool{}},
		{"short calls", sequels{1: {all: 1000, followed: 1000, same: 500}, 2: {all: 1000, followed: 999, same: 499}}, map[int]bool{1: true, 2: true}},
		{"short calls of one", sequels{1: {all: 2000, followed: 2000, same: 1900}, 2: {all: 2000, followed: 2000, same: 1900}, 3: {all: 200, followed: 199, same: 10}}, map[int]bool{3: true}},
	} {
		got := map[int]bool{}
		for row, pull := range test.q.pulls() {
			if pull > 0.1 {
				got[row] = true
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A sample stands for what is nearest to it: half of the time to the sample before, and, on the same
// thread, half of the time to the next.
func TestSampleStandsForWhatIsNear(t *testing.T) {
	machine := Machine{Domains: []spell.Domain{spell.CPU}, Cores: 2}
	k := NewTimeline(&machine)
	for i := range 9 {
		k.Add(Reading{Number: uint64(i + 1), PublishedNS: int64(i) * ms, UpdatedNS: int64(i) * ms, Joules: []float64{0}})
	}
	o := NewOccupancy(k)
	for _, s := range []Sample{
		{Thread: 1, Row: 5, AtNS: 2 * ms, RanNS: 2 * ms}, // the first of its thread: all before is its row's
		{Thread: 2, Row: 6, AtNS: 3 * ms, RanNS: ms},
		{Thread: 1, Row: 7, AtNS: 4 * ms, RanNS: 2 * ms},
		{Thread: 1, Row: -1, AtNS: 6 * ms, RanNS: 2 * ms},
		{Thread: 1, Row: 5, AtNS: 8 * ms, RanNS: 2 * ms},
		{Thread: 2, Row: 8, AtNS: 8 * ms, RanNS: 2 * ms}, // it waited: nothing tells what ran before
	} {
		o.AddSample(s)
	}
	got := make([]map[uint32]float64, 9)
	for _, tick := range o.Settle(true) {
		got[tick.reading] = make(map[uint32]float64)
		for _, e := range tick.entries {
			got[tick.reading][e.Row] = math.Round(1e9*e.Seconds) / 1e6
		}
	}
	want := []map[uint32]float64{nil, {5: 1}, {5: 1}, {5: 1, 6: 1}, {7: 1}, {7: 1}, {}, {8: 1}, {5: 1, 8: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ms of rows by tick (-want +got):\n%s", diff)
	}
}
