package attribution

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/power"
	"spell-lsp/spell"
)

// A multicore is a machine with four cores of two processors each, on which four threads run twelve functions.
type multicore struct {
	threads int
	inCore  []float64 // W, by row
	beyond  []float64 // W, by row, outside of the cores
	lost    float64   // share of the records without a CPU
	othersW float64   // power of another process, which takes one processor of the last core for half of the time; 0 for none
	restW   float64   // what another process drew on the last core at rest, for half of the time in each window
	pinned  bool      // each thread has a core and three functions of its own
	// fault changes a reading of all cores, unless it is nil.
	fault    func(tick int, cores []float64)
	missing  bool    // one core cannot be read every now and then
	vary     float64 // standard deviation of the power from call to call, relative
	noise    float64 // of a reading of the package, relative
	seconds  float64
	withCore bool // the machine has counters of cores
	// Where beside is below 1, threads take turns with one of them alone, and draw that part of their power where they run together;
	// the processor of the last row is never known.
	beside float64
}

const (
	coreIdleW   = 0.5
	beyondIdleW = 9.0
)

func newMulticore() *multicore {
	m := &multicore{threads: 4, vary: 0.2, noise: 0.005, seconds: 8, beside: 1, inCore: []float64{0}, beyond: []float64{0}, withCore: true}
	for row := range 12 {
		m.inCore, m.beyond = append(m.inCore, 2+float64(row*7%12)/2), append(m.beyond, float64(row%3)/3)
	}
	return m
}

// powers are those that the model finds.
func (m *multicore) powers(t *testing.T) *Powers {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	machine := Machine{Domains: []spell.Domain{spell.DRAM, spell.CPU}, UpdateNS: []int64{ms, ms}, Counter: true, Cores: 8}
	cores := []float64{0, 0, 0, 0}
	if m.withCore {
		machine.CoreCPUs = [][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	}
	model, line := NewModel(machine, len(m.inCore)-1, true), NewTimeline(&machine)
	if model.NeedsCPUs() != m.withCore {
		t.Fatalf("the model needs the processors: %t", model.NeedsCPUs())
	}
	atRest := Rest{CoreW: []float64{coreIdleW, coreIdleW, coreIdleW, coreIdleW + m.restW/2}, CoresW: 4*coreIdleW + m.restW/2}
	if m.restW > 0 {
		atRest.OthersLoad = 0.5
	}
	atRest.MeanW = []float64{1, beyondIdleW + atRest.CoresW}
	atRest.IdleW = atRest.MeanW
	model.SetRest(atRest)
	o := NewOccupancy(line)
	var cpu, joules, others float64
	order := []int{0, 1, 2, 3}
	reading := Reading{Number: 1, Joules: []float64{0, 0}}
	for tick := 0; tick <= int(m.seconds*1e3); tick++ {
		if tick > 0 {
			if tick%17 == 0 && !m.pinned {
				order = r.Perm(4)
			}
			whole := (beyondIdleW + 4*coreIdleW) * 1e-3
			for core := range cores {
				cores[core] += coreIdleW * 1e-3
			}
			if m.othersW > 0 && tick/500%2 == 0 {
				others += ms
				cores[3], whole = cores[3]+m.othersW*1e-3, whole+m.othersW*1e-3
			}
			threads, share := m.threads, 1.0
			if m.beside < 1 {
				threads, share = 1, 1
				if tick/8%2 == 0 {
					threads, share = m.threads, m.beside
				}
			}
			for thread := range threads {
				core := order[thread]
				first := r.Float64()
				for _, part := range []float64{first, 1 - first} {
					row := 1 + r.IntN(len(m.inCore)-1)
					if m.pinned {
						row = 1 + thread + 4*r.IntN(3)
					}
					used := m.inCore[row] * share * part * 1e-3 * (1 + m.vary*r.NormFloat64())
					whole += used + m.beyond[row]*share*part*1e-3
					cores[core] += used
					onCPU := uint32(core + 1 + 4*r.IntN(2))
					if r.Float64() < m.lost || m.beside < 1 && row == len(m.inCore)-1 {
						onCPU = 0
					}
					o.Add(probe.Occupied{Row: uint32(row), Tick: uint32(tick + 1), RanNS: part * ms, OnCPU: onCPU})
				}
			}
			cpu += float64(threads) * ms
			joules += whole * (1 + m.noise*r.NormFloat64())
		}
		at := int64(tick) * ms
		reading = Reading{Number: uint64(tick + 1), PublishedNS: at, UpdatedNS: at, CPUNS: int64(cpu), BusyNS: int64(cpu + others), Joules: []float64{float64(tick) * 1e-3, joules}}
		if m.withCore {
			reading.CoreJ = append([]float64(nil), cores...)
		}
		if m.fault != nil {
			m.fault(tick, reading.CoreJ)
		}
		if m.missing && tick%50 == 0 {
			reading.CoreJ[2] = math.NaN()
		}
		line.Add(reading)
		model.Add(line, o.Settle(false))
	}
	model.Add(line, o.Settle(true))
	return model.Powers()
}

// wrong is the mean relative error of the powers, and how many of the intervals have the truth in them.
func (m *multicore) wrong(w *Powers) (mean, covered float64) {
	for row := 1; row < len(m.inCore); row++ {
		truth := m.inCore[row] + m.beyond[row]
		off := math.Abs(w.Watts(row, 1) - truth)
		mean += off / truth / float64(len(m.inCore)-1)
		if off <= 1.96*w.Spread(row, 1)*w.Watts(row, 1) {
			covered += 1 / float64(len(m.inCore)-1)
		}
	}
	return mean, covered
}

// Why: four functions that run at once cannot be told apart by one counter of the package, only by their different mixtures from tick
// to tick. Counters of cores say what each used, whichever of a core's processors it ran on. Where the processor of some records is not
// known, or a core cannot be read, these ticks say less, and what is said stays right. What another process drew while the machine was
// measured at rest is nobody's idle power.
func TestCountersOfCores(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(*multicore)
		within float64 // of the error without counters of cores
	}{
		{"all is known", func(*multicore) {}, 0.5},
		{"one core cannot be read in one tick of 50", func(m *multicore) { m.missing = true }, 0.5},
		{"one record of 100 has no processor", func(m *multicore) { m.lost = 0.01 }, 0.6},
		{"another process beside it", func(m *multicore) { m.othersW = 4 }, 0.8},
		{"another process on one core at rest", func(m *multicore) { m.restW = 4 }, 0.8},
		{"and functions that run on one core each", func(m *multicore) { m.restW, m.pinned = 4, true }, 1},
		{"another process on one core, at rest and since", func(m *multicore) { m.restW, m.othersW = 4, 4 }, 2.5},
		{"no record has a processor", func(m *multicore) { m.lost = 1 }, 1.001},
	} {
		m := newMulticore()
		tt.change(m)
		mean, covered := m.wrong(m.powers(t))
		m.withCore, m.missing = false, false
		plain, _ := m.wrong(m.powers(t))
		if mean > tt.within*plain || covered < 0.9 {
			t.Errorf("%s: mean error %.4f, %.4f without counters of cores; %.2f of the powers are in their intervals", tt.why, mean, plain, covered)
		}
	}
}

// Why: a counter that stands still is certain of 0 W, and one that counts too much takes from what lies beyond the cores. With one that is
// wrong, all are left out, and powers are those of a machine without them.
func TestFaultyCountersOfCores(t *testing.T) {
	for _, tt := range []struct {
		why    string
		fault  func(tick int, cores []float64)
		frozen int
	}{
		{"none ever moves", func(_ int, cores []float64) { clear(cores) }, 0},
		{"one stops", func(tick int, cores []float64) {
			if tick > 2000 {
				cores[2] = 1
			}
		}, 2},
		{"together more than the package", func(_ int, cores []float64) {
			for core := range cores {
				cores[core] *= 3
			}
		}, -1},
	} {
		m := newMulticore()
		m.seconds, m.fault = 3, tt.fault
		w := m.powers(t)
		m.withCore, m.fault = false, nil
		plain := m.powers(t)
		fault := w.CoresFault()
		if fault == nil || fault.FrozenCPU != tt.frozen || fault.FrozenCPU < 0 && fault.CoresJ < fault.PackageJ {
			t.Errorf("%s: %+v, want that of processor %d", tt.why, fault, tt.frozen)
		}
		for row := range m.inCore {
			if w.ByCores(row) || w.Watts(row, 1) != plain.Watts(row, 1) {
				t.Errorf("%s: row %d has %g W, from cores %t; %g W without them", tt.why, row, w.Watts(row, 1), w.ByCores(row), plain.Watts(row, 1))
			}
		}
	}
}

// Why: where threads draw less beside others, the mean power of a function by the package's counter differs from that by the cores, as they
// weigh its ticks differently. Mixed, functions whose core was never known would seem to draw a tenth less than all others.
func TestPowersOfCoresAndPackageAreOfOneScale(t *testing.T) {
	m := newMulticore()
	m.vary, m.beside = 0.05, 0.6
	w := m.powers(t)
	last := len(m.inCore) - 1
	if w.Terms(1) == (power.Terms{}) || w.ByCores(last) {
		t.Fatalf("terms %+v; the row whose core is not known has its power from cores %t", w.Terms(1), w.ByCores(last))
	}
	ratio := func(row int) float64 { return w.Watts(row, 1) / (m.inCore[row] + m.beyond[row]) }
	others, n := 0.0, 0.0
	for row := 1; row < last; row++ {
		if w.ByCores(row) {
			others, n = others+ratio(row), n+1
		}
	}
	unscaled := ratio(last) / w.cores.scale
	if off := math.Abs(ratio(last)/(others/n) - 1); n < 6 || off > 0.05 || off > math.Abs(unscaled/(others/n)-1) {
		t.Errorf("the row whose core is not known has %.3f times the power of %g others, %.3f times without the scale", ratio(last)/(others/n), n, unscaled/(others/n))
	}
}

// Why: what is known to have run on a core must stand in its ticks whatever form the record has, once for each row, and what is not known
// in none of them; a thread that was preempted keeps its core.
func TestWhereRecordsRan(t *testing.T) {
	o := ticking(1, 1, 0, 1)
	o.line.coreOf = coreOf([][]int{{0, 2}, {1, 4}})
	for _, r := range []probe.Occupied{
		{Row: 1, Tick: 8, RanNS: 1e5, OnCPU: 1}, {Row: 1, Tick: 8, RanNS: 2e5, OnCPU: 3}, {Row: 1, Tick: 8, RanNS: 3e5, OnCPU: 5},
		{Row: 1, Tick: 8, RanNS: 4e5}, {Row: 1, Tick: 8, RanNS: 4e5, OnCPU: 4}, {Row: 1, Tick: 8, RanNS: 4e5, OnCPU: 900},
		{Row: 3, Tick: 9, StartNS: 0.5 * ms, EndNS: 1.5 * ms, RanNS: ms, OnCPU: 2},
		{Row: 4, Tick: 11, StartNS: 2 * ms, EndNS: 4 * ms, RanNS: ms, OnCPU: 1},
	} {
		o.Add(r)
	}
	ran := make([]map[[2]int]float64, 5) // ms by tick; of core and row
	for _, tick := range o.Settle(true) {
		ran[tick.reading] = make(map[[2]int]float64)
		for _, e := range tick.onCores {
			at := [2]int{e.core, int(e.row)}
			if _, twice := ran[tick.reading][at]; twice {
				t.Errorf("tick %d has core and row %v twice", tick.reading, at)
			}
			ran[tick.reading][at] = math.Round(e.seconds*1e5) / 100
		}
	}
	want := []map[[2]int]float64{
		nil,
		{{0, 1}: 0.3, {1, 1}: 0.3, {1, 3}: 0.5},
		{{1, 3}: 0.5},
		nil,
		{{0, 4}: 1},
	}
	for tick := range want {
		for at := range ran[tick] {
			if ran[tick][at] < 0.01 {
				delete(ran[tick], at)
			}
		}
	}
	if diff := cmp.Diff(want, ran, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 0.02)); diff != "" {
		t.Errorf("ms on cores, by tick (-want +got):\n%s", diff)
	}
}

// Why: a server of 64 cores has half a megabyte of their readings each second. Those of ticks that were handed out are not needed any more,
// and are forgotten; each tick still has the energy of its cores.
func TestReadingsOfCoresAreForgotten(t *testing.T) {
	machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2, CoreCPUs: [][]int{{0}, {1}}}
	model, line := NewModel(machine, 1, true), NewTimeline(&machine)
	o := NewOccupancy(line)
	most, handed := 0, 0
	settle := func(ended bool) {
		ticks := o.Settle(ended)
		for _, tick := range ticks {
			from, to := line.coresAt(tick.reading-1), line.coresAt(tick.reading)
			if used := []float64{to[0] - from[0], to[1] - from[1]}; used[0] != 1 || used[1] != 2 {
				t.Fatalf("tick %d: %v J, want 1 and 2", tick.reading, used)
			}
		}
		model.Add(line, ticks)
		handed, most = handed+len(ticks), max(most, len(line.coreJ)/2)
	}
	const readings = 3*maxPending + 1
	for i := range readings {
		at := int64(i) * ms
		line.Add(Reading{Number: uint64(i + 1), PublishedNS: at, UpdatedNS: at, CPUNS: at, BusyNS: at, Joules: []float64{float64(4 * i)}, CoreJ: []float64{float64(i), float64(2 * i)}})
		settle(false)
	}
	settle(true)
	if handed != readings-1 || most > 2*maxPending {
		t.Errorf("%d of %d ticks were handed out; at most, the readings of %d were kept", handed, readings-1, most)
	}
}

// Why: the power of cores at rest is what their idle power is taken from. Counters that begin to be read only then lack the first
// readings; one that fails later may have lost energy, and says nothing.
func TestCoresAtRest(t *testing.T) {
	missing := math.NaN()
	for _, tt := range []struct {
		why   string
		cores [][]float64 // by reading
		want  []float64
		mean  float64 // of all together
	}{
		{"all readings", [][]float64{{1, 5}, {2, 5.5}, {3, 6}, {4, 6.5}}, []float64{10, 5}, 15},
		{"a process on one core, then on the other", [][]float64{{1, 5}, {3, 5.5}, {4, 6}, {5, 9.5}}, []float64{10, 5}, 85 / 3.0},
		{"the first are missing", [][]float64{{missing, missing}, {2, missing}, {3, 6}, {4, 6.5}}, []float64{10, 5}, 15},
		{"one in between is missing", [][]float64{{1, 5}, {2, missing}, {3, 6}, {4, 6.5}}, nil, 0},
		{"all are missing but the last", [][]float64{{missing, 1}, {missing, 1}, {missing, 1}, {4, 6.5}}, nil, 0},
		{"no counters", [][]float64{nil, nil, nil, nil}, nil, 0},
	} {
		machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}}
		if tt.cores[0] != nil {
			machine.CoreCPUs = [][]int{{0}, {1}}
		}
		k := NewTimeline(&machine)
		for i, cores := range tt.cores {
			at := int64(i) * 100 * ms
			k.Add(Reading{Number: uint64(i + 1), PublishedNS: at, UpdatedNS: at, Joules: []float64{float64(i)}, CoreJ: cores})
		}
		rest, ok := k.Rest(&machine, 2, 0)
		if diff := cmp.Diff(tt.want, rest.CoreW, cmpopts.EquateApprox(0, 1e-9)); !ok || diff != "" || math.Abs(rest.CoresW-tt.mean) > 1e-9 {
			t.Errorf("%s: %t, %g W, want %g; by core (-want +got):\n%s", tt.why, ok, rest.CoresW, tt.mean, diff)
		}
	}
}

// Why: counters of cores say something of the domain cpu alone, and only where its counter is fine enough for ticks. A machine without it,
// and one whose ticks are not known, is measured as before.
func TestMachinesThatCoresSayNothingOf(t *testing.T) {
	cores := [][]int{{0}, {1}}
	for _, tt := range []struct {
		why     string
		machine Machine
		ticks   bool
	}{
		{"no domain cpu", Machine{Domains: []spell.Domain{spell.GPU}, UpdateNS: []int64{ms}, Counter: true, CoreCPUs: cores}, true},
		{"a slow counter", Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{1000 * ms}, Counter: true, CoreCPUs: cores}, true},
		{"ticks are not known", Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, CoreCPUs: cores}, false},
		{"no counters of cores", Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true}, true},
	} {
		if NewModel(tt.machine, 3, tt.ticks).NeedsCPUs() {
			t.Errorf("%s: the model asks on which processor what ran", tt.why)
		}
	}
}
