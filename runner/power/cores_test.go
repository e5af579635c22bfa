package power

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A multicore is a machine with a counter for each core and one for the package, which has the energy of the cores and of what
// all share. Threads change their cores every now and then.
type multicore struct {
	sim
	idleCore float64   // W of each core
	shared   []float64 // W by row, outside of the cores
	tilt     float64   // W, by which the idle power differs from one core to the next
	apart    bool      // counters are updated at moments of their own, and not all at once
}

// coreTick is one tick of all cores.
type coreTick struct {
	whole Tick
	cores []Tick
}

func (s *multicore) run(seed uint64) []coreTick {
	r := rand.New(rand.NewPCG(seed, 3))
	const stay = 20e-3 // s on a core
	order := func() []int { return r.Perm(s.threads) }
	var orders [][]int
	on := make([][][]segment, s.threads) // by core and thread
	all := make([][]segment, s.threads)  // by thread: with what is shared
	for i := range on {
		on[i] = make([][]segment, s.threads)
	}
	for thread := range s.threads {
		for _, g := range s.thread(r) {
			epoch := int(g.from / stay)
			for len(orders) <= epoch {
				orders = append(orders, order())
			}
			core := orders[epoch][thread]
			on[core][thread] = append(on[core][thread], g)
			g.watts = s.shared[g.row]
			all[thread] = append(all[thread], g)
		}
	}
	said, truly := s.moments(r)
	ticks := make([]coreTick, len(said)-1)
	_, shared := integrate(all, truly)
	for k := range ticks {
		ticks[k].whole = Tick{Seconds: said[k+1] - said[k], Joules: []float64{s.idle*(truly[k+1]-truly[k]) + shared[k]}}
	}
	for core := range on {
		occ, _ := integrate(on[core], said)
		_, whole := integrate(on[core], truly)
		own := truly
		if s.apart {
			_, own = s.moments(r)
		}
		_, above := integrate(on[core], own)
		idle := s.idleCore + s.tilt*(float64(core)-float64(s.threads-1)/2)
		for k := range ticks {
			ticks[k].whole.Joules[0] += idle*(truly[k+1]-truly[k]) + whole[k]
			joules := (idle*(own[k+1]-own[k]) + above[k]) * (1 + s.noise*r.NormFloat64())
			ticks[k].cores = append(ticks[k].cores, Tick{Seconds: said[k+1] - said[k], Joules: []float64{max(0, joules)}, Entries: occ[k]})
			for _, e := range occ[k] {
				if i := slices.IndexFunc(ticks[k].whole.Entries, func(o Entry) bool { return o.Row == e.Row }); i >= 0 {
					ticks[k].whole.Entries[i].Seconds += e.Seconds
				} else {
					ticks[k].whole.Entries = append(ticks[k].whole.Entries, e)
				}
			}
		}
	}
	for k := range ticks {
		ticks[k].whole.Joules[0] *= 1 + s.noise*r.NormFloat64()
	}
	return ticks
}

// fitCores is the model of the cores, and that of what the package uses beyond them.
func (s *multicore) fitCores(ticks []coreTick) (cores, beyond *Fit) {
	c, m := NewCores(s.threads, len(s.watts)), New(1, len(s.watts))
	var idle []float64
	for core := range s.threads {
		idle = append(idle, s.idleCore+s.tilt*(float64(core)-float64(s.threads-1)/2))
	}
	c.SetDifferences(idle)
	c.SetIdle(s.idleCore, 0.01)
	m.SetIdle(0, s.idle, 0.1)
	for _, t := range ticks {
		rest := t.whole
		rest.Joules = slices.Clone(rest.Joules)
		for core, of := range t.cores {
			c.Add(core, of.Seconds, of.Joules[0], of.Entries)
			rest.Joules[0] -= of.Joules[0]
		}
		rest.Joules[0] = max(0, rest.Joules[0])
		m.Add(rest)
	}
	return c.Fit(), m.Fit()
}

// twentyFunctions are 20 functions of 2 to 10 W in a core, and of 0 to 2 W beyond it, on that many cores.
func twentyFunctions(seed uint64, threads int) *multicore {
	r := rand.New(rand.NewPCG(seed, 4))
	s := &multicore{idleCore: 0.5, tilt: 0.05, sim: sim{idle: 10, threads: threads, other: -1, seconds: 10, quiet: 0.2, noise: 0.02, jitter: 0.05e-3}}
	for row := range uint32(20) {
		s.watts, s.shared = append(s.watts, 2+8*r.Float64()), append(s.shared, 2*r.Float64())
		s.calls = append(s.calls, call{row, 0.05e-3 * math.Pow(200, r.Float64())})
	}
	return s
}

// Why: with eight threads, eight functions run in each tick, and the counter of the package says only what they use together.
// Counters of cores say what each used. What functions use beyond the cores is then what remains: as exact as the counter of the
// package where it is updated at other moments than those of the cores, else more exact.
func TestCountersOfCoresTellThreadsApart(t *testing.T) {
	for _, tt := range []struct {
		threads int
		apart   bool
		times   float64 // by which the mean error without counters of cores is larger, at least
	}{{1, false, 1}, {4, false, 1.5}, {8, false, 1.5}, {4, true, 1}, {8, true, 1}} {
		var inCores, of, without, covered, n float64
		for seed := range uint64(3) {
			s := twentyFunctions(seed, tt.threads)
			s.apart = tt.apart
			ticks := s.run(seed)
			cores, beyond := s.fitCores(ticks)
			var wholes []Tick
			for _, k := range ticks {
				wholes = append(wholes, k.whole)
			}
			whole := fit(wholes, len(s.watts), s.idle+s.idleCore*float64(tt.threads))
			for r := range s.watts {
				truth := s.watts[r] + s.shared[r]
				c, b := cores.Watts(uint32(r), 0), beyond.Watts(uint32(r), 0)
				inCores += errorOf(c.Watts, s.watts[r])
				of += errorOf(c.Watts+b.Watts, truth)
				without += errorOf(whole.Watts(uint32(r), 0).Watts, truth)
				if covers(Estimate{Watts: c.Watts + b.Watts, SD: math.Hypot(c.SD, b.SD)}, truth) {
					covered++
				}
				n++
			}
		}
		if inCores/n > 0.012 || of/n > 0.03 || without < tt.times*of || covered/n < 0.9 {
			t.Errorf("%d threads, counters updated at moments of their own %t: mean error in cores %.4f, of all %.4f, without counters of cores %.4f; %.2f of the powers are in their intervals",
				tt.threads, tt.apart, inCores/n, of/n, without/n, covered/n)
		}
	}
}

// Why: a machine has a hundred cores, most of them idle. What these say about the noise must not make the powers seem exact, nor the
// power of the one core that works impossible; and what is no reading says nothing.
func TestIdleCores(t *testing.T) {
	s := twentyFunctions(1, 1)
	alone, among := NewCores(1, len(s.watts)), NewCores(100, len(s.watts))
	idle := slices.Repeat([]float64{s.idleCore}, 100)
	alone.SetDifferences(idle[:1])
	alone.SetIdle(s.idleCore, 0.01)
	among.SetDifferences(idle)
	among.SetIdle(s.idleCore, 0.01)
	among.SetDifferences(idle[1:])
	among.SetDifferences(slices.Repeat([]float64{math.Inf(1)}, 100))
	for _, k := range s.run(1) {
		of := k.cores[0]
		alone.Add(0, of.Seconds, of.Joules[0], of.Entries)
		among.Add(7, of.Seconds, of.Joules[0], of.Entries)
		among.Add(7, of.Seconds, math.NaN(), of.Entries)
		among.Add(7, of.Seconds, -1, of.Entries)
		for core := range 100 {
			if core != 7 {
				among.Add(core, of.Seconds, s.idleCore*of.Seconds, nil)
			}
		}
	}
	one, all := alone.Fit(), among.Fit()
	for r := range s.watts {
		a, b := one.Watts(uint32(r), 0), all.Watts(uint32(r), 0)
		if errorOf(a.Watts, b.Watts) > 1e-6 || errorOf(a.SD, b.SD) > 1e-6 || errorOf(b.Watts, s.watts[r]) > 0.2 {
			t.Errorf("row %d of %.2f W: %+v on one core, %+v on one of a hundred", r, s.watts[r], a, b)
		}
	}
}

// Why: noise moves energy between ticks of one core. A tick that is left out, as its power is impossible, must not shift those that come
// later: their blocks would begin with the end of one core's run, and end with the begin of another's.
func TestBlocksOfCoresAfterAnImpossibleTick(t *testing.T) {
	c := NewCores(2, 1)
	whole := func(when string, parts []*part) {
		t.Helper()
		for level := 1; level < levels; level++ {
			if n := parts[0].sums.next[level].parts; n != 0 {
				t.Errorf("%s: %d blocks wait on level %d for those of the next core", when, n, level)
			}
		}
	}
	add := func(runs int, spike bool) {
		for i := range runs * runTicks {
			for core := range 2 {
				joules := float64(1+core) * 1e-3
				if spike && core == 0 && i == 3 {
					joules = 1
				}
				c.Add(core, 1e-3, joules, []Entry{{Row: 0, Seconds: 1e-3}})
			}
			c.Add(0, 0, 1e-3, nil)
			c.Add(1, 1e-3, 1e-3, []Entry{{Row: 9, Seconds: 1e-3}})
		}
	}
	add(2, true)
	parts, spikes := c.model.sumUp(mostTicks)
	whole("while ticks are kept", parts)
	add(backlogTicks/2/runTicks, false)
	add(1, true)
	whole("in a long run", c.model.parts)
	if _, leftOut := c.Fit().Ticks(); spikes != 1 || leftOut != 2 {
		t.Errorf("%d and %d ticks are left out, want 1 and 2", spikes, leftOut)
	}
}
