package power

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fit returns the fit of ticks. An idle power above 0 is known from a measurement before
// the run.
func fit(ticks []Tick, rows int, idle float64) *Fit {
	m := New(len(ticks[0].Joules), rows)
	if idle > 0 {
		m.SetIdle(0, idle, 0.1)
	}
	for _, t := range ticks {
		m.Add(t)
	}
	return m.Fit()
}

// covers reports whether the 95 % interval contains the truth.
func covers(e Estimate, truth float64) bool { return math.Abs(e.Watts-truth) <= 1.96*e.SD }

func errorOf(got, truth float64) float64 { return math.Abs(got/truth - 1) }

// threeFunctions calls functions of 6, 14 and 22 W in random order.
func threeFunctions(length, jitter float64) *sim {
	return &sim{
		idle: 8, watts: []float64{6, 14, 22}, calls: []call{{0, length}, {1, length}, {2, length}}, threads: 1, other: -1,
		seconds: 10, quiet: 0.5, noise: 0.02, jitter: jitter,
		length: func(r *rand.Rand, mean float64) float64 { return mean * (0.9 + 0.2*r.Float64()) },
	}
}

// Functions of 6, 14 and 22 W run in random order. Sharing each tick by CPU time charges
// the cheapest with energy of the dearest, and more of it the shorter the calls are. The
// model does not, even if the times of readings are inexact.
func TestShortCalls(t *testing.T) {
	tests := []struct {
		call, jitter float64 // s
		within       float64 // largest relative error of the model
		sharing      float64 // smallest relative error of sharing, for the cheapest
	}{
		{11e-3, 0.05e-3, 0.02, 0},
		{1e-3, 0.05e-3, 0.02, 0.3},
		{0.4e-3, 0.05e-3, 0.02, 0.6},
		{0.1e-3, 0.05e-3, 0.04, 0.9},
		{11e-3, 0.3e-3, 0.05, 0},
		{1e-3, 0.3e-3, 0.1, 0.3},
		{0.4e-3, 0.3e-3, 0.12, 0.6},
		{0.1e-3, 0.3e-3, 0.2, 0.9},
	}
	watts := []float64{6, 14, 22}
	for _, tt := range tests {
		ticks := threeFunctions(tt.call, tt.jitter).run(7)
		f, shared := fit(ticks, 3, 8), sharing(ticks, 8, 3)
		for r, w := range watts {
			if e := f.Watts(uint32(r), 0); errorOf(e.Watts, w) > tt.within {
				t.Errorf("calls of %g s, jitter %g s: %.2f W (sd %.2f), want %g within %g", tt.call, tt.jitter, e.Watts, e.SD, w, tt.within)
			}
		}
		if e := errorOf(shared[0], watts[0]); e < tt.sharing {
			t.Errorf("calls of %g s: sharing is wrong by only %.2f, so the test shows nothing", tt.call, e)
		}
	}
}

// Inexact times of readings make fast changes look smaller than they are, so that all
// functions would seem closer to their mean, in every run. The gains of the scales
// correct most of this.
func TestInexactTimesCauseNoBias(t *testing.T) {
	const seeds = 6
	cheap, dear := 0.0, 0.0
	for seed := range uint64(seeds) {
		f := fit(threeFunctions(0.4e-3, 0.3e-3).run(seed), 3, 8)
		cheap += f.Watts(0, 0).Watts / seeds
		dear += f.Watts(2, 0).Watts / seeds
	}
	if errorOf(cheap, 6) > 0.05 || errorOf(dear, 22) > 0.02 {
		t.Errorf("%.2f and %.2f W in the mean over runs, want 6 within 5 %% and 22 within 2 %%", cheap, dear)
	}
}

// In a sum of squares, ticks of 5 to 20 ms and their errors have many times the weight of
// usual ticks. They must not dominate.
func TestLongTicks(t *testing.T) {
	sum, n := 0.0, 0.0
	for seed := range uint64(4) {
		s := mixed(seed, 0.05e-3)
		s.seconds, s.stall = 4, 0.2
		f := fit(s.run(seed), len(s.watts), s.idle)
		for r, w := range s.watts {
			sum += errorOf(f.Watts(uint32(r), 0).Watts, w)
			n++
		}
	}
	if sum/n > 0.12 {
		t.Errorf("mean error %.3f, want 0.12 at most", sum/n)
	}
}

// If all rows draw nearly the same power, the power of a row that never ran is known well.
// If rows differ, it is not, however well their mean is known.
func TestSpreadOfRows(t *testing.T) {
	tests := []struct {
		why      string
		watts    func(row int) float64
		from, to float64 // sd of a row that never ran
	}{
		{"alike", func(int) float64 { return 14 }, 0, 3},
		{"different", func(row int) float64 { return 4 + 20*float64(row%2) }, 7, 13},
	}
	for _, tt := range tests {
		const rows, small = 20, 5000
		ticks := randomTicks(20000, func(r *rand.Rand, tick *Tick) {
			row, one := r.IntN(rows), rows+r.IntN(small)
			tick.Entries = []Entry{{uint32(row), 0.7e-3 * r.Float64()}, {uint32(one), 0.3e-3 * r.Float64()}}
			joules := 8e-3
			for _, e := range tick.Entries {
				joules += e.Seconds * tt.watts(int(e.Row))
			}
			tick.Joules = []float64{joules}
		})
		f := fit(ticks, rows+small+1, 8)
		for why, row := range map[string]uint32{"never ran": rows + small, "one of many small ones": rows + small/2} {
			if e := f.Watts(row, 0); e.Own || math.Abs(e.Watts-14) > 3 || e.SD < tt.from || e.SD > tt.to {
				t.Errorf("rows %s, %s: %+v, want 14 W with an sd of %g to %g", tt.why, why, e, tt.from, tt.to)
			}
		}
	}
}

// Many rows draw nothing. Without a bound, noise would make half of them negative.
func TestNoRowIsNegative(t *testing.T) {
	const rows = 30
	ticks := randomTicks(1000, func(r *rand.Rand, tick *Tick) {
		tick.Entries = []Entry{{uint32(1 + r.IntN(rows-1)), 0.5e-3 * r.Float64()}, {0, 1e-3 * r.Float64()}}
		tick.Joules = []float64{8e-3 + 20*tick.Entries[1].Seconds}
	})
	f := fit(ticks, rows, 8)
	zero := 0
	for r := range uint32(rows) {
		e := f.Watts(r, 0)
		if e.Watts < 0 {
			t.Errorf("row %d: %+v", r, e)
		}
		if e.Watts == 0 {
			zero++
		}
	}
	if zero < 5 {
		t.Errorf("%d rows are at 0 W, want at least 5: the bound was hardly needed", zero)
	}
}

// Twenty functions with calls of all lengths run on two threads, beside a neighbour. This
// is the accuracy that the documentation claims.
func TestMixedWorkload(t *testing.T) {
	tests := []struct{ jitter, median, worst float64 }{
		{0.05e-3, 0.02, 0.1}, // the bars are 0.05 and 0.15
		{0.3e-3, 0.05, 0.2},
	}
	for _, tt := range tests {
		var errs, shared []float64
		for seed := range uint64(4) {
			s := mixed(seed, tt.jitter)
			e, sh := s.errors(s.run(seed))
			errs, shared = append(errs, e...), append(shared, sh...)
		}
		slices.Sort(errs)
		slices.Sort(shared)
		if m := errs[len(errs)/2]; m > tt.median {
			t.Errorf("jitter %g s: median error %.3f, want %g at most", tt.jitter, m, tt.median)
		}
		if w := errs[len(errs)-1]; w > tt.worst {
			t.Errorf("jitter %g s: worst error %.3f, want %g at most", tt.jitter, w, tt.worst)
		}
		if m := shared[len(shared)/2]; m < 0.15 {
			t.Errorf("jitter %g s: sharing has a median error of only %.3f, so the test shows nothing", tt.jitter, m)
		}
	}
}

// errors returns the relative errors of all functions with 2 % of the energy or more,
// scaled to the true total, for the model and for sharing by CPU time.
func (s *sim) errors(ticks []Tick) (model, shared []float64) {
	rows := len(s.watts)
	f, sh, occ := fit(ticks, rows, s.idle), sharing(ticks, s.idle, rows), make([]float64, rows)
	for _, t := range ticks {
		for _, e := range t.Entries {
			occ[e.Row] += e.Seconds
		}
	}
	truth, found := 0.0, 0.0
	for r, o := range occ {
		truth += o * s.watts[r]
		found += o * f.Watts(uint32(r), 0).Watts
	}
	for r, o := range occ {
		if r != s.other && o*s.watts[r] >= 0.02*truth {
			model = append(model, errorOf(f.Watts(uint32(r), 0).Watts*truth/found, s.watts[r]))
			shared = append(shared, errorOf(sh[r], s.watts[r]))
		}
	}
	return model, shared
}

// At least nine of ten 95 % intervals contain the truth, whatever the machine does.
func TestIntervalsCover(t *testing.T) {
	tests := []struct {
		why    string
		change func(*sim)
	}{
		{"good clock", func(*sim) {}},
		{"bad clock", func(s *sim) { s.jitter = 0.3e-3 }},
		{"a second and a half, a third of it quiet", func(s *sim) { s.seconds = 1.5 }},
		{"calls of a function differ in power", func(s *sim) { s.vary = 0.2 }},
		{"the reader gets no CPU in one of fifty ticks", func(s *sim) { s.stall = 0.02 }},
		{"the reader gets no CPU in one of five ticks", func(s *sim) { s.stall = 0.2 }},
		{"threads wait", func(s *sim) { s.wait = 0.3 }},
		{"coarse counter", func(s *sim) { s.unit = 5e-3 }},
		{"counter up to 1 ms old", func(s *sim) { s.delay = 1e-3 }},
	}
	for _, tt := range tests {
		in, all := 0, 0
		for seed := range uint64(8) {
			s := mixed(seed, 0.05e-3)
			s.seconds = 4
			tt.change(s)
			f := fit(s.run(seed+50), len(s.watts), s.idle)
			for r, w := range s.watts {
				all++
				if covers(f.Watts(uint32(r), 0), w) {
					in++
				}
			}
		}
		if 10*in < 9*all {
			t.Errorf("%s: %d of %d intervals contain the truth", tt.why, in, all)
		}
	}
}

// If a cycle of calls is as long as a tick, every tick has the same mix of functions, and
// nothing distinguishes them. All get the mean, with a large uncertainty.
func TestCycleIsNotResolved(t *testing.T) {
	watts := []float64{6, 10, 14, 22}
	s := &sim{idle: 8, watts: watts, threads: 1, other: -1, seconds: 5, quiet: 0.5, noise: 0.05, cycle: true}
	for r := range watts {
		s.calls = append(s.calls, call{uint32(r), usualTick / 4})
	}
	f := fit(s.run(1), 4, 8)
	if got := f.Mean(0); errorOf(got, 13) > 0.05 {
		t.Errorf("mean %.2f W, want 13", got)
	}
	for r, w := range watts {
		if e := f.Watts(uint32(r), 0); !covers(e, w) || e.SD < 3 {
			t.Errorf("row %d: %.2f W (sd %.2f), want %g within 2 sd, and an sd of 3 or more", r, e.Watts, e.SD, w)
		}
	}
}

// If two functions always run in the same proportion, their sum is known well, but neither
// of them alone.
func TestCollinearRows(t *testing.T) {
	ticks := randomTicks(3000, func(r *rand.Rand, tick *Tick) {
		a := r.Float64() * 1e-3
		tick.Entries = []Entry{{0, a / 3}, {1, a * 2 / 3}, {2, 1e-3 - a}}
		tick.Joules = []float64{8e-3 + a*(16+2*7)/3 + (1e-3-a)*12}
	})
	f := fit(ticks, 3, 8)
	a, b, c := f.Watts(0, 0), f.Watts(1, 0), f.Watts(2, 0)
	if sum := (a.Watts + 2*b.Watts) / 3; errorOf(sum, 10) > 0.02 {
		t.Errorf("both together: %.2f W, want 10", sum)
	}
	if !covers(a, 16) || !covers(b, 7) || a.SD < 1 || b.SD < 1 {
		t.Errorf("%+v and %+v, want 16 and 7 W within 2 sd, sd of 1 or more", a, b)
	}
	if errorOf(c.Watts, 12) > 0.02 || c.SD > 0.5 {
		t.Errorf("the third: %+v, want 12 W", c)
	}
}

// randomTicks makes ticks of the usual length with 2 % noise.
func randomTicks(n int, fill func(*rand.Rand, *Tick)) []Tick {
	r := rand.New(rand.NewPCG(3, 3))
	ticks := make([]Tick, n)
	for i := range ticks {
		t := &ticks[i]
		t.Seconds = usualTick
		fill(r, t)
		for d := range t.Joules {
			t.Joules[d] *= 1 + 0.02*r.NormFloat64()
		}
	}
	return ticks
}

// Edge cases: few ticks, few rows, and rows that run or draw almost nothing.
func TestEdgeCases(t *testing.T) {
	running := func(watts ...float64) func(*rand.Rand, *Tick) {
		return func(r *rand.Rand, tick *Tick) {
			left, joules := usualTick, 8e-3
			for row, w := range watts {
				s := left * r.Float64()
				left -= s
				tick.Entries = append(tick.Entries, Entry{uint32(row), s})
				joules += s * w
			}
			tick.Joules = []float64{joules}
		}
	}
	tests := []struct {
		why    string
		ticks  []Tick
		watts  []float64
		within float64 // W
	}{
		{"one row only", randomTicks(2000, running(14)), []float64{14}, 0.2},
		{"a row that draws nothing", randomTicks(2000, running(0, 14, 22)), []float64{0, 14, 22}, 0.3},
		{"all rows draw nothing above idle", randomTicks(2000, running(0, 0)), []float64{0, 0}, 0.2},
		{"a row with 99 of 100 seconds", randomTicks(4000, func(r *rand.Rand, tick *Tick) {
			small := r.Float64() * 0.04e-3 * float64(r.IntN(2))
			tick.Entries = []Entry{{0, 1e-3 - small}, {1, small}}
			tick.Joules = []float64{8e-3 + 14*(1e-3-small) + 30*small}
		}), []float64{14, 30}, 4},
		{"ten ticks", randomTicks(10, running(6, 14)), []float64{6, 14}, 6},
	}
	for _, tt := range tests {
		f := fit(tt.ticks, len(tt.watts), 8)
		for r, w := range tt.watts {
			e := f.Watts(uint32(r), 0)
			if !e.Own || math.Abs(e.Watts-w) > tt.within || !covers(e, w) || e.Watts < 0 {
				t.Errorf("%s: row %d: %+v, want %g W within %g, and within 2 sd", tt.why, r, e, w, tt.within)
			}
		}
	}
}

// A row that never ran may have any power that other rows have. So may a row that ran for
// only a few microseconds.
func TestRowsWithoutEvidence(t *testing.T) {
	watts := []float64{6, 14, 22, 17, 11}
	s := &sim{idle: 8, watts: watts, threads: 2, other: -1, seconds: 3, quiet: 0.5, noise: 0.05}
	for r := range watts {
		s.calls = append(s.calls, call{uint32(r), 2e-3})
	}
	ticks := s.run(1)
	ticks[1000].Entries = append(ticks[1000].Entries, Entry{5, 3e-6})
	f := fit(ticks, 10, 8)
	for _, row := range []uint32{5, 9} {
		e := f.Watts(row, 0)
		if e.Own || math.Abs(e.Watts-14) > 4 || e.SD < 4 || e.SD > 12 {
			t.Errorf("row %d: %+v, want about 14 W with an sd of about 6, not of its own", row, e)
		}
	}
}

// Without usable ticks, only the prior of the idle machine is known. A domain whose counter
// never advanced draws nothing.
func TestNoUsableTicks(t *testing.T) {
	nothing := Estimate{SD: math.Inf(1)}
	bad := []Tick{
		{Seconds: 0, Joules: []float64{1}}, {Seconds: -1, Joules: []float64{1}}, {Seconds: 1e-12, Joules: []float64{1}},
		{Seconds: math.NaN(), Joules: []float64{1}}, {Seconds: math.Inf(1), Joules: []float64{1}}, {Seconds: 1e300, Joules: []float64{1}},
		{Seconds: 1, Joules: []float64{-1}}, {Seconds: 1, Joules: []float64{math.NaN()}}, {Seconds: 1, Joules: []float64{math.Inf(1)}},
		{Seconds: 1, Joules: []float64{1e300}}, {Seconds: 1}, {Seconds: 1, Joules: []float64{1, 1}},
		{Seconds: 1, Joules: []float64{1}, Entries: []Entry{{0, -1}}}, {Seconds: 1, Joules: []float64{1}, Entries: []Entry{{0, math.NaN()}}},
		{Seconds: 1, Joules: []float64{1}, Entries: []Entry{{3, 1}}},
	}
	for _, ticks := range [][]Tick{nil, bad} {
		m := New(1, 3)
		for _, t := range ticks {
			m.Add(t)
		}
		f := m.Fit()
		if used, left := f.Ticks(); used != 0 || left != len(ticks) {
			t.Errorf("%d ticks used, %d left out, want 0 and %d", used, left, len(ticks))
		}
		if e := f.Watts(0, 0); e != nothing || f.Mean(0) != 0 {
			t.Errorf("%d bad ticks: %+v, mean %g; want nothing known", len(ticks), e, f.Mean(0))
		}
		m.SetIdle(0, 7, 0.5)
		if diff := cmp.Diff(Estimate{Watts: 7, SD: 0.5, Own: true}, m.Fit().Idle(0)); diff != "" {
			t.Errorf("idle (-want +got):\n%s", diff)
		}
	}
	m := New(1, 3)
	m.Add(Tick{Seconds: 1, Joules: []float64{0}, Entries: []Entry{{0, 1}}})
	if diff := cmp.Diff(Estimate{Own: true}, m.Fit().Watts(0, 0)); diff != "" {
		t.Errorf("a counter that never advanced (-want +got):\n%s", diff)
	}
	New(0, 0).Fit()
}

// Extreme values that are accepted give finite results.
func TestLimits(t *testing.T) {
	for _, seconds := range []float64{shortest, 1e-3, largest} {
		for _, joules := range []float64{0, 1e-300, 1e-12, 1, largest} {
			for _, running := range []float64{0, 1e-300, 1e-12, 1e-3, largest} {
				m := New(1, 3)
				for range 40 {
					m.Add(Tick{Seconds: seconds, Joules: []float64{joules}, Entries: []Entry{{0, running}, {1, 1e-3}}})
				}
				f := m.Fit()
				for _, e := range []Estimate{f.Idle(0), f.Watts(0, 0), f.Watts(1, 0), f.Watts(2, 0)} {
					if !(e.Watts >= 0) || !(e.SD >= 0) || math.IsInf(e.Watts+e.SD, 1) {
						t.Errorf("ticks of %g s, %g J, running for %g s: %+v", seconds, joules, running, e)
					}
				}
			}
		}
	}
}

// Each domain is solved independently.
func TestDomains(t *testing.T) {
	both := mixed(1, 0.05e-3).run(1)
	second := randomTicks(len(both), func(r *rand.Rand, tick *Tick) { tick.Joules = []float64{2e-3 + 1e-3*r.Float64()} })
	alone := make([]Tick, len(both))
	for i, t := range both {
		alone[i] = Tick{Seconds: t.Seconds, Joules: second[i].Joules, Entries: t.Entries}
	}
	first, want := fit(both, 21, 8), fit(alone, 21, 0)
	for i := range both {
		both[i].Joules = append(both[i].Joules, second[i].Joules[0])
	}
	f := fit(both, 21, 8)
	for r := range uint32(21) {
		if diff := cmp.Diff([]Estimate{first.Watts(r, 0), want.Watts(r, 0)}, []Estimate{f.Watts(r, 0), f.Watts(r, 1)}); diff != "" {
			t.Errorf("row %d (-alone +together):\n%s", r, diff)
		}
	}
}

// The result depends neither on the numbers of rows nor on the order of blocks of ticks.
func TestOrderDoesNotMatter(t *testing.T) {
	ticks := mixed(1, 0.05e-3).run(1)
	block := 1
	for range levels - 1 {
		block *= branch
	}
	ticks = ticks[:len(ticks)/block*block]
	want := fit(ticks, 21, 8)
	r := rand.New(rand.NewPCG(1, 1))
	names := r.Perm(40)[:21]
	var other []Tick
	for _, b := range r.Perm(len(ticks) / block) {
		for _, t := range ticks[b*block : (b+1)*block] {
			entries := slices.Clone(t.Entries)
			for i := range entries {
				entries[i].Row = uint32(names[entries[i].Row])
			}
			r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
			other = append(other, Tick{Seconds: t.Seconds, Joules: t.Joules, Entries: entries})
		}
	}
	got := fit(other, 40, 8)
	for row, name := range names {
		if diff := cmp.Diff(want.Watts(uint32(row), 0), got.Watts(uint32(name), 0), cmpopts.EquateApprox(1e-6, 0)); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", row, diff)
		}
	}
}

// The power of a neighbour that runs while the idle machine is measured is not part of
// idle power.
func TestIdleBesideNeighbour(t *testing.T) {
	s := mixed(3, 0.05e-3)
	s.quiet = 2
	f := fit(s.run(3), 21, 0)
	if e := f.Idle(0); errorOf(e.Watts, 8) > 0.03 || !covers(e, 8) {
		t.Errorf("idle %+v, want 8 W", e)
	}
	if e := f.Watts(20, 0); errorOf(e.Watts, 10) > 0.05 || !covers(e, 10) {
		t.Errorf("neighbour %+v, want 10 W", e)
	}
}

// If a thread is always running, the run does not show idle power: then the prior is
// decisive.
func TestSetIdle(t *testing.T) {
	ticks := randomTicks(2000, func(r *rand.Rand, tick *Tick) {
		a := r.Float64() * 1e-3
		tick.Entries, tick.Joules = []Entry{{0, a}, {1, 1e-3 - a}}, []float64{8e-3 + 6*a + 22*(1e-3-a)}
	})
	f := fit(ticks, 2, 8)
	if e := f.Idle(0); errorOf(e.Watts, 8) > 0.05 || e.SD > 0.3 {
		t.Errorf("idle %+v, want 8 W", e)
	}
	if a, b := f.Watts(0, 0), f.Watts(1, 0); errorOf(a.Watts, 6) > 0.1 || errorOf(b.Watts, 22) > 0.05 {
		t.Errorf("%+v and %+v, want 6 and 22 W", a, b)
	}
	f = fit(ticks, 2, 0)
	a, b := f.Watts(0, 0), f.Watts(1, 0)
	if a.SD < 1 || !covers(a, 6) || !covers(b, 22) || errorOf(b.Watts-a.Watts, 16) > 0.03 {
		t.Errorf("without a prior: %+v and %+v, want a difference of 16 W, and a large sd", a, b)
	}
}

// A glitch of the counter, a hundred times the power in one tick of 5000, is left out. A
// frequent burst is not.
func TestGlitchesAreLeftOut(t *testing.T) {
	s := mixed(1, 0.05e-3)
	ticks := s.run(1)
	want := fit(ticks, 21, 8)
	for i := 2500; i < len(ticks); i += 5000 {
		ticks[i].Joules = []float64{100 * ticks[i].Joules[0]}
	}
	got := fit(ticks, 21, 8)
	if _, left := got.Ticks(); left != 2 {
		t.Errorf("%d ticks left out, want 2", left)
	}
	for r := range uint32(21) {
		e, w := got.Watts(r, 0), want.Watts(r, 0)
		if math.Abs(e.Watts-s.watts[r]) > 2.5*w.SD || e.SD > 1.1*w.SD {
			t.Errorf("row %d: %+v, without glitches %+v, truth %g W", r, e, w, s.watts[r])
		}
	}
	bursts := randomTicks(3000, func(r *rand.Rand, tick *Tick) {
		tick.Joules = []float64{2e-3}
		if r.IntN(50) == 0 {
			tick.Entries, tick.Joules = []Entry{{0, 1e-3}}, []float64{102e-3}
		}
	})
	f := fit(bursts, 1, 0)
	if _, left := f.Ticks(); left > 0 || errorOf(f.Watts(0, 0).Watts, 100) > 0.02 {
		t.Errorf("bursts: %d left out, %+v, want 100 W", left, f.Watts(0, 0))
	}
}

// Neither the program nor its neighbour ever pauses, so the run does not show idle power.
// The measurement at rest is decisive, and errors of the program's running time must not
// raise idle power.
func TestSetRest(t *testing.T) {
	const idle, neighbour, program = 8, 14, 6
	m := New(1, 2)
	m.SetRest(0, Rest{Watts: idle + neighbour, SD: 0.01, Row: 1, Load: 1})
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		ran := 0.9 + 0.1*random.Float64()
		seen := ran + 0.03*random.NormFloat64()
		m.Add(Tick{
			Seconds: 1e-3, Joules: []float64{1e-3 * (idle + neighbour + program*ran)},
			Entries: []Entry{{Row: 0, Seconds: 1e-3 * max(0, seen)}, {Row: 1, Seconds: 1e-3}},
		})
	}
	f := m.Fit()
	if rest := f.Idle(0).Watts + f.Watts(1, 0).Watts; math.Abs(rest-idle-neighbour) > 0.1 {
		t.Errorf("the machine at rest draws %.2f W, want the %d W that were measured", rest, idle+neighbour)
	}
	if got := f.Watts(0, 0).Watts; math.Abs(got-program) > 0.05*program {
		t.Errorf("the program draws %.2f W, want %d W", got, program)
	}
	m.SetRest(0, Rest{Watts: -1, SD: 1})
	if rest := m.Fit().Idle(0).SD; rest < 0.5 {
		t.Errorf("without a prior the sd of idle power is %.2f W, want 0.5 W or more", rest)
	}
}
