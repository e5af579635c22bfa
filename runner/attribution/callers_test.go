package attribution

import (
	"math"
	"math/rand/v2"
	"testing"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Rows of the program below: a function that two others call.
const (
	callee = 1
	calm   = 2
	eager  = 3
)

// A calling is a program on one thread, in virtual time: eager and calm call the callee in turns,
// which draws other watts for each.
type calling struct {
	underCalm, underEager float64 // W
	calmW, eagerW         float64 // of the callers themselves
	own                   float64 // part of the time that the callers run themselves
	stays                 float64 // ms that one caller stays, about
	samples               float64 // ms from one sample to the next
	jitter                float64 // ms, of the moment of a reading
	ticks                 int     // of 1 ms, in each of three executions
	random                *rand.Rand
	fromSamples           bool // occupancy is that of samples, as without probes
}

// usual is a calling that the model can tell apart.
func usual(underCalm, underEager float64) calling {
	return calling{underCalm: underCalm, underEager: underEager, calmW: 12, eagerW: 9, own: 0.05, stays: 60, samples: 4, jitter: 0.05, ticks: 4000, random: rand.New(rand.NewPCG(1, 2))}
}

// used is the true energy and time of the callee under one caller.
type used struct{ joules, seconds float64 }

// model measures three executions.
func (c *calling) model() (*Model, map[int]used) {
	const idle = 4.0
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
	m := NewModel(machine, 3, true)
	m.SetRest(Rest{IdleW: []float64{idle}, MeanW: []float64{idle}})
	truth := make(map[int]used)
	for range 3 {
		k := NewTimeline(&machine)
		o := NewOccupancy(k)
		c.execute(k, o, truth, idle)
		m.AddCallers(o)
		m.Add(k, o.Settle(true))
	}
	return m, truth
}

// execute goes through the ticks in steps of 0.05 ms: who runs, what it draws, and what is seen.
func (c *calling) execute(k *Timeline, o *Occupancy, truth map[int]used, idle float64) {
	const step = 0.05
	caller, left, next, joules, ran := calm, 0.0, c.random.Float64()*c.samples, 0.0, 0.0
	power := map[int]float64{calm: c.calmW, eager: c.eagerW}
	under := map[int]float64{calm: c.underCalm, eager: c.underEager}
	phase, last := 0.0, 0.0
	k.Add(Reading{Number: 1, Joules: []float64{0}})
	for i := range c.ticks {
		rows := make(map[uint32]float64)
		off := c.jitter * c.random.NormFloat64()
		for s := range 20 {
			if left -= step; left <= 0 {
				caller, left = calm+eager-caller, c.stays*(0.5+c.random.Float64())
			}
			phase = math.Mod(phase+step, 0.5)
			row, watts := callee, under[caller]
			if phase < c.own*0.5 {
				row, watts = caller, power[caller]
			}
			energy := watts * step / 1e3
			joules += energy
			if row == callee {
				u := truth[caller]
				truth[caller] = used{u.joules + energy, u.seconds + step/1e3}
			}
			if !c.fromSamples {
				rows[uint32(row)] += step
			}
			now := float64(i) + float64(s+1)*step
			if ran += step; ran < next {
				continue
			}
			if c.fromSamples {
				o.AddSample(Sample{Thread: 1, Row: row, AtNS: int64(now * ms), RanNS: int64(ran * ms)})
			}
			ran, next = 0, c.samples
			if row == callee {
				o.AddCaller(probe.CallerSeen{Row: callee, Caller: uint32(caller), Thread: 1, AtNS: int64(now * ms)})
			}
		}
		at := float64(i+1) + off
		read := joules + idle*at/1e3 + under[caller]*off/1e3 // read a little too early or late
		k.Add(Reading{Number: uint64(i + 2), PublishedNS: int64(i+1) * ms, UpdatedNS: int64(i+1) * ms, CPUNS: int64(i+1) * ms, Joules: []float64{max(read, last)}})
		last = max(read, last)
		for row, seconds := range rows {
			o.Add(probe.Occupied{Row: row, Tick: uint32(i + 2), RanNS: seconds * ms})
		}
	}
}

// A function that draws 5 W under one caller and 15 W under the other: each caller gets its own power,
// with probes and without, and the truth is within the interval of two standard deviations.
func TestPowerUnderCallers(t *testing.T) {
	for name, fromSamples := range map[string]bool{"with probes": false, "without": true} {
		c := usual(5, 15)
		c.fromSamples = fromSamples
		if fromSamples {
			c.samples = 1
		}
		m, truth := c.model()
		got := m.CallerPowers()
		if len(got) != 1 || got[0].Row != callee || got[0].ByTime != "" || len(got[0].Callers) != 2 {
			t.Fatalf("%s: %+v, want powers of the callee under two callers", name, got)
		}
		for _, p := range got[0].Callers {
			want := truth[p.Caller].joules / truth[p.Caller].seconds
			near(t, name+": power under a caller", p.Watts, want, 0.05*want+2*p.SD)
			if p.SD > 1.5 {
				t.Errorf("%s: the power under row %d is known within %g W: too little to say anything", name, p.Caller, p.SD)
			}
		}
	}
}

// No difference is claimed where there is none, also if the callers themselves draw different power;
// nor where callers change faster than samples follow, or samples are few.
func TestNoPowerUnderCallersIsClaimed(t *testing.T) {
	alike, interleaved, few := usual(10, 10), usual(5, 15), usual(5, 15)
	alike.calmW, alike.eagerW = 5, 20
	interleaved.stays = 0.5
	few.ticks, few.stays = 60, 15
	for want, c := range map[record.ByTime]calling{record.Alike: alike, record.Interleaved: interleaved, record.Few: few} {
		m, _ := c.model()
		if got := m.CallerPowers(); len(got) != 1 || got[0].ByTime != want {
			t.Errorf("got %+v, want the reason %q for sharing by time", got, want)
		}
	}
}

// By chance alone, hardly any of many programs with equal powers may seem to have different ones.
func TestFalseDifferencesUnderCallers(t *testing.T) {
	claimed := 0
	for seed := range uint64(20) {
		c := usual(10, 10)
		c.ticks, c.random = 1000, rand.New(rand.NewPCG(seed, 3))
		m, _ := c.model()
		if got := m.CallerPowers(); len(got) == 1 && got[0].ByTime == "" {
			claimed++
		}
	}
	if claimed > 1 {
		t.Errorf("in %d of 20 programs with equal powers a difference was claimed", claimed)
	}
}
