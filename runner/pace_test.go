package runner

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
)

// played returns a measurement whose rounds are not executed: recorded ones are taken in turns,
// each after a length of virtual time. In every other round of an unsettled one the two functions
// that matter are exchanged.
func played(t *testing.T, p Params, length time.Duration, unsettled bool) (*measurement, runRound) {
	t.Helper()
	m := recorded(t, "powers")
	p.Granularity, p.Seed = m.Granularity, m.Seed
	if p.Progress == nil {
		p.Progress = func(Step) {}
	}
	m.Params = p
	m.programs = []program{{}}
	all := m.kept
	m.kept = nil
	if unsettled {
		exchanged := recorded(t, "powers").kept
		for _, r := range exchanged {
			for _, o := range r.tests {
				for _, v := range o.intervals {
					v.Counts[1], v.Counts[2] = v.Counts[2], v.Counts[1]
				}
			}
		}
		all = []*round{all[0], exchanged[1], all[2], exchanged[3]}
	}
	began := 0
	return m, func(context.Context) (*round, error) {
		m.tellRound("example.com/m")
		time.Sleep(length)
		r := *all[began%len(all)]
		began++
		r.number = m.executed
		return &r, nil
	}
}

// Automatic rounds weigh what another one can change in the order shown against its length.
func TestRoundsUntilAnotherIsNotWorthItsLength(t *testing.T) {
	for _, test := range []struct {
		name      string
		length    time.Duration
		unsettled bool
		drop      int
		rounds    int
		converged bool
	}{
		{"the order is settled: one more round confirms the scores", time.Second, false, 0, 4, true},
		{"the order is settled, rounds are long: the three that there must be", 77 * time.Second, false, 0, 3, false},
		{"two more are dropped, so there must be five", 77 * time.Second, false, 2, 5, false},
		{"each round changes the order, and takes a second: as many as there may be", time.Second, true, 0, 30, false},
		{"each round changes the order, but takes minutes: never fewer than three", 3 * time.Minute, true, 0, 3, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			m, run := played(t, Params{Warmup: 1, Drop: test.drop}, test.length, test.unsettled)
			if err := m.rounds(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if len(m.kept) != test.rounds || m.converged != test.converged {
				t.Errorf("%s: %d rounds, converged: %t; want %d, %t", test.name, len(m.kept), m.converged, test.rounds, test.converged)
			}
			said := slices.ContainsFunc(m.notes, func(n note.Note) bool { return n.Code == note.RoundsTooLongCode })
			if tooLong := !test.converged && test.rounds < maxRounds; said != tooLong {
				t.Errorf("%s: that another round was too long is noted: %t", test.name, said)
			}
		})
	}
}

// The longer a round and the fewer rounds decide the order, the sooner another one is too long.
func TestTooLong(t *testing.T) {
	for _, test := range []struct {
		length          time.Duration
		pivotal, rounds int
		want            bool
	}{
		{77 * time.Second, 0, 3, true}, {77 * time.Second, 2, 3, true}, {77 * time.Second, 3, 3, false},
		{96 * time.Second, 3, 3, true},
		{24 * time.Second, 0, 3, true}, {24 * time.Second, 1, 3, false},
		{10 * time.Second, 0, 9, false}, {10 * time.Second, 0, 10, true}, {10 * time.Second, 1, 10, false},
		{3 * time.Second, 0, maxRounds, false}, {0, 0, maxRounds, false},
	} {
		if got := tooLong(test.length, test.pivotal, test.rounds); got != test.want {
			t.Errorf("after %d rounds of %v, of which %d decide the order, another is too long: %t", test.rounds, test.length, test.pivotal, got)
		}
	}
}

// The setting for bounds the time of all rounds, warm-up included. One round is complete in any
// case; others are begun only if they end in time.
func TestForBoundsTheRounds(t *testing.T) {
	const length = 50 * time.Second
	for _, test := range []struct {
		name   string
		params Params
		rounds int
		took   time.Duration
		said   bool
	}{
		{"warm-up and one round fit, a third does not", Params{Rounds: 9, Warmup: 1, For: 2 * time.Minute}, 1, 2 * length, true},
		{"the last one ends just in time", Params{Rounds: 9, Warmup: 1, For: 4 * length}, 3, 4 * length, true},
		{"the bound passes in the first round", Params{Rounds: 9, For: time.Second}, 1, length, true},
		{"the bound passes in the warm-up", Params{Rounds: 9, Warmup: 1, For: time.Second}, 1, 2 * length, true},
		{"no more warm-ups than leave time for a round", Params{Rounds: 9, Warmup: 4, For: 3 * length}, 1, 3 * length, true},
		{"the number of rounds comes first", Params{Rounds: 2, For: time.Hour}, 2, 2 * length, false},
		{"automatic rounds end first", Params{For: time.Hour}, 3, 3 * length, false},
		{"automatic rounds end at the bound", Params{For: 2 * length}, 2, 2 * length, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			m, run := played(t, test.params, length, false)
			start := time.Now()
			if err := m.rounds(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); len(m.kept) != test.rounds || took != test.took || m.converged {
				t.Errorf("%s: %d rounds, %v, converged: %t; want %d, %v", test.name, len(m.kept), took, m.converged, test.rounds, test.took)
			}
			want := note.TimeUp(test.params.For.String(), test.rounds)
			if said := slices.ContainsFunc(m.notes, func(n note.Note) bool { return cmp.Equal(n, want) }); said != test.said {
				t.Errorf("%s: notes are %v; that the time was up among them: %t", test.name, m.notes, said)
			}
		})
	}
}

// A round that does not count is run again while none is complete, but not beyond the bound when
// one is.
func TestForAndRoundsThatDoNotCount(t *testing.T) {
	for first, want := range map[int]int{1: 1, 2: 1} { // number of the round that does not count, and how many are kept
		synctest.Test(t, func(t *testing.T) {
			m, run := played(t, Params{Rounds: 9, For: 20 * time.Second}, 10*time.Second, false)
			executed := 0
			err := m.rounds(t.Context(), func(ctx context.Context) (*round, error) {
				r, err := run(ctx)
				if executed++; executed == first {
					r.invalidate(note.Suspended(1))
				}
				return r, err
			})
			if err != nil || len(m.kept) != want || executed != 2 || len(m.dropped) != 1 {
				t.Errorf("round %d does not count: %d rounds executed, %d kept, %d dropped, %v; want 2, %d, 1", first, executed, len(m.kept), len(m.dropped), err, want)
			}
		})
	}
}

// Progress has the number of the round, and from the first complete round on what a round takes
// and what is left.
func TestSteps(t *testing.T) {
	const each = 10 * time.Second
	for name, test := range map[string]struct {
		params Params
		want   []string
	}{
		"a number of rounds": {Params{Rounds: 3, Warmup: 1}, []string{
			"warm-up 1 of 1: 0s each, 0s to 0s left, keeps 0, 0 %",
			"1 of 3: 10s each, 30s to 30s left, keeps 0, 25 %",
			"2 of 3: 10s each, 20s to 20s left, keeps 1, 50 %",
			"3 of 3: 10s each, 10s to 10s left, keeps 2, 75 %",
		}},
		"automatic": {Params{}, []string{
			"1 of at most 30: 0s each, 0s to 0s left, keeps 0, 0 %",
			"2 of at most 30: 10s each, 20s to 4m50s left, keeps 1, 33 %",
			"3 of at most 30: 10s each, 10s to 4m40s left, keeps 2, 67 %",
			"4 of at most 30: 10s each, 10s to 10s left, keeps 3, 75 %", // the order is settled
		}},
		"bounded": {Params{For: 25 * time.Second, Warmup: 3, Rounds: 5}, []string{
			"warm-up 1 of 3: 0s each, 0s to 0s left, keeps 0, 0 %",
			"1 of at most 5: 10s each, 10s to 10s left, keeps 0, 50 %",
		}},
		"the bound is over before the first round": {Params{For: time.Second, Warmup: 1, Rounds: 5}, []string{
			"warm-up 1 of 1: 0s each, 0s to 0s left, keeps 0, 0 %",
			"1 of at most 5: 10s each, 10s to 10s left, keeps 0, 50 %",
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			test.params.Progress = func(s Step) {
				of, phase := fmt.Sprint("of ", s.Of), ""
				if s.AtMost {
					of = fmt.Sprint("of at most ", s.Of)
				}
				if s.WarmUp {
					phase = "warm-up "
				}
				got = append(got, fmt.Sprintf("%s%d %s: %v each, %v to %v left, keeps %d, %.0f %%", phase, s.Round, of, s.Each, s.Least, s.Most, s.Kept, 100*s.Fraction))
			}
			m, run := played(t, test.params, each, false)
			if err := m.rounds(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// Within a round of several packages what is left becomes less; the portion that is done never
// falls, also where more rounds turn out to be needed.
func TestFractionNeverFalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps []Step
		m, run := played(t, Params{Warmup: 2, Progress: func(s Step) { steps = append(steps, s) }}, time.Second, true)
		err := m.rounds(t.Context(), func(ctx context.Context) (*round, error) {
			m.tellRound("example.com/before")
			time.Sleep(time.Second)
			return run(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		if later, earlier := steps[len(steps)-1], steps[len(steps)-2]; later.Least != earlier.Least-time.Second {
			t.Errorf("a second later %v are left, of %v", later.Least, earlier.Least)
		}
		for i, s := range steps[1:] {
			if s.Fraction < steps[i].Fraction || s.Fraction > 1 || s.Least > s.Most {
				t.Errorf("after %+v came %+v", steps[i], s)
			}
		}
	})
}

// The warm-up stands in for a round until one is complete, because short tests are repeated only
// after it. From then on the median of the rounds counts: one that was held up changes little.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		for i, round := range []struct{ took, each time.Duration }{{9, 9}, {5, 7}, {20, 20}, {600, 310}, {22, 22}} {
			p.begin()
			time.Sleep(round.took * time.Second)
			p.end(i < 2)
			if p.each() != round.each*time.Second {
				t.Errorf("after round %d one takes %v, want %v s", i+1, p.each(), int(round.each))
			}
		}
	})
}
