package meters

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/gpu"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// fake is a meter whose readings the test sets.
type fake struct {
	info   meter.Info
	joules []float64
	err    error
	closed bool
	read   func(*fake) // before each reading
}

func (f *fake) Info() meter.Info { return f.info }

func (f *fake) Read(_ meter.Usage, joules []float64) error {
	if f.read != nil {
		f.read(f)
	}
	if f.err != nil {
		return f.err
	}
	if len(joules) != len(f.joules) {
		return fmt.Errorf("room for %d domains", len(joules))
	}
	copy(joules, f.joules)
	return nil
}

func (f *fake) Close() error { f.closed = true; return nil }

func measured(name string, domains ...spell.Domain) *fake {
	return &fake{info: meter.Info{Name: name, Source: record.Measured, Domains: domains, Resolution: time.Millisecond, WholeMachine: true}, joules: make([]float64, len(domains))}
}

// driver returns a driver that opens the fake.
func (f *fake) driver(auto meter.Auto) meter.Driver {
	return meter.Driver{
		Name: f.info.Name, Auto: auto,
		Open:   func(meter.Options) (meter.Meter, error) { return f, nil },
		Remedy: func(error) string { return "" },
	}
}

// A combined meter has the domains of its parts in order, and each domain keeps its
// resolution. If the idle power of one part is unknown, the combined meter has none, so
// that it is measured for all domains.
func TestCombinedInfo(t *testing.T) {
	a, b := measured("rapl", spell.CPU, spell.DRAM), measured("gpu", spell.GPU)
	a.info.Counter, a.info.Notes = true, []note.Note{note.Text("one")}
	b.info.Counter, b.info.Notes, b.info.Resolution = true, []note.Note{note.Text("two")}, 100*time.Millisecond
	m, err := combine([]meter.Meter{a, b})
	if err != nil {
		t.Fatal(err)
	}
	want := meter.Info{
		Name: "rapl,gpu", Source: record.Measured, Domains: []spell.Domain{spell.CPU, spell.DRAM, spell.GPU},
		Resolution: time.Millisecond, Resolutions: []time.Duration{time.Millisecond, time.Millisecond, 100 * time.Millisecond},
		Counter: true, WholeMachine: true, Notes: []note.Note{note.Text("one"), note.Text("two")},
	}
	if diff := cmp.Diff(want, m.Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	b.info.PerByte = [][2]float64{{3, 4}}
	if m, err = combine([]meter.Meter{a, b}); err != nil || !cmp.Equal(m.Info().PerByte, [][2]float64{{}, {}, {3, 4}}) {
		t.Errorf("joules per byte %v, %v; want those of the last domain", m.Info().PerByte, err)
	}
	a.info.IdleW, b.info.IdleW = []float64{5, 1}, []float64{9}
	if m, err = combine([]meter.Meter{a, b}); err != nil || !cmp.Equal(m.Info().IdleW, []float64{5, 1, 9}) {
		t.Errorf("idle power %v, %v; want the idle power of all domains", m.Info().IdleW, err)
	}
	b.info.IdleW = nil
	if m, err = combine([]meter.Meter{a, b}); err != nil || m.Info().IdleW != nil {
		t.Errorf("idle power %v, %v; want none, because the idle power of one part is unknown", m.Info().IdleW, err)
	}
	if m, err = combine([]meter.Meter{a}); err != nil || m != meter.Meter(a) {
		t.Errorf("one part: %v, %v; want the part itself", m, err)
	}
}

// A reading covers all parts. If one part fails, the reading fails, but the other parts are
// read all the same. The error is a discarded interval only if no part failed otherwise.
func TestCombinedRead(t *testing.T) {
	a, b, c := measured("a", spell.CPU), measured("b", spell.GPU), measured("c", spell.Disk)
	m, err := combine([]meter.Meter{a, b, c})
	if err != nil {
		t.Fatal(err)
	}
	a.joules[0], b.joules[0], c.joules[0] = 1, 2, 3
	joules := make([]float64, 3)
	if err := m.Read(meter.Usage{}, joules); err != nil || !cmp.Equal(joules, []float64{1, 2, 3}) {
		t.Errorf("read %v J, %v; want 1, 2 and 3 J", joules, err)
	}
	readings := 0
	c.read = func(*fake) { readings++ }
	lost := errors.New("lost")
	for _, tt := range []struct{ a, b, want error }{
		{lost, nil, lost},
		{nil, meter.ErrDiscarded, meter.ErrDiscarded},
		{lost, meter.ErrDiscarded, lost},
		{meter.ErrDiscarded, lost, lost},
	} {
		a.err, b.err, joules = tt.a, tt.b, []float64{-1, -1, -1}
		if err := m.Read(meter.Usage{}, joules); !errors.Is(err, tt.want) || !cmp.Equal(joules, []float64{-1, -1, -1}) {
			t.Errorf("parts with errors %v and %v: %v J, %v; want %v and no joules", tt.a, tt.b, joules, err, tt.want)
		}
	}
	if readings != 4 {
		t.Errorf("the third part was read %d times, want 4", readings)
	}
	if err := m.Read(meter.Usage{}, make([]float64, 2)); err == nil {
		t.Error("Read accepts a slice for two of three domains")
	}
	if err := m.Close(); err != nil || !a.closed || !b.closed || !c.closed {
		t.Errorf("closing: %v", err)
	}
}

// Why: a separate counter that came to stand among the domains would be summed with them. All that are read
// separately come after all domains, whichever part they are of; the same name of two parts says nothing.
func TestCombinedSeparateCounters(t *testing.T) {
	a, b, c := measured("a", spell.CPU), measured("b", spell.GPU), measured("c", spell.Disk)
	psys, card := meter.Separate{Name: "psys", Kind: meter.Platform}, meter.Separate{Name: "card", Kind: meter.Package}
	a.info.Separate, a.joules = []meter.Separate{psys}, []float64{1, 100}
	b.info.Separate, b.joules = []meter.Separate{card}, []float64{2, 200}
	c.joules = []float64{3}
	m, err := combine([]meter.Meter{a, b, c})
	if err != nil {
		t.Fatal(err)
	}
	joules := make([]float64, 5)
	if err := m.Read(meter.Usage{}, joules); err != nil || !cmp.Equal(joules, []float64{1, 2, 3, 100, 200}) {
		t.Errorf("read %v J, %v; want 1, 2 and 3 J, then 100 and 200 J", joules, err)
	}
	if got := m.Info().Separate; !cmp.Equal(got, []meter.Separate{psys, card}) {
		t.Errorf("separate counters: %v", got)
	}
	b.info.Separate = []meter.Separate{psys}
	m, err = combine([]meter.Meter{a, b, c})
	if err != nil {
		t.Fatal(err)
	}
	joules = make([]float64, 4)
	if err := m.Read(meter.Usage{}, joules); err != nil || !cmp.Equal(joules, []float64{1, 2, 3, 100}) {
		t.Errorf("two counters of one name: read %v J, %v; want 1, 2, 3 J and the first of both", joules, err)
	}
	if diff := cmp.Diff([]note.Note{note.CounterLeftOut("b", "psys", "a")}, m.Info().Notes); diff != "" {
		t.Errorf("two counters of one name: warnings (-want +got):\n%s", diff)
	}
}

// A fakeCores is a meter with counters of cores.
type fakeCores struct {
	*fake
	cores []float64
}

func (f fakeCores) ReadCores(joules []float64) { copy(joules, f.cores) }

// Why: the counters of cores are read by themselves, from whatever meter the user named: they must come from the part that has them,
// whichever place it has, and from what is left of a meter without a domain. What is left without the domain cpu has none.
func TestCoresOfMeters(t *testing.T) {
	with := func(domains ...spell.Domain) fakeCores {
		f := fakeCores{measured("perf", domains...), []float64{3, 4}}
		f.info.CoreCPUs = [][]int{{0, 2}, {1, 3}}
		return f
	}
	combine := func(parts ...meter.Meter) meter.Meter {
		m, err := combine(parts)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, tt := range []struct {
		why  string
		m    meter.Meter
		want []float64
	}{
		{"the meter itself", with(spell.CPU), []float64{3, 4}},
		{"the first part", combine(with(spell.CPU), measured("gpu", spell.GPU)), []float64{3, 4}},
		{"the second part", combine(measured("gpu", spell.GPU), with(spell.CPU)), []float64{3, 4}},
		{"a part without its memory", combine(measured("other", spell.DRAM), with(spell.CPU, spell.DRAM)), []float64{3, 4}},
		{"a part without its processors", combine(measured("rapl", spell.CPU), with(spell.CPU, spell.DRAM)), nil},
		{"another description of it", described{with(spell.CPU), with(spell.CPU).info}, []float64{3, 4}},
	} {
		got := make([]float64, len(tt.m.Info().CoreCPUs))
		meter.ReadCores(tt.m, got)
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: joules by core (-want +got):\n%s", tt.why, diff)
		}
	}
	got := []float64{1}
	if meter.ReadCores(measured("rapl", spell.CPU), got); !math.IsNaN(got[0]) {
		t.Errorf("a meter without counters of cores reads %v", got)
	}
}

// Why: a battery's joules are those of the processors, of the GPU and of all else; a server's power supply says the same. Added to
// those of a meter of the GPU, they counted it twice. Meters that overlap in some domains were refused altogether, so that nobody
// could read the processors from one and the GPU from the other.
func TestOverlappingMeters(t *testing.T) {
	whole := func(name string) *fake {
		m := measured(name, spell.CPU)
		m.info.Includes = spell.Domains()
		return m
	}
	socket := measured("hwmon", spell.CPU)
	socket.info.Includes = []spell.Domain{spell.CPU, spell.DRAM}
	for _, tt := range []struct {
		why     string
		parts   []meter.Meter
		domains []string // by part
		notes   []note.Note
		refused string
	}{
		{why: "the whole machine, and a GPU in it", parts: []meter.Meter{whole("battery"), measured("gpu", spell.GPU)},
			refused: "all that gpu reads is in what battery reads too, and would count twice; choose one of them: --meter battery or --meter gpu"},
		{why: "a GPU, and the whole machine", parts: []meter.Meter{measured("gpu", spell.GPU), whole("hwmon")},
			refused: "all that hwmon reads is in what gpu reads too, and would count twice; choose one of them: --meter gpu or --meter hwmon"},
		{why: "a GPU and processors, and the whole machine", parts: []meter.Meter{measured("gpu", spell.GPU), measured("rapl", spell.CPU), whole("battery")},
			refused: "all that battery reads is in what gpu reads too, and would count twice; choose one of them: --meter gpu or --meter battery"},
		{why: "two meters of processors alone", parts: []meter.Meter{measured("rapl", spell.CPU, spell.DRAM), measured("hwmon", spell.CPU)},
			refused: "all that hwmon reads is in what rapl reads too, and would count twice; choose one of them: --meter rapl or --meter hwmon"},
		{why: "meters without a common domain", parts: []meter.Meter{measured("rapl", spell.CPU, spell.DRAM), measured("hwmon", spell.GPU)},
			domains: []string{"rapl cpu", "rapl dram", "hwmon gpu"}},
		{why: "processors from one, the GPU from the other", parts: []meter.Meter{measured("rapl", spell.CPU, spell.DRAM), measured("hwmon", spell.CPU, spell.GPU)},
			domains: []string{"rapl cpu", "rapl dram", "hwmon gpu"}, notes: []note.Note{note.CounterLeftOut("hwmon", "cpu", "rapl")}},
		{why: "the other one first", parts: []meter.Meter{measured("hwmon", spell.CPU, spell.GPU), measured("rapl", spell.CPU, spell.DRAM)},
			domains: []string{"hwmon cpu", "hwmon gpu", "rapl dram"}, notes: []note.Note{note.CounterLeftOut("rapl", "cpu", "hwmon")}},
		{why: "sockets with their memory, and memory", parts: []meter.Meter{socket, measured("other", spell.DRAM, spell.GPU)},
			domains: []string{"hwmon cpu", "other gpu"}, notes: []note.Note{note.CounterLeftOut("other", "dram", "hwmon")}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			var values []float64
			var names []string
			for _, part := range tt.parts {
				f := part.(*fake)
				for i, d := range f.info.Domains {
					names = append(names, f.info.Name+" "+string(d))
					f.joules[i] = float64(len(names))
					values = append(values, f.joules[i])
				}
			}
			m, err := combine(tt.parts)
			if tt.refused != "" {
				if err == nil || !strings.HasSuffix(err.Error(), " cannot be combined: "+tt.refused) {
					t.Errorf("the error is %v, want %q", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			info := m.Info()
			joules := make([]float64, info.Values())
			if err := m.Read(meter.Usage{}, joules); err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, d := range info.Domains {
				from := names[slices.Index(values, joules[i])]
				if got = append(got, from); !strings.HasSuffix(from, " "+string(d)) {
					t.Errorf("the domain %s has the joules of %s", d, from)
				}
			}
			if diff := cmp.Diff(tt.domains, got); diff != "" {
				t.Errorf("domains (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, info.Notes); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// Meters that cannot be combined are refused with a reason, and are closed.
func TestRefusedCombinations(t *testing.T) {
	o, op := machine(t, metal, powercapsim.DefaultZones()...)
	for _, tt := range []struct{ names, says string }{
		{"rapl,model", "what rapl reads is measured and what model reads is estimated, and a sum of both would be neither; measured and estimated joules are never mixed"},
		{"model,rapl", "what model reads is estimated and what rapl reads is measured"},
		{"model,none", "none gives no joules here: No meter was asked for"},
		{"none,model", "none gives no joules here"},
		{"rapl,rapl", "rapl is in it twice"},
		{"rapl,auto", "auto chooses a meter by itself and stands alone"},
	} {
		_, _, err := open(Drivers(), op, tt.names, o)
		var refused *CombinationError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "meters "+tt.names+" cannot be combined: "+tt.says) {
			t.Errorf("%s: error %v, want %q", tt.names, err, tt.says)
		}
	}
	var failed *OpenError
	if _, _, err := open(Drivers(), op, "rapl,perf", o); !errors.As(err, &failed) || failed.Name != "perf" {
		t.Errorf("a part that does not work: %v, want its OpenError", err)
	}
	for _, names := range []string{"rapl,sun", "rapl,", ",rapl", "rapl, model"} {
		if _, _, err := Open(names, o); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v, want ErrUnknown", names, err)
		}
	}
	a, b := measured("rapl", spell.CPU, spell.DRAM), measured("perf", spell.CPU)
	_, _, err := open([]meter.Driver{a.driver(meter.Tried), b.driver(meter.Tried)}, realTime(), "rapl,perf", o)
	if err == nil || !strings.Contains(err.Error(), "all that perf reads is in what rapl reads too") || !a.closed || !b.closed {
		t.Errorf("two meters of one domain: %v; closed: %t, %t", err, a.closed, b.closed)
	}
}

// Meters that estimate different domains can be combined.
func TestCombinedEstimates(t *testing.T) {
	o, _ := machine(t, virtual)
	m, _, err := Open("model,disk,net", o)
	if err != nil {
		t.Fatal(err)
	}
	info := m.Info()
	if diff := cmp.Diff([]spell.Domain{spell.CPU, spell.Disk, spell.Net}, info.Domains); diff != "" || info.Source != record.Estimated || info.WholeMachine || info.Counter || len(info.IdleW) != 3 {
		t.Errorf("model, disk and net: %+v", info)
	}
}

// auto adds GPUs to a meter that measures, never to a meter that estimates. It gives a
// reason for a GPU that does not work, but none if there is no GPU.
func TestAutoAddsGPU(t *testing.T) {
	packages, estimate := measured("rapl", spell.CPU), measured("model", spell.CPU)
	estimate.info.Source = record.Estimated
	cards := measured("gpu", spell.GPU)
	failing := func(err error) meter.Driver {
		d := cards.driver(meter.Added)
		d.Open = func(meter.Options) (meter.Meter, error) { return nil, err }
		return d
	}
	for _, tt := range []struct {
		why     string
		drivers []meter.Driver
		want    string
		reasons int
	}{
		{"GPUs, which come last in the list", []meter.Driver{packages.driver(meter.Tried), estimate.driver(meter.Tried), cards.driver(meter.Added)}, "rapl,gpu", 0},
		{"an estimate", []meter.Driver{cards.driver(meter.Added), estimate.driver(meter.Tried)}, "model", 0},
		{"no GPU", []meter.Driver{packages.driver(meter.Tried), failing(&gpu.NoGPUError{Reason: "none"})}, "rapl", 0},
		{"a GPU that fails", []meter.Driver{packages.driver(meter.Tried), failing(errors.New("lost"))}, "rapl", 1},
		{"a meter that is used only when named", []meter.Driver{packages.driver(meter.Named), estimate.driver(meter.Tried)}, "model", 0},
	} {
		m, reasons, err := open(tt.drivers, realTime(), Auto, meter.Options{})
		if err != nil || m.Info().Name != tt.want || len(reasons) != tt.reasons {
			t.Errorf("%s: %v, %v, %v; want %s", tt.why, m, reasons, err, tt.want)
		}
	}
}
