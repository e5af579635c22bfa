package meters

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A bench is a clock that advances only by sleeping, and a load that is only counted.
type bench struct {
	now   time.Time
	loads int // number of loads that were started
	ended int // number of loads that were ended
}

func (b *bench) opener() opener {
	return opener{
		now:   func() time.Time { return b.now },
		sleep: func(d time.Duration) { b.now = b.now.Add(d) },
		spin:  func() func() { b.loads++; return func() { b.ended++ } },
	}
}

// counter returns a meter whose domains advance once in each of their periods; a domain
// with period 0 never advances.
func (b *bench) counter(name string, resolution time.Duration, periods ...time.Duration) *fake {
	domains := []spell.Domain{spell.CPU, spell.DRAM, spell.GPU}[:len(periods)]
	f := measured(name, domains...)
	f.info.Counter, f.info.Resolution = true, resolution
	start := b.now
	f.read = func(f *fake) {
		for i, d := range periods {
			if d > 0 && b.now.Sub(start) >= d {
				f.joules[i] = float64(b.now.Sub(start) / d)
			}
		}
	}
	return f
}

// A counter that does not advance for 100 ms under load, nor for 2.5 s as the host's share would,
// is frozen. If the user named its meter, that is an error.
func TestFrozenCounterIsRefused(t *testing.T) {
	b := &bench{}
	still := b.counter("rapl", time.Millisecond, 0, time.Millisecond)
	_, _, err := open([]meter.Driver{still.driver(meter.Tried)}, b.opener(), "rapl", meter.Options{})
	var frozen *FrozenError
	var failed *OpenError
	if !errors.As(err, &frozen) || !errors.As(err, &failed) || !strings.Contains(err.Error(), "frozen counter: cpu did not change within 2.5s") || !still.closed {
		t.Errorf("a frozen package: %v, closed: %t", err, still.closed)
	}
	if passed := b.now.Sub(time.Time{}); passed < 2600*time.Millisecond || passed > 2614*time.Millisecond {
		t.Errorf("the counter was watched for %v, want 2.6 s", passed)
	}
	if b.loads != 2 || b.ended != 2 {
		t.Errorf("%d loads were started, %d ended", b.loads, b.ended)
	}
}

// Why: QEMU fills the counter of a virtual machine each second, and the virtual machine may hide
// that it is one. Such a counter was taken for a frozen one, or for one of the machine's own, whose
// energy functions can have. One that stands still for once is neither.
func TestHostsShareIsRecognised(t *testing.T) {
	for _, tt := range []struct {
		why     string
		counter func(b *bench) *fake
		source  record.Source
		domains int
		latest  time.Duration // when the check ends
	}{
		{"a counter that is filled each second", func(b *bench) *fake { return b.counter("rapl", time.Millisecond, time.Second) }, record.Estimated, 1, 2020 * time.Millisecond},
		{"a counter that is about to be filled", func(b *bench) *fake {
			f, begin := b.counter("rapl", time.Millisecond), b.now
			f.info.Domains, f.joules = []spell.Domain{spell.CPU}, []float64{0}
			f.read = func(f *fake) { f.joules[0] = float64((b.now.Sub(begin) + 950*time.Millisecond) / time.Second) }
			return f
		}, record.Estimated, 1, 2100 * time.Millisecond},
		{"memory that is frozen", func(b *bench) *fake { return b.counter("rapl", time.Millisecond, time.Second, 0) }, record.Estimated, 1, 4700 * time.Millisecond},
		{"memory that is filled too", func(b *bench) *fake { return b.counter("rapl", time.Millisecond, time.Second, time.Second) }, record.Estimated, 2, 2020 * time.Millisecond},
		{"known by its meter", func(b *bench) *fake {
			f := b.counter("rapl", time.Millisecond, time.Second)
			f.info = f.info.HostsShare()
			return f
		}, record.Estimated, 1, 1015 * time.Millisecond},
		{"a counter that begins late", func(b *bench) *fake {
			f, begin := b.counter("rapl", time.Millisecond, time.Millisecond), b.now
			each := f.read
			f.read = func(f *fake) {
				if b.now.Sub(begin) > 300*time.Millisecond {
					each(f)
				}
			}
			return f
		}, record.Measured, 1, 330 * time.Millisecond},
	} {
		b := &bench{}
		f := tt.counter(b)
		m, err := b.opener().open(f.driver(meter.Tried), meter.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
			continue
		}
		info := m.Info()
		share := slices.ContainsFunc(info.Notes, func(n note.Note) bool { return n.Code == note.HostsShareCode })
		whole := slices.Contains(info.Whole, true)
		if estimated := tt.source == record.Estimated; info.Source != tt.source || len(info.Domains) != tt.domains || share != estimated || whole != estimated || estimated && len(info.Whole) != tt.domains {
			t.Errorf("%s: %+v", tt.why, info)
		}
		if at := b.now.Sub(time.Time{}); at > tt.latest || b.loads != b.ended {
			t.Errorf("%s: the check ends after %v, %d loads of %d ended", tt.why, at, b.ended, b.loads)
		}
	}
	b := &bench{}
	still := b.counter("rapl", time.Millisecond, 0)
	still.info = still.info.HostsShare()
	if _, err := b.opener().open(still.driver(meter.Tried), meter.Options{}); !errors.As(err, new(*FrozenError)) {
		t.Errorf("a counter of a virtual machine that never advances: %v", err)
	}
	if passed := b.now.Sub(time.Time{}); passed > 2520*time.Millisecond {
		t.Errorf("it was watched for %v, want 2.5 s", passed)
	}
}

// Domains of the host's share stay known as such beside others.
func TestHostsShareIsCombined(t *testing.T) {
	share, disk := measured("rapl", spell.CPU), measured("disk", spell.Disk)
	share.info, disk.info.Source = share.info.HostsShare(), record.Estimated
	m, err := combine([]meter.Meter{share, disk})
	if err != nil || !slices.Equal(m.Info().Whole, []bool{true, false}) {
		t.Errorf("%v, %v", m, err)
	}
}

// If the counter of a meter is frozen, auto takes the next meter and gives the reason.
func TestAutoSkipsAFrozenCounter(t *testing.T) {
	b := &bench{}
	still, moving := b.counter("rapl", time.Millisecond, 0), b.counter("perf", time.Millisecond, time.Millisecond)
	m, reasons, err := open([]meter.Driver{still.driver(meter.Tried), moving.driver(meter.Tried)}, b.opener(), Auto, meter.Options{})
	if err != nil || m.Info().Name != "perf" || len(reasons) != 1 || !strings.Contains(wording.Text(reasons[0].Note()), "meter rapl does not work here: frozen counter") {
		t.Errorf("auto: %v, %v, %v; want perf and why not rapl", m, reasons, err)
	}
}

// A machine that is stopped for longer than the limit, with its counters, has no frozen counter.
func TestCheckOnAStoppedMachine(t *testing.T) {
	b := &bench{}
	op := b.opener()
	op.sleep = func(d time.Duration) { b.now = b.now.Add(d).Add(max(0, 300*time.Millisecond-b.now.Sub(time.Time{}))) }
	if _, err := op.open(b.counter("rapl", time.Millisecond, 301*time.Millisecond).driver(meter.Tried), meter.Options{}); err != nil {
		t.Errorf("the error is %v", err)
	}
}

// The check of a counter that works ends when all domains have advanced, the first one twice.
func TestCheckOfAWorkingCounter(t *testing.T) {
	b := &bench{}
	if _, err := b.opener().open(b.counter("rapl", time.Millisecond, 2*time.Millisecond, time.Millisecond).driver(meter.Tried), meter.Options{}); err != nil || b.now.Sub(time.Time{}) > 4*time.Millisecond {
		t.Errorf("the check ends with %v after %v, want no error after 4 ms", err, b.now.Sub(time.Time{}))
	}
	if b.loads != b.ended {
		t.Errorf("%d loads were started, %d ended", b.loads, b.ended)
	}
}

// The simulated counters do not advance without their simulator. The check finds that with
// the real clock and a real load, and doctor reports it.
func TestFrozenPowercap(t *testing.T) {
	dir := t.TempDir()
	sim, err := powercapsim.New(powercapsim.Params{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cpuinfo"), []byte(virtual), 0o600); err != nil {
		t.Fatal(err)
	}
	o := meter.Options{PowercapRoot: sim.Root(), ProcRoot: dir, SysRoot: dir}
	var frozen *FrozenError
	if _, _, err := Open("rapl", o); !errors.As(err, &frozen) || frozen.Name != "rapl" || frozen.Domain != "cpu" {
		t.Errorf("by name: %v", err)
	}
	m, reasons, err := Open(Auto, o)
	if err != nil || m.Info().Name != "model" || !strings.Contains(wording.Text(reasons[0].Note()), "frozen counter") {
		t.Errorf("auto: %v, %v, %v", m, reasons, err)
	}
	if r := Doctor(o)[0]; r.Works || !strings.HasPrefix(r.Why, "frozen counter") {
		t.Errorf("doctor: %+v", r)
	}
}

// A frozen domain other than the first is left out, with a warning. Otherwise its zeros
// would look measured.
func TestFrozenMemory(t *testing.T) {
	b := &bench{}
	whole := b.counter("rapl", time.Millisecond, time.Millisecond, 0, time.Millisecond)
	whole.info.IdleW, whole.info.Resolutions = []float64{5, 1, 9}, []time.Duration{1, 2, 3}
	m, err := b.opener().open(whole.driver(meter.Tried), meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := meter.Info{
		Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU, spell.GPU}, Resolution: time.Millisecond, Resolutions: []time.Duration{1, 3},
		Counter: true, WholeMachine: true, IdleW: []float64{5, 9}, Notes: []note.Note{note.DomainFrozen("dram")},
	}
	if diff := cmp.Diff(want, m.Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	whole.read, whole.joules = nil, []float64{7, 0, 8}
	joules := make([]float64, 2)
	if err := m.Read(meter.Usage{}, joules); err != nil || !cmp.Equal(joules, []float64{7, 8}) {
		t.Errorf("%v, %v; want cpu and gpu", joules, err)
	}
	if err := m.Read(meter.Usage{}, make([]float64, 3)); err == nil {
		t.Error("Read accepts a slice with room for the domain that was left out")
	}
	whole.err = errors.New("lost")
	if err := m.Read(meter.Usage{}, joules); !errors.Is(err, whole.err) {
		t.Errorf("a part that fails: %v", err)
	}
	if err := m.Close(); err != nil || !whole.closed {
		t.Errorf("closing: %v, closed: %t", err, whole.closed)
	}
}

// Why: many laptops have a psys that nothing is connected to, and others have one that moves once a second. To wait for it cost
// each measurement a tenth of a second, and took the slow one for dead. The check waits for domains alone.
func TestCheckDoesNotWaitForSeparateCounters(t *testing.T) {
	b := &bench{}
	whole := b.counter("rapl", time.Millisecond, time.Millisecond, 0, time.Second)
	whole.info.Domains = []spell.Domain{spell.CPU}
	whole.info.Separate = []meter.Separate{{Name: "psys", Kind: meter.Platform}, {Name: "psys-1", Kind: meter.Platform}}
	m, err := b.opener().open(whole.driver(meter.Tried), meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole.info, m.Info()); diff != "" || b.now.Sub(time.Time{}) > 3*time.Millisecond {
		t.Errorf("the check ends after %v; info (-want +got):\n%s", b.now.Sub(time.Time{}), diff)
	}
}

// A meter that loses a frozen domain keeps its separate counters in their places.
func TestFrozenDomainBesideSeparateCounters(t *testing.T) {
	b := &bench{}
	whole := b.counter("rapl", time.Millisecond, time.Millisecond, 0, 0)
	whole.info.Domains = []spell.Domain{spell.CPU, spell.DRAM}
	whole.info.Separate = []meter.Separate{{Name: "psys", Kind: meter.Platform}}
	m, err := b.opener().open(whole.driver(meter.Tried), meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole.read, whole.joules = nil, []float64{7, 0, 8}
	joules := make([]float64, 2)
	if err := m.Read(meter.Usage{}, joules); err != nil || !cmp.Equal(joules, []float64{7, 8}) || !slices.Equal(m.Info().Counts(), []string{"cpu", "psys"}) {
		t.Errorf("%v, %v, of %v; want cpu and psys", joules, err, m.Info().Counts())
	}
}

// A slow counter is frozen after four updates without an advance. Counters with a resolution
// of seconds, and meters without a counter, are not checked.
func TestSlowCountersAreWatchedForLonger(t *testing.T) {
	for _, tt := range []struct {
		why        string
		counter    bool
		resolution time.Duration
		moves      time.Duration
		works      bool
		at         time.Duration // when the check ends
	}{
		{"a GPU whose counter advances after three updates", true, 100 * time.Millisecond, 300 * time.Millisecond, true, 300 * time.Millisecond},
		{"a GPU whose counter never advances", true, 100 * time.Millisecond, 0, false, 400 * time.Millisecond},
		{"a battery", true, time.Second, 0, true, 0},
		{"a model", false, time.Millisecond, 0, true, 0},
	} {
		b := &bench{}
		f := b.counter("meter", tt.resolution, tt.moves)
		f.info.Counter = tt.counter
		_, err := b.opener().open(f.driver(meter.Tried), meter.Options{})
		if works := err == nil; works != tt.works || b.now.Sub(time.Time{}) != tt.at {
			t.Errorf("%s: %v after %v, want works %t after %v", tt.why, err, b.now.Sub(time.Time{}), tt.works, tt.at)
		}
	}
}

// A meter whose counter cannot be read during the check does not work. A discarded interval
// counts as no advance.
func TestErrorsDuringTheCheck(t *testing.T) {
	b := &bench{}
	f := b.counter("rapl", time.Millisecond, time.Millisecond)
	f.err = errors.New("input/output error")
	if _, err := b.opener().open(f.driver(meter.Tried), meter.Options{}); !errors.Is(err, f.err) || !f.closed {
		t.Errorf("a counter that cannot be read: %v, closed: %t", err, f.closed)
	}
	f = b.counter("rapl", time.Millisecond, time.Millisecond)
	f.err = meter.ErrDiscarded
	var frozen *FrozenError
	if _, err := b.opener().open(f.driver(meter.Tried), meter.Options{}); !errors.As(err, &frozen) {
		t.Errorf("a counter whose intervals are all discarded: %v", err)
	}
}
