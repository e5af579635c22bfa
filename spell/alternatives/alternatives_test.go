package alternatives_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/record"
)

// A machine makes rounds like those of a busy machine: what slows it lasts for several rounds and hits all alternatives
// alike; each value has an error of its own, of 3 %; and one of 50 is 30 % larger, as another program ran beside it.
type machine struct {
	random *rand.Rand
	slow   []float64 // logarithm, by round
}

func newMachine(seed uint64, rounds int) *machine {
	m := &machine{random: rand.New(rand.NewPCG(seed, 7))}
	state := 0.0
	for range rounds {
		state = 0.7*state + 0.1*m.random.NormFloat64()
		m.slow = append(m.slow, state)
	}
	return m
}

func (m *machine) rounds(mean float64) (values []float64) {
	for _, slow := range m.slow {
		v := mean * math.Exp(slow+0.03*m.random.NormFloat64())
		if m.random.Float64() < 0.02 {
			v *= 1.3
		}
		values = append(values, v)
	}
	return values
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// newRun is a run of rows, each with its joules by round. An operation takes 1 ms for each mJ.
func newRun(rounds int, rows map[string][]float64) *record.Run {
	r := &record.Run{
		ID: "20261121T040000Z-0001", Rounds: rounds,
		Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}},
	}
	names := make([]string, 0, len(rows))
	for name := range rows {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t := record.Test{
			Name: "m." + name, Package: "m", Outcome: record.Pass, Rounds: rounds, PerOperation: true, Repeats: 1000,
			EnergyJ: record.Energy{spell.CPU: mean(rows[name])}, RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: rows[name]},
			TimeMS: 1000 * mean(rows[name]),
		}
		for _, j := range rows[name] {
			t.RoundTimeMS = append(t.RoundTimeMS, 1000*j)
		}
		r.Tests = append(r.Tests, t)
	}
	return r
}

func compare(t *testing.T, r *record.Run, o alternatives.Options) *alternatives.Result {
	t.Helper()
	result, err := alternatives.Of(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Why: whoever changes the code for a difference that is none has worked for nothing, and a difference of a tenth
// must not go unseen. 40 measurements each, of two alternatives and of five.
func TestEqualIsTiedAndDifferentIsOrdered(t *testing.T) {
	const measurements, least, rounds = 40, 38, 20
	for _, c := range []struct {
		what  string
		costs []float64
	}{
		{"equal", []float64{1, 1}},
		{"a tenth more", []float64{1, 1.1}},
		{"twice", []float64{1, 2}},
		{"five equal", []float64{1, 1, 1, 1, 1}},
		{"five, each a tenth more", []float64{1, 1.1, 1.21, 1.331, 1.4641}},
	} {
		t.Run(c.what, func(t *testing.T) {
			right := 0
			for seed := range uint64(measurements) {
				m, rows := newMachine(seed, rounds), make(map[string][]float64)
				for i, cost := range c.costs {
					rows[fmt.Sprintf("BenchmarkF/impl=%d%c", i, 'a'+i)] = m.rounds(cost)
				}
				size := compare(t, newRun(rounds, rows), alternatives.Options{}).Groups[0].Sizes[0]
				if asOrdered(&size, c.costs) {
					right++
				}
			}
			if right < least {
				t.Errorf("%d of %d measurements have the right order, want at least %d", right, measurements, least)
			}
		})
	}
}

// asOrdered tells whether the ranks are those of the costs.
func asOrdered(s *alternatives.Size, costs []float64) bool {
	for _, a := range s.Alternatives {
		own, rank := costs[a.Name[0]-'0'], 1
		for _, cost := range costs {
			if cost < own {
				rank++
			}
		}
		if a.Rank != rank {
			return false
		}
	}
	return true
}

// Why: a significant difference of half a percent is where the code lies in memory, and no reason to choose.
func TestTinyDifferenceIsTied(t *testing.T) {
	a, b := make([]float64, 10), make([]float64, 10)
	for i := range a {
		a[i], b[i] = 1+float64(i)/1000, 1.005*(1+float64(i)/1000)
	}
	s := compare(t, newRun(10, map[string][]float64{"BenchmarkF/impl=a": a, "BenchmarkF/impl=b": b}), alternatives.Options{}).Groups[0].Sizes[0]
	if p := s.Pair("a", "b"); !p.Tied || p.P > 0.05 || len(s.Best) != 2 {
		t.Errorf("the pair is %+v and the best are %v, want a tie with a small p", *p, s.Best)
	}
}

// Intervals: of the amounts by the spread of the rounds, of the ratio by the ratios of the rounds, which are all 2 here
// although the rounds differ.
func TestIntervals(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	b := make([]float64, len(a))
	for i := range a {
		b[i] = 2 * a[i]
	}
	s := compare(t, newRun(8, map[string][]float64{"BenchmarkF/impl=a": a, "BenchmarkF/impl=b": b}), alternatives.Options{}).Groups[0].Sizes[0]
	p := s.Pair("a", "b")
	if p.Tied || math.Abs(p.Ratio-2) > 1e-9 || math.Abs(p.CI[0]-2) > 1e-9 || math.Abs(p.CI[1]-2) > 1e-9 {
		t.Errorf("the ratio is %+v, want exactly 2", *p)
	}
	half := 1.96 * math.Sqrt(6.0/8) // the variance of 1 to 8 is 6
	if ci := s.Alternatives[0].EnergyJ.CI; math.Abs(ci[0]-(4.5-half)) > 1e-9 || math.Abs(ci[1]-(4.5+half)) > 1e-9 {
		t.Errorf("the interval is %v, want 4.5 ± %v", *ci, half)
	}
}

// Why: where energy is only computed from time, it is no second opinion, and where there is none, time is all there is.
func TestWhatDecides(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(r *record.Run)
		want   alternatives.Quantity
		why    alternatives.Reason
		best   string
	}{
		{"measured", func(*record.Run) {}, alternatives.Energy, "", "a"},
		{"estimated", func(r *record.Run) { r.Meter.Source = record.Estimated }, alternatives.Time, alternatives.Estimated, "b"},
		{"none", func(r *record.Run) { r.Meter.Source, r.Meter.Domains = record.NoEnergy, nil }, alternatives.Time, alternatives.NoCounter, "b"},
		{"below resolution", func(r *record.Run) { r.Tests[0].BelowResolution = true }, alternatives.Time, alternatives.BelowResolution, "b"},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := newMachine(1, 10)
			r := newRun(10, map[string][]float64{"BenchmarkF/impl=a": m.rounds(1), "BenchmarkF/impl=b": m.rounds(3)})
			for i := range r.Tests[0].RoundTimeMS { // b needs more energy, and less time
				r.Tests[0].RoundTimeMS[i] *= 9
			}
			r.Tests[0].TimeMS *= 9
			c.change(r)
			s := compare(t, r, alternatives.Options{}).Groups[0].Sizes[0]
			if s.Decides != c.want || s.WhyTime != c.why || len(s.Best) != 1 || s.Best[0] != c.best {
				t.Errorf("%s decides (%q), best is %v; want %s (%q), %s", s.Decides, s.WhyTime, s.Best, c.want, c.why, c.best)
			}
		})
	}
}

// Of several best, the one that allocates less is named, if that is more than sampling explains.
func TestLeastBytes(t *testing.T) {
	for bytes, want := range map[float64]string{0: "a", 63.99: "", 64: ""} {
		m := newMachine(2, 10)
		r := newRun(10, map[string][]float64{"BenchmarkF/impl=a": m.rounds(1), "BenchmarkF/impl=b": m.rounds(1)})
		r.Tests[0].AllocBytes, r.Tests[1].AllocBytes = bytes, 64
		s := compare(t, r, alternatives.Options{}).Groups[0].Sizes[0]
		if len(s.Best) != 2 || s.LeastBytes != want {
			t.Errorf("of %v and 64 bytes: best are %v, least allocates %q, want %q", bytes, s.Best, s.LeastBytes, want)
		}
	}
}

// Too few rounds, or a row that did not run in all of them: nothing is called better.
func TestNothingIsDecidedWithoutRounds(t *testing.T) {
	m := newMachine(3, 3)
	r := newRun(3, map[string][]float64{"BenchmarkF/impl=a": m.rounds(1), "BenchmarkF/impl=b": m.rounds(9)})
	if s := compare(t, r, alternatives.Options{}).Groups[0].Sizes[0]; len(s.Best) != 2 || s.RoundsNeeded != 7 || !s.Compared {
		t.Errorf("best of 3 rounds are %v, needed are %d, want both and 7", s.Best, s.RoundsNeeded)
	}
	m = newMachine(3, 10)
	r = newRun(10, map[string][]float64{"BenchmarkF/impl=a": m.rounds(1), "BenchmarkF/impl=b": m.rounds(9)})
	r.Tests[0].RoundEnergyJ = nil
	s := compare(t, r, alternatives.Options{}).Groups[0].Sizes[0]
	if len(s.Best) != 2 || s.Compared || s.RoundsNeeded != 0 {
		t.Errorf("best are %v, compared %v; want both, not compared", s.Best, s.Compared)
	}
	if p := s.Pair("a", "b"); p == nil || p.Ratio < 8 || p.CI != nil {
		t.Errorf("the pair is %+v, want the ratio of the means without an interval", p)
	}
}
