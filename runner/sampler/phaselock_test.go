package sampler

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A counter that is updated about once a millisecond is read within a few hundredths of a
// millisecond after its updates, with few polls.
func TestLockFindsUpdates(t *testing.T) {
	for _, test := range []struct {
		name        string
		period, off float64 // of updates, ns: mean and standard deviation
	}{
		{"Zen 2", 1e6, 400}, {"Broadwell", 1e6, 50e3}, {"Ice Lake-SP", 0.95e6, 200e3}, {"slow", 5e6, 1e5},
	} {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			l := newPhaseLock(0)
			var now, update, next int64 = 0, 0, 1e6
			polls, readings, updates := 0, 0, 0
			var worst int64
			for now < 5e9 {
				now = max(now, l.next()) + 2000 + random.Int64N(20_000)
				changed := false
				for next <= now {
					update, changed = next, true
					next += max(100_000, int64(test.period+random.NormFloat64()*test.off))
					updates++
				}
				polls++
				updated, uncertain, ok := l.observe(now, changed)
				if !ok || now < 1e9 {
					continue
				}
				if off := max(updated-update, update-updated); off > uncertain {
					t.Fatalf("the update was at %d, the lock says %d with an uncertainty of %d", update, updated, uncertain)
				} else if uncertain <= maxUncertainNS {
					worst = max(worst, off)
					readings++
				}
			}
			if worst > maxUncertainNS {
				t.Errorf("the time of an update is wrong by %d ns", worst)
			}
			if part := float64(readings) / float64(updates) * 5 / 4; part < 0.5 {
				t.Errorf("only %.2f of the updates were read", part)
			}
			if test.period < 2e6 && polls > 10*updates {
				t.Errorf("%d polls for %d updates", polls, updates)
			}
		})
	}
}

// Where the host or another process takes the processor from the sampler for a while, the counter goes
// on: what it shows afterwards is at most two updates old. Energy of the whole gap would otherwise be
// put into a part of it.
func TestLockAfterAGap(t *testing.T) {
	const ms = int64(1e6)
	random := rand.New(rand.NewPCG(1, 2))
	l := newPhaseLock(0)
	var now, update, next int64 = 0, 0, ms
	gaps := 0
	for now < 5000*ms {
		l.every(0, ms)
		gap := int64(0)
		if random.IntN(200) == 0 {
			gap = 5*ms + random.Int64N(25*ms)
		}
		now = max(now, l.next()) + 2000 + random.Int64N(20_000) + gap
		changed := false
		for next <= now {
			update, changed = next, true
			next += ms + int64(50e3*random.NormFloat64())
		}
		updated, uncertain, ok := l.observe(now, changed)
		if !ok || gap == 0 {
			continue
		}
		gaps++
		if off := max(updated-update, update-updated); off > uncertain || off > 2*ms {
			t.Fatalf("after a gap of %d ns the update was at %d, the lock says %d with an uncertainty of %d", gap, update, updated, uncertain)
		}
	}
	if gaps < 50 {
		t.Errorf("%d readings after a gap, want 50 or more", gaps)
	}
}

// Where readings may be further apart, the sampler wakes up less often, and still knows the moments of
// its readings to a twentieth of their distance.
func TestLockSkipsUpdates(t *testing.T) {
	const second, ms = int64(1e9), int64(1e6)
	usual := 0
	for _, period := range []int64{0, 2 * ms, 4 * ms, 16 * ms, 128 * ms} {
		random := rand.New(rand.NewPCG(1, 2))
		l := newPhaseLock(0)
		var now, update, next, last int64 = 0, 0, ms, 0
		polls, readings := 0, int64(0)
		for now < 10*second {
			l.every(period, ms)
			now = max(now, l.next()) + 2000 + random.Int64N(20_000)
			changed := false
			for next <= now {
				update, changed = next, true
				next += ms + int64(50e3*random.NormFloat64())
			}
			polls++
			updated, uncertain, ok := l.observe(now, changed)
			if !ok || now < second {
				continue
			}
			if off := max(updated-update, update-updated); off > uncertain || uncertain > max(period, ms)*3/20 {
				t.Fatalf("each %d ns: the update was at %d, the lock says %d with an uncertainty of %d", period, update, updated, uncertain)
			}
			if last > 0 && updated-last < period-ms {
				t.Fatalf("each %d ns: readings at %d and %d", period, last, updated)
			}
			last = updated
			readings++
		}
		if period == 0 {
			usual = polls
			continue
		}
		if mean := 9 * second / readings; mean < period-ms/2 || mean > period+ms {
			t.Errorf("each %d ns: readings are %d ns apart", period, mean)
		}
		if int64(polls)*period > int64(usual)*3/2*ms {
			t.Errorf("each %d ns: %d polls in 10 s, and %d at each update", period, polls, usual)
		}
	}
}

// A counter that changes at every poll is read at most every half millisecond. A frozen
// counter is still read, so that it can be found to be frozen.
func TestLockOnFastAndFrozenCounters(t *testing.T) {
	for _, test := range []struct {
		name    string
		period  int64
		changes bool
		least   int
		most    int
	}{{"a change at every poll", 0, true, 500, 2100}, {"frozen", 0, false, 40, 60}, {"frozen, each 64 ms", 64e6, false, 8, 12}} {
		l := newPhaseLock(0)
		l.every(test.period, 1e6)
		readings := 0
		for now := int64(0); now < 1e9; {
			now = max(now, l.next()) + 5000
			if _, _, ok := l.observe(now, test.changes); ok {
				readings++
			}
		}
		if readings < test.least || readings > test.most {
			t.Errorf("%s: %d readings in a second, want %d to %d", test.name, readings, test.least, test.most)
		}
	}
}

// What ran is what the processors were not idle: the columns of user and system time miss tasks that a timer wakes. A
// system that does not know the sums says that nothing ran, and a sum that jumps is left out.
func TestStat(t *testing.T) {
	const ms = 1_000_000
	for _, test := range []struct {
		name, before, after string
		busy, steal         int64
	}{
		{"half a processor", "cpu  10 1 5 100 50 2 3 4 0 0\ncpu0 1 1", "cpu  11 1 5 200 96 2 3 8 0 0", 500 * ms, 40 * ms},
		{"as old kernels have it", "cpu  10 1 5 100 50 2 3 4", "cpu  11 1 5 200 96 2 3 8", 500 * ms, 40 * ms},
		{"idle, by rounding a little more", "cpu  10 1 5 100 50 2 3 4 0 0", "cpu  10 1 5 252 100 2 3 4 0 0", -20 * ms, 0},
		{"idle falls, as where a processor is gone", "cpu  10 1 5 900 50 2 3 4 0 0", "cpu  10 1 5 500 50 2 3 4 0 0", 0, 0},
		{"not known", "cpu  0 0 0 0 0 0 0 0 0 0", "cpu  0 0 0 0 0 0 0 0 0 0", 0, 0},
		{"one processor only", "cpu0 10 1 5 100 7 2 3 4 0 0\n", "cpu0 10 1 5 100 7 2 3 5 0 0\n", 0, 0},
		{"too few columns", "cpu 1 2 3\n", "cpu 2 2 3\n", 0, 0},
		{"empty", "", "", 0, 0},
	} {
		s := stat{processors: 2}
		s.parse(0, []byte(test.before))
		s.parse(1000*ms, []byte(test.after))
		if s.busy != test.busy || s.steal != test.steal {
			t.Errorf("%s: busy %d, steal %d ns; want %d, %d", test.name, s.busy, s.steal, test.busy, test.steal)
		}
	}
	// On an idle machine of 64 processors, each fourth look comes some ms after its time was taken.
	for _, late := range []int64{2, 12, 30} {
		s := stat{processors: 64}
		for i := range int64(101) {
			idle := i * 10
			if i%4 == 1 {
				idle += late
			}
			s.parse(i*10*ms, fmt.Appendf(nil, "cpu  0 0 0 %d 0 0 0 0 0 0", 64*idle/10))
		}
		if s.busy < -20*ms || s.busy > 20*ms {
			t.Errorf("an idle machine whose looks are up to %d ms late was busy for %d ms, want none", late, s.busy/ms)
		}
	}
	if n := countProcessors([]byte("cpu  1 2\ncpu0 1 2\ncpu11 1 2\nintr 5\ncpus 1\n")); n != 2 {
		t.Errorf("%d processors", n)
	}
}

// Why: a counter may stop, by a fault of its firmware or because its driver is gone. Looking for its next update twenty thousand times a
// second kept a processor busy for as long as that took. When the counter goes on, the lock must be there again.
func TestLockOnACounterThatStops(t *testing.T) {
	const second, ms = int64(1e9), int64(1e6)
	l := newPhaseLock(0)
	var now, next int64 = 0, ms
	polls := make([]int, 3) // by second: it goes, stops, and goes again
	readings := make([]int, 3)
	for now < 3*second {
		now = max(now, l.next()) + 10_000
		if now >= 3*second {
			break
		}
		in := now / second
		changed := false
		for next <= now {
			changed, next = in != 1, next+ms
		}
		polls[in]++
		if _, uncertain, ok := l.observe(now, changed); ok && uncertain <= maxUncertainNS {
			readings[in]++
		}
	}
	if polls[1] > 2000 {
		t.Errorf("%d polls in a second without an update, want no more than 2,000", polls[1])
	}
	if readings[0] < 900 || readings[2] < 900 {
		t.Errorf("%d exact readings before, and %d after it, want 900 of 1,000", readings[0], readings[2])
	}
}
