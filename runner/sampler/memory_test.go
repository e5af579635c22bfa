package sampler

import (
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
)

// Why: a machine has a hundred cores with a counter each, and memory that is laid out for two domains would show a
// reader the counters of the next reading. Readings of any meter come back as they were put, until the ring is full.
func TestReadingsOfManyCounters(t *testing.T) {
	for _, counters := range [][2]int{{0, 0}, {1, 0}, {200, 0}, {maxValues - 2, 0}, {1, 128}, {0, maxValues - 2}} {
		separate, cores := counters[0], counters[1]
		f, err := create()
		if err != nil {
			t.Fatal(err)
		}
		mem, err := openMemory(f)
		if err != nil {
			t.Fatal(err)
		}
		info := meter.Info{Domains: []spell.Domain{spell.CPU, spell.DRAM}, Separate: make([]meter.Separate, separate), CoreCPUs: make([][]int, cores)}
		if err := mem.hold(info); err != nil {
			t.Fatalf("%v counters: %v", counters, err)
		}
		reading := func(number uint64) Reading {
			r := Reading{Number: number, PublishedNS: int64(number), PID: 7, Joules: []float64{float64(number), 0.5}, Separate: make([]float64, separate), CoreJ: make([]float64, cores)}
			for i := range r.CoreJ {
				r.CoreJ[i] = float64(number) - float64(i)/1024
			}
			for i := range r.Separate {
				r.Separate[i] = float64(number) + float64(i)/1024
			}
			return r
		}
		most := mem.length + 10
		for number := uint64(1); number <= most; number++ {
			r := reading(number)
			mem.put(&r)
		}
		for _, number := range []uint64{most, most - 1, most - mem.length + 2} {
			got, ok := mem.get(number)
			if diff := cmp.Diff(reading(number), got); !ok || diff != "" {
				t.Errorf("%v counters, reading %d of %d, whole %t (-want +got):\n%s", counters, number, most, ok, diff)
			}
		}
		if _, ok := mem.get(5); ok {
			t.Errorf("%v counters: a reading is said to be there whose place another has taken", counters)
		}
		if err := mem.close(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if new(memory).hold(meter.Info{Separate: make([]meter.Separate, maxValues), CoreCPUs: make([][]int, 1)}) == nil {
		t.Error("a reading is accepted that leaves the ring no room for a second of them")
	}
}

// A psysFault is a meter whose separate counter cannot be read every now and then, and that has counters of two cores.
type psysFault struct {
	joules []float64
	cores  int // how often cores were read
}

func (m *psysFault) Info() meter.Info {
	return meter.Info{Domains: []spell.Domain{spell.CPU}, Separate: []meter.Separate{{Name: "psys", Kind: meter.Platform}}, CoreCPUs: [][]int{{0}, {1}}}
}
func (m *psysFault) ReadCores(joules []float64) {
	m.cores++
	joules[0], joules[1] = m.joules[0]/2, meter.Missing()
}
func (m *psysFault) Read(_ meter.Usage, joules []float64) error { copy(joules, m.joules); return nil }
func (m *psysFault) Close() error                               { return nil }

// Why: the meter is read several times for one reading that is published. A separate counter that failed in one of them has
// no energy of that reading, even if it was read again since: whether some was lost, nobody knows. The domains keep theirs.
func TestMissingSeparateCounter(t *testing.T) {
	f, err := create()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mem, err := openMemory(f)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.close()
	m := &psysFault{}
	if err := mem.hold(m.Info()); err != nil {
		t.Fatal(err)
	}
	rd := newReader(m, mem, func(err error) { t.Error(err) })
	rd.emit(0, 0)
	if got, ok := mem.get(1); !ok || m.cores != 0 || !math.IsNaN(got.CoreJ[0]) || !math.IsNaN(got.CoreJ[1]) {
		t.Errorf("cores were read %d times before they were asked for: %v", m.cores, got.CoreJ)
	}
	rd.cores.Store(true)
	for number, reads := range [][][]float64{
		{{1, 10}},
		{{2, meter.Missing()}, {3, 30}},
		{{4, 40}},
	} {
		for _, m.joules = range reads {
			rd.read()
		}
		rd.emit(0, 0)
		got, ok := mem.get(uint64(number + 2))
		want := reads[len(reads)-1]
		if !ok || got.Faulty || got.Joules[0] != want[0] || math.IsNaN(got.Separate[0]) != (len(reads) > 1) || len(reads) == 1 && got.Separate[0] != want[1] {
			t.Errorf("reading %d after %v: %+v", number+1, reads, got)
		}
		if m.cores != number+1 || len(got.CoreJ) != 2 || got.CoreJ[0] != want[0]/2 || !math.IsNaN(got.CoreJ[1]) {
			t.Errorf("reading %d: cores were read %d times, %v", number+1, m.cores, got.CoreJ)
		}
	}
}

// The counters of cores are read when the parent asks for them.
func TestOrderToReadCores(t *testing.T) {
	rd := newReader(&psysFault{}, nil, nil)
	orders, in := io.Pipe()
	go rd.takeOrders(orders)
	if _, err := io.WriteString(in, "7\ncores\n"); err != nil {
		t.Fatal(err)
	}
	for !rd.cores.Load() {
		runtime.Gosched()
	}
	if rd.pid.Load() != 7 {
		t.Errorf("process %d is watched, want 7", rd.pid.Load())
	}
}
