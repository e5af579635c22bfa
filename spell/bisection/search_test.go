package bisection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A machine simulates rounds: the costs of commits by index, on a machine with noise.
type machine struct {
	rng      *rand.Rand
	costs    []float64
	noise    float64 // relative standard deviation of a round
	drift    float64 // of the step from a round to the next, relative
	outliers float64 // share of the rounds that take up to three times as long
	level    float64 // logarithm of what the drift made of the speed
	rounds   int
}

func (m *machine) measure(commits ...string) ([][]float64, error) {
	var blocks [][]float64
	for _, name := range commits {
		var i int
		fmt.Sscan(name, &i)
		if math.IsNaN(m.costs[i]) {
			return nil, &SkipError{name, "does not build"}
		}
		block := make([]float64, BlockRounds)
		for k := range block {
			m.level += m.drift * m.rng.NormFloat64()
			m.rounds++
			block[k] = m.costs[i] * math.Exp(m.level+m.noise*m.rng.NormFloat64())
			if m.rng.Float64() < m.outliers {
				block[k] *= 1 + 2*m.rng.Float64()
			}
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// history are the names of n commits.
func history(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint(i))
	}
	return names
}

// bisectHistory is the whole search as it is carried out, in a history of n commits with a culprit,
// or without one. The answer is right, not sure or wrong; rounds are added up.
func bisectHistory(t *testing.T, measure Measure, n, culprit int, regression bool, rounds *int) string {
	t.Helper()
	names := history(n)
	s := &Search{Good: names[0], Bad: names[n-1], Measure: func(commits ...string) ([][]float64, error) {
		*rounds += BlockRounds * len(commits)
		return measure(commits...)
	}}
	c, err := s.Compare(s.Good, s.Bad)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case c.Verdict != Dearer && regression:
		return "not sure"
	case c.Verdict != Dearer:
		return "right"
	}
	r, err := s.Narrow(names)
	if err != nil {
		t.Fatal(err)
	}
	if !regression || r.Good >= culprit || r.Bad < culprit {
		return "wrong"
	}
	if r.Bad-r.Good > 1 {
		return "not sure"
	}
	if c, err = s.Compare(names[r.Good], names[r.Bad]); err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Dearer {
		return "not sure"
	}
	return "right"
}

// Hundreds of histories on machines that are quiet, noisy, drifting and disturbed. No answer is
// a wrong commit; where the change is large beside the noise nearly all are right.
func TestSimulatedHistories(t *testing.T) {
	const trials = 100
	for _, c := range []struct {
		name                         string
		change                       float64 // 0: no commit is dearer
		noise, drift, outliers, each float64 // each: what every commit changes by chance, relative
		right                        int     // at least
	}{
		{"15 %, noise 1 %", 0.15, 0.01, 0, 0, 0, 100},
		{"15 %, noise 2 %, drift", 0.15, 0.02, 0.003, 0, 0, 100},
		{"15 %, noise 5 %", 0.15, 0.05, 0, 0, 0, 95},
		{"15 %, noise 3 %, outliers", 0.15, 0.03, 0, 0.05, 0, 95},
		{"15 %, noise 3 %, drift, outliers, small changes", 0.15, 0.03, 0.005, 0.05, 0.005, 90},
		{"15 %, hardly anything can be seen", 0.15, 0.20, 0.02, 0.1, 0, 0},
		{"5 %, noise 1 %", 0.05, 0.01, 0, 0, 0, 100},
		{"5 %, noise 2 %, drift", 0.05, 0.02, 0.002, 0, 0, 90},
		{"5 %, noise 5 %, drift, outliers", 0.05, 0.05, 0.005, 0.05, 0, 0},
		{"no regression, noise 1 %", 0, 0.01, 0, 0, 0, 100},
		{"no regression, noise 5 %, drift, outliers", 0, 0.05, 0.005, 0.05, 0, 100},
		{"no regression, small changes", 0, 0.02, 0, 0, 0.003, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			count, rounds := make(map[string]int), 0
			for seed := range uint64(trials) {
				rng := rand.New(rand.NewPCG(seed, 7))
				culprit := 1 + rng.IntN(63)
				m := &machine{rng: rng, costs: make([]float64, 64), noise: c.noise, drift: c.drift, outliers: c.outliers}
				for i := range m.costs {
					m.costs[i] = 1 + c.each*(2*rng.Float64()-1)
					if i >= culprit {
						m.costs[i] *= 1 + c.change
					}
				}
				count[bisectHistory(t, m.measure, 64, culprit, c.change > 0, &rounds)]++
			}
			t.Logf("%v, %d rounds each", count, rounds/trials)
			if count["wrong"] > 0 || count["right"] < c.right {
				t.Errorf("%v, want no wrong answer and at least %d right", count, c.right)
			}
		})
	}
}

// With a larger change of which half is made by each of two commits, those between them are at
// the middle: the answer is a range that has both, or one of the two.
func TestChangeInTwoSteps(t *testing.T) {
	for seed := range uint64(20) {
		m := &machine{rng: rand.New(rand.NewPCG(seed, 3)), costs: make([]float64, 32), noise: 0.02}
		for i := range m.costs {
			m.costs[i] = 1
			if i >= 10 {
				m.costs[i] *= math.Sqrt(1.2)
			}
			if i >= 20 {
				m.costs[i] *= math.Sqrt(1.2)
			}
		}
		names := history(32)
		s := &Search{Good: "0", Bad: "31", Measure: m.measure, MaxRounds: 30}
		r, err := s.Narrow(names)
		if err != nil {
			t.Fatal(err)
		}
		if in := func(i int) bool { return r.Good < i && i <= r.Bad }; !in(10) && !in(20) {
			t.Errorf("seed %d: the range is %+v, which has neither", seed, r)
		}
	}
}

// Commits that cannot be measured are passed by. If the culprit is beside them, the answer is a
// range.
func TestSkippedCommits(t *testing.T) {
	for _, c := range []struct {
		name    string
		culprit int
		skipped []int
		want    Range
	}{
		{"none", 5, nil, Range{4, 5}},
		{"the middle", 5, []int{7, 8}, Range{4, 5}},
		{"the one before", 5, []int{4}, Range{3, 5}},
		{"the culprit", 5, []int{5}, Range{4, 6}},
		{"all", 5, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, Range{0, 15}},
		{"all of a part", 9, []int{3, 4, 5, 6, 7, 8, 9, 10}, Range{2, 11}},
	} {
		m := &machine{rng: rand.New(rand.NewPCG(1, 1)), costs: make([]float64, 16), noise: 0.01}
		for i := range m.costs {
			m.costs[i] = 1
			if i >= c.culprit {
				m.costs[i] = 1.15
			}
			if slices.Contains(c.skipped, i) {
				m.costs[i] = math.NaN()
			}
		}
		var found []Finding
		s := &Search{Good: "0", Bad: "15", Measure: m.measure, Found: func(f Finding) { found = append(found, f) }}
		got, err := s.Narrow(history(16))
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
		for _, f := range found {
			var i int
			fmt.Sscan(f.Commit, &i)
			if skipped := slices.Contains(c.skipped, i); skipped != (f.Side == Skipped) || skipped != (f.Reason == "does not build") {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	}
}

// Errors of GOOD and BAD, and those that are not about a commit, end the search.
func TestErrorsEndTheSearch(t *testing.T) {
	broken := errors.New("the meter is gone")
	for name, measure := range map[string]Measure{
		"GOOD":  func(...string) ([][]float64, error) { return nil, &SkipError{"0", "does not build"} },
		"meter": func(...string) ([][]float64, error) { return nil, broken },
		"zero":  func(...string) ([][]float64, error) { return [][]float64{{0, 0, 1}, {1, 1, 1}, {1, 1, 1}}, nil },
	} {
		s := &Search{Good: "0", Bad: "9", Measure: measure}
		if _, err := s.Narrow(history(10)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := s.Compare("0", "9"); name != "zero" && err == nil {
			t.Errorf("%s: no error of comparing", name)
		}
	}
}

// The chance of a wrong decision is spent once only.
func TestDecisionsAreLimited(t *testing.T) {
	m := &machine{rng: rand.New(rand.NewPCG(1, 1)), costs: make([]float64, MaxDecisions+3), noise: 0.01}
	for i := range m.costs {
		m.costs[i] = 1 + 0.5*float64(i)/float64(MaxDecisions+2)
	}
	s := &Search{Good: "0", Bad: fmt.Sprint(MaxDecisions + 2), Measure: m.measure}
	for i := range MaxDecisions - 1 {
		if _, err := s.Place(fmt.Sprint(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	rounds := m.rounds
	if _, err := s.Place("1"); err != nil || m.rounds != rounds {
		t.Errorf("a commit that is known was decided again: %v", err)
	}
	if _, err := s.Place(fmt.Sprint(MaxDecisions)); !errors.Is(err, ErrDecisions) {
		t.Errorf("the error is %v", err)
	}
	if c, err := s.Compare("0", s.Bad); err != nil || c.Verdict != Dearer {
		t.Errorf("nothing is left for the culprit and its parent: %+v, %v", c, err)
	}
}

// Commits that do not build take nothing of the chance of a wrong decision, and a search does not
// try all of them.
func TestManySkippedCommits(t *testing.T) {
	m := &machine{rng: rand.New(rand.NewPCG(1, 1)), costs: make([]float64, 128), noise: 0.01}
	for i := range m.costs {
		m.costs[i] = math.NaN()
	}
	m.costs[0], m.costs[126], m.costs[127] = 1, 1.3, 1.3
	tried := 0
	s := &Search{Good: "0", Bad: "127", Measure: m.measure, Found: func(Finding) { tried++ }}
	if got, err := s.Narrow(history(len(m.costs))); err != nil || got.Good != 0 || got.Bad < 126 || tried != maxSkipped {
		t.Errorf("%+v after %d commits, %v", got, tried, err)
	}
	for i := range 2 * MaxDecisions {
		if _, err := s.Place(fmt.Sprint(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := s.Place("126"); err != nil || f.Side != LikeBad {
		t.Errorf("%+v, %v", f, err)
	}
}

// The error of a single decision is within its level: values around 0 are hardly ever found to
// be off it, however often the test looks.
func TestLevelHolds(t *testing.T) {
	const trials, level = 4000, 0.05
	rng, wrong := rand.New(rand.NewPCG(5, 5)), 0
	for range trials {
		for seq := newTest(level, placeCycles, 60); !seq.over(); {
			if seq.add(rng.NormFloat64()) != 0 {
				wrong++
				break
			}
		}
	}
	if most := trials * level; float64(wrong) > most || wrong == 0 {
		t.Errorf("%d of %d wrong decisions, want more than 0 and at most %.0f", wrong, trials, most)
	}
}

// The interval is that of the change.
func TestChange(t *testing.T) {
	outside := 0
	for seed := range uint64(200) {
		m := &machine{rng: rand.New(rand.NewPCG(seed, 9)), costs: []float64{1, 1.5}, noise: 0.02}
		c, err := (&Search{Good: "0", Bad: "1", Measure: m.measure}).Compare("0", "1")
		if err != nil || c.Verdict != Dearer || c.Rounds != compareCycles*BlockRounds {
			t.Fatalf("%+v, %v", c, err)
		}
		if c.CI[0] > 0.5 || c.CI[1] < 0.5 {
			outside++
		}
	}
	m2 := &machine{rng: rand.New(rand.NewPCG(1, 9)), costs: []float64{1, 1.5}, noise: 0.02}
	s := &Search{Good: "0", Bad: "1", Measure: m2.measure}
	once, _ := s.Compare("0", "1")
	rounds := m2.rounds
	if again, err := s.Compare("0", "1"); again != once || err != nil || m2.rounds != rounds {
		t.Errorf("asked again: %+v, %v, %d rounds more", again, err, m2.rounds-rounds)
	}
	if outside < 2 || outside > 20 {
		t.Errorf("the interval missed the change %d times of 200, want about 10", outside)
	}
	m := &machine{rng: rand.New(rand.NewPCG(1, 9)), costs: []float64{1, 0.8}, noise: 0.02}
	if c, err := (&Search{Measure: m.measure}).Compare("0", "1"); err != nil || c.Verdict != Cheaper {
		t.Errorf("%+v, %v", c, err)
	}
}
