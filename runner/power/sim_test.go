package power

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A sim is a machine whose power is known: threads call functions in random order, and a
// meter reads at inexact times.
type sim struct {
	idle    float64   // W
	watts   []float64 // by row
	calls   []call    // calls of the threads
	threads int
	wait    float64 // share of the time in which a thread waits
	other   int     // row of a neighbour, another process that runs half of the time; -1 for none
	cycle   bool    // calls in order
	quiet   float64 // s before the threads start
	seconds float64
	noise   float64                                  // of a tick's energy, relative
	jitter  float64                                  // s, standard deviation of reading times
	delay   float64                                  // s, maximum age of a counter's value when it is read
	unit    float64                                  // J, of the counter; 0: exact
	stall   float64                                  // share of ticks that are 5 to 20 ms long
	vary    float64                                  // standard deviation of a call's power, relative
	length  func(r *rand.Rand, mean float64) float64 // s, of a call; nil: exactly the mean
}

type call struct {
	row     uint32
	seconds float64
}

type segment struct {
	from, to float64
	row      uint32
	watts    float64
}

const usualTick = 1e-3

// run returns the ticks of one domain.
func (s *sim) run(seed uint64) []Tick {
	r := rand.New(rand.NewPCG(seed, 1))
	var lanes [][]segment
	for range s.threads {
		lanes = append(lanes, s.thread(r))
	}
	if s.other >= 0 {
		lanes = append(lanes, s.neighbour(r))
	}
	said, truly := s.moments(r)
	occ, _ := integrate(lanes, said)
	_, above := integrate(lanes, truly)
	ticks := make([]Tick, 0, len(occ))
	counter, last := 0.0, 0.0
	for k := range occ {
		joules := s.idle*(truly[k+1]-truly[k]) + above[k]
		counter += joules * (1 + s.noise*r.NormFloat64())
		shown := counter
		if s.unit > 0 {
			shown = math.Floor(counter/s.unit) * s.unit
		}
		ticks = append(ticks, Tick{Seconds: said[k+1] - said[k], Joules: []float64{max(shown-last, 0)}, Entries: occ[k]})
		last = shown
	}
	return ticks
}

func (s *sim) thread(r *rand.Rand) []segment {
	var lane []segment
	for at, n := s.quiet, 0; at < s.seconds; n++ {
		c := s.calls[n%len(s.calls)]
		if !s.cycle {
			c = s.calls[r.IntN(len(s.calls))]
		}
		d := c.seconds
		if s.length != nil {
			d = s.length(r, d)
		}
		lane = append(lane, segment{at, at + d, c.row, s.watts[c.row] * max(0, 1+s.vary*r.NormFloat64())})
		at += d
		if s.wait > 0 {
			at += d * s.wait / (1 - s.wait) * 2 * r.Float64()
		}
	}
	return lane
}

func (s *sim) neighbour(r *rand.Rand) []segment {
	var lane []segment
	for at := 0.0; at < s.seconds; {
		d := 2e-3 + 20e-3*r.Float64()
		lane = append(lane, segment{at, at + d, uint32(s.other), s.watts[s.other]})
		at += d + 2e-3 + 20e-3*r.Float64()
	}
	return lane
}

// moments returns when ticks are reported to end, and when they really end.
func (s *sim) moments(r *rand.Rand) (said, truly []float64) {
	for at := 0.0; at < s.seconds; {
		said = append(said, at)
		shift := min(max(s.jitter*r.NormFloat64(), -0.49*usualTick), 0.49*usualTick) - s.delay*r.Float64()
		truly = append(truly, at+shift)
		if r.Float64() < s.stall {
			at += usualTick * (5 + 15*r.Float64())
		} else {
			at += usualTick
		}
	}
	return said, truly
}

// integrate returns the running time of rows between moments, and their energy.
func integrate(lanes [][]segment, moments []float64) (out [][]Entry, joules []float64) {
	n := len(moments) - 1
	out, joules = make([][]Entry, n), make([]float64, n)
	for _, lane := range lanes {
		k := 0
		for _, g := range lane {
			for k > 0 && moments[k] > g.from {
				k--
			}
			for k < n && moments[k+1] <= g.from {
				k++
			}
			for ; k < n && moments[k] < g.to; k++ {
				d := min(g.to, moments[k+1]) - max(g.from, moments[k])
				if d <= 0 {
					continue
				}
				joules[k] += d * g.watts
				i := slices.IndexFunc(out[k], func(e Entry) bool { return e.Row == g.row })
				if i < 0 {
					out[k] = append(out[k], Entry{Row: g.row, Seconds: d})
				} else {
					out[k][i].Seconds += d
				}
			}
			k = max(0, min(k, n-1))
		}
	}
	return out, joules
}

// sharing returns the watts of each row if the energy above idle of each tick is shared by
// CPU time.
func sharing(ticks []Tick, idle float64, rows int) []float64 {
	joules, occ := make([]float64, rows), make([]float64, rows)
	for _, t := range ticks {
		all := 0.0
		for _, e := range t.Entries {
			all += e.Seconds
		}
		for _, e := range t.Entries {
			joules[e.Row] += max(t.Joules[0]-idle*t.Seconds, 0) * e.Seconds / all
			occ[e.Row] += e.Seconds
		}
	}
	for r := range joules {
		joules[r] /= max(occ[r], 1e-12)
	}
	return joules
}

// mixed returns the workload of many functions beside a neighbour.
func mixed(seed uint64, jitter float64) *sim {
	r := rand.New(rand.NewPCG(seed, 2))
	s := &sim{idle: 8, threads: 2, other: 20, seconds: 10, quiet: 0.5, noise: 0.05, jitter: jitter, unit: 1.0 / (1 << 14)}
	for row := range uint32(20) {
		s.watts = append(s.watts, 5+20*r.Float64())
		s.calls = append(s.calls, call{row, 0.05e-3 * math.Pow(200, r.Float64())})
	}
	s.watts = append(s.watts, 10)
	return s
}
