package power

import (
	"math"
	"math/rand/v2"
)

// A physics is what a machine makes of its running threads: the watts that each draws, given
// those that each would draw alone (0 for a thread that waits) and the time in s.
type physics func(alone []float64, at float64) []float64

// A governor sets another frequency every now and then: weights are the power at it, by time.
type governor struct {
	every   float64 // s
	weights []float64
}

func (g *governor) at(t float64) float64 { return g.weights[int(t/g.every)%len(g.weights)] }

// known is the mean over the window before the last whole one: what is known of it at a time.
func (g *governor) known(t float64) float64 {
	const window = 0.1
	end := math.Floor(t/window) * window
	sum := 0.0
	for i := range 10 {
		sum += g.at(max(0, end-window*(float64(i)+0.5)/10)) / 10
	}
	return sum
}

func (g *governor) physics(alone []float64, at float64) []float64 { return scaled(alone, g.at(at)) }

// A nonlinear is a machine whose power is no sum of what its threads would draw alone. Time
// goes in steps.
type nonlinear struct {
	sim
	physics physics
	known   func(at float64) float64 // Tick.Weight; nil where it is not known
	slow    float64                  // share of the energy that passes a filter before it is counted, with the constant slowS
	slowS   float64                  // s
}

const stepS = 20e-6

// run returns the ticks, and the true energy of each row in J.
func (m *nonlinear) run(seed uint64) (ticks []Tick, truth []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	var lanes [][]segment
	for range m.threads {
		lanes = append(lanes, m.thread(r))
	}
	if m.other >= 0 {
		lanes = append(lanes, m.neighbour(r))
	}
	said, truly := m.moments(r)
	truth = make([]float64, len(m.watts))
	counted := m.step(lanes, truth)
	occ, _ := integrate(lanes, said)
	at := func(t float64) float64 {
		i := max(0, min(t/stepS, float64(len(counted)-2)))
		whole := int(i)
		return counted[whole] + (i-float64(whole))*(counted[whole+1]-counted[whole])
	}
	for k := range occ {
		joules := m.idle*(truly[k+1]-truly[k]) + at(truly[k+1]) - at(truly[k])
		tick := Tick{Seconds: said[k+1] - said[k], Joules: []float64{max(0, joules*(1+m.noise*r.NormFloat64()))}, Entries: occ[k]}
		if m.known != nil {
			tick.Weight = m.known(said[k])
		}
		ticks = append(ticks, tick)
	}
	return ticks, truth
}

// step returns the energy that is counted until each step, and adds up that of each row.
func (m *nonlinear) step(lanes [][]segment, truth []float64) []float64 {
	at, held := make([]int, len(lanes)), 0.0
	alone, rows := make([]float64, len(lanes)), make([]uint32, len(lanes))
	counted := []float64{0}
	for t := 0.0; t < m.seconds; t += stepS {
		for l, lane := range lanes {
			for at[l] < len(lane)-1 && lane[at[l]].to <= t {
				at[l]++
			}
			alone[l] = 0
			if g := lane[at[l]]; g.from <= t && t < g.to {
				alone[l], rows[l] = g.watts, g.row
			}
		}
		used := 0.0
		for l, watts := range m.physics(alone, t) {
			if alone[l] > 0 {
				truth[rows[l]] += watts * stepS
				used += watts * stepS
			}
		}
		held += m.slow * used
		comes := 0.0
		if m.slow > 0 {
			comes = held * (1 - math.Exp(-stepS/m.slowS))
			held -= comes
		}
		counted = append(counted, counted[len(counted)-1]+(1-m.slow)*used+comes)
	}
	return counted
}

// busy is the number of threads that run.
func busy(alone []float64) (n int) {
	for _, w := range alone {
		if w > 0 {
			n++
		}
	}
	return n
}

func scaled(alone []float64, factor float64) []float64 {
	out := make([]float64, len(alone))
	for i, w := range alone {
		out[i] = w * factor
	}
	return out
}

func linear(alone []float64, _ float64) []float64 { return alone }

// siblings are pairs of threads that share a core: what one issues slows the other down.
func siblings(alone []float64, _ float64) []float64 {
	out := make([]float64, len(alone))
	for i, w := range alone {
		out[i] = w
		if j := i ^ 1; j < len(alone) {
			out[i] = w / (1 + 0.8*alone[j]/25)
		}
	}
	return out
}

// saturating is a core whose power rises ever less with what its two threads would draw alone.
func saturating(alone []float64, _ float64) []float64 {
	out := make([]float64, len(alone))
	for i, w := range alone {
		out[i] = w
		if j := i ^ 1; j < len(alone) && w > 0 && alone[j] > 0 {
			most := 35.0
			u, v := -math.Log(1-w/most), -math.Log(1-alone[j]/most)
			out[i] = most * (1 - math.Exp(-u-v)) * w / (w + alone[j])
		}
	}
	return out
}

// all are several effects together.
func all(effects ...physics) physics {
	return func(alone []float64, at float64) []float64 {
		for _, p := range effects {
			alone = p(alone, at)
		}
		return alone
	}
}

// turbo gives one busy core 3.8 GHz, and all together 3.4 GHz. The frequency needs a millisecond to
// follow, and power goes with f V^2, with V from 0.8 V at 2 GHz to 1.2 V at 3.8 GHz.
func turbo() physics {
	f := 3.8
	power := func(f float64) float64 { v := 0.8 + 0.4*(f-2)/1.8; return f * v * v }
	return func(alone []float64, _ float64) []float64 {
		want := 3.8 - 0.4*float64(max(0, busy(alone)-1))/float64(len(alone)-1)
		f += (want - f) * (1 - math.Exp(-stepS/1e-3))
		return scaled(alone, power(f)/power(3.8))
	}
}

// warm is a machine that draws a quarter more in the middle of the run.
func warm(seconds float64) physics {
	return func(alone []float64, at float64) []float64 {
		s := math.Sin(math.Pi * at / seconds)
		return scaled(alone, 1+0.25*s*s)
	}
}

// twenty are twenty functions of 5 to 25 W on two threads, each of which waits a third of its time.
func twenty(p physics) *nonlinear {
	m := &nonlinear{sim: *mixed(1, 0.05e-3), physics: p}
	m.other, m.wait, m.noise = -1, 0.35, 0.02
	return m
}
