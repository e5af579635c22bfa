package attribution

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/power"
	"spell-lsp/spell"
)

// With a counter, the model distinguishes the power of children (20 W) from the power of functions
// (5 W) that run at the same time.
func TestPowerOfChildren(t *testing.T) {
	const function, child, idle = 5.0, 20.0, 3.0
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
	m := NewModel(machine, 1, true)
	k := NewTimeline(&machine)
	seconds := func(i int, period int) float64 { return 0.01 * float64(i%period) / float64(period) }
	var cpu, used, joules float64
	for i := range 2000 {
		ran, computed := seconds(i, 7), seconds(i, 11)
		cpu, used, joules = cpu+ran*1e9, used+computed*1e9, joules+idle*0.01+function*ran+child*computed
		t := int64(i) * 10 * ms
		k.Add(Reading{PublishedNS: t, UpdatedNS: t, CPUNS: int64(cpu), Joules: []float64{joules}})
		k.family.add(t, int64(used), 0)
		if i > 0 {
			m.Add(k, []Tick{{reading: i, entries: []power.Entry{{Row: 1, Seconds: ran}}, childrenS: computed}})
		}
	}
	fit := m.solver.Fit()
	near(t, "power of a function", fit.Watts(1, 0).Watts, function, 0.2)
	near(t, "power of children", fit.Watts(uint32(childrenRow(1)), 0).Watts, child, 0.2)
}

// A child process with probes (20 W) runs beside its parent (5 W), and longer than the parent ran
// in the same tick. Its time is limited by what the processors had left, and not by the CPU time of
// the parent, so each gets its own power.
func TestPowerOfChildrenWithProbes(t *testing.T) {
	const own, child, idle = 5.0, 20.0, 3.0
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
	m := NewModel(machine, 2, true)
	k := NewTimeline(&machine)
	var cpu, joules float64
	for i := range 2000 {
		ran, computed := 0.002*float64(i%7)/7, 0.01*float64(i%11)/11
		cpu, joules = cpu+ran*1e9, joules+idle*0.01+own*ran+child*computed
		t := int64(i) * 10 * ms
		k.Add(Reading{PublishedNS: t, UpdatedNS: t, CPUNS: int64(cpu), Joules: []float64{joules}})
		if i > 0 {
			m.Add(k, []Tick{{reading: i, entries: []power.Entry{{Row: 1, Seconds: ran}, {Row: 2, Seconds: computed}}, familyS: computed}})
		}
	}
	fit := m.solver.Fit()
	near(t, "power of the parent's function", fit.Watts(1, 0).Watts, own, 0.2)
	near(t, "power of the child's function", fit.Watts(2, 0).Watts, child, 0.2)
}

// A program (20 W) is known by its CPU time alone, on a machine (3 W) that nobody saw at rest, beside a
// process that draws nothing. All functions have the power of the program, and none that of the mean row.
func TestPowerOfAPooledProgram(t *testing.T) {
	const own, idle = 20.0, 3.0
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
	m := NewModel(machine, 2, true)
	m.Pool()
	m.SetRest(Rest{IdleW: []float64{0}})
	k := NewTimeline(&machine)
	var cpu, joules float64
	for i := range 2000 {
		ran := 0.01 * float64(i%7) / 7
		cpu, joules = cpu+ran*1e9, joules+idle*0.01+own*ran
		t := int64(i) * 10 * ms
		k.Add(Reading{PublishedNS: t, UpdatedNS: t, CPUNS: int64(cpu), Joules: []float64{joules}})
		if i > 0 {
			m.Add(k, []Tick{{reading: i, othersS: 0.01 * float64(i%11) / 11}})
		}
	}
	w := m.Powers()
	near(t, "power of the idle machine", w.IdleW(), idle, 0.2)
	for _, row := range []int{0, 1, 2, probe.RuntimeRow(2), schedulerRow(2)} {
		near(t, fmt.Sprint("power of row ", row), w.Watts(row, 0), own, 0.2)
		if spread := w.Spread(row, 0); spread > 0.1 {
			t.Errorf("the power of row %d has a spread of %g, want that of the program", row, spread)
		}
	}
	if others := w.Watts(othersRow(2), 0); others > 1 {
		t.Errorf("the other process has %g W, want next to none", others)
	}
}

// Functions of 8 and 12 W run on a machine that was at rest before. Then another process of 60 W runs a third of the time: its
// energy must not go to the functions.
func TestOthersThatStartLater(t *testing.T) {
	const idle, others = 8.0, 60.0
	watts := []float64{8, 12}
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
	m := NewModel(machine, 2, true)
	m.SetRest(Rest{IdleW: []float64{idle}, MeanW: []float64{idle + 0.02*others}, OthersLoad: 0.02})
	k := NewTimeline(&machine)
	var cpu, joules float64
	r := rand.New(rand.NewPCG(1, 2))
	for i := range int64(10_000) {
		joules += 5e-3 * r.NormFloat64()
		function, beside := uint32(i/5%2), 0.0
		if r.Float64() < 0.3 {
			beside = 1e-3
		}
		cpu, joules = cpu+1e6, joules+1e-3*(idle+watts[function])+others*beside
		k.Add(Reading{PublishedNS: i * ms, UpdatedNS: i * ms, CPUNS: int64(cpu), Joules: []float64{joules}})
		if i > 0 {
			m.Add(k, []Tick{{reading: int(i), othersS: beside, entries: []power.Entry{{Row: function, Seconds: 1e-3}}}})
		}
	}
	w := m.Powers()
	for f, want := range watts {
		near(t, fmt.Sprint("power of function ", f), w.Watts(f, 0), want, 0.03)
	}
}

// On a machine on which each of two busy threads draws a third less, functions of 6 and 18 W keep
// their ratio, whichever runs alone more often, and the model names the effect; a linear one does
// not, and gives the function that is seldom alone too little.
func TestThreadsThatDrawLessTogether(t *testing.T) {
	const idle = 3.0
	powers := func(linear bool) *Powers {
		machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
		m := NewModel(machine, 2, true)
		if linear {
			m.Linear()
		}
		k := NewTimeline(&machine)
		m.SetRest(Rest{IdleW: []float64{idle}, MeanW: []float64{idle}})
		var cpu, joules float64
		for i := range 4000 {
			var ran [2]float64 // of the functions, on two threads: all of the tick, or nothing
			watts := [2]float64{6, 18}
			switch {
			case i%3 > 0:
				ran = [2]float64{0.001, 0.001}
			case i%9 < 6:
				ran[0] = 0.001
			default:
				ran[1] = 0.001
			}
			factor := 1.0
			if ran[0] > 0 && ran[1] > 0 {
				factor = 2. / 3
			}
			joules += idle * 0.001
			for f, s := range ran {
				cpu, joules = cpu+s*1e9, joules+factor*watts[f]*s
			}
			t := int64(i) * ms
			k.Add(Reading{PublishedNS: t, UpdatedNS: t, CPUNS: int64(cpu), Joules: []float64{joules}})
			if i > 0 {
				m.Add(k, []Tick{{reading: i, entries: []power.Entry{{Row: 1, Seconds: ran[0]}, {Row: 2, Seconds: ran[1]}}}})
			}
		}
		return m.Powers()
	}
	// Function 1 is alone in two ticks of eight, function 2 in one of seven.
	want := 18 * (1 + 6*2./3) / 7 / (6 * (2 + 6*2./3) / 8)
	auto := powers(false)
	near(t, "ratio of the powers", auto.Watts(2, 0)/auto.Watts(1, 0), want, 0.02)
	near(t, "loss of a thread beside another", auto.Terms(0).Loss(), 1./3, 0.02)
	plain := powers(true)
	if terms := plain.Terms(0); terms != (power.Terms{}) {
		t.Errorf("the linear model has the terms %+v", terms)
	}
	if ratio := plain.Watts(2, 0) / plain.Watts(1, 0); ratio > 0.97*want && ratio < 1.03*want {
		t.Errorf("the linear model has the ratio %.3f, as good as the other, so the test shows nothing", ratio)
	}
}

// Why: where frequencies can be read, power follows them: the fit must be told.
func TestFrequencyReachesTheModel(t *testing.T) {
	const idle = 3.0
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
	m, k := NewModel(machine, 2, true), NewTimeline(&machine)
	var cpu, joules float64
	for i := range 4000 {
		weight := []float64{1, 0.5, 0.8}[i/150%3]
		cool, hot := 0.8*ms*float64(i%7)/7/1e9, 0.8*ms*float64(i%11)/11/1e9
		cpu, joules = cpu+(cool+hot)*1e9, joules+idle*ms/1e9+weight*(5*cool+20*hot)
		at := int64(i) * ms
		k.Add(Reading{PublishedNS: at, UpdatedNS: at, CPUNS: int64(cpu), Joules: []float64{joules}, Weight: weight})
		if i > 0 {
			m.Add(k, []Tick{{reading: i, entries: []power.Entry{{Row: 1, Seconds: cool}, {Row: 2, Seconds: hot}}}})
		}
	}
	if terms := m.solver.Fit().Terms(0); math.Abs(terms.Frequency-1) > 0.05 || terms.Drift {
		t.Errorf("the fit has the terms %+v, want the power 1 of the frequency's weight", terms)
	}
}
