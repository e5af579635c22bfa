package gpu

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A driver has GPUs whose readings the test sets.
type driver struct {
	counters []uint64 // mJ
	powers   []uint32 // mW
	old      bool     // no counters
	faults   int      // number of readings that will fail
	asked    int      // number of readings
	closed   bool
}

var errLost = errors.New("GPU is lost")

func (d *driver) fault() error {
	d.asked++
	if d.faults > 0 {
		d.faults--
		return errLost
	}
	return nil
}

func (d *driver) count() (int, error) { return max(len(d.counters), len(d.powers)), nil }

func (d *driver) energy(gpu int) (uint64, error) {
	if d.old {
		return 0, errNotSupported
	}
	return d.counters[gpu], d.fault()
}

func (d *driver) power(gpu int) (uint32, error) { return d.powers[gpu], d.fault() }

func (d *driver) close() error { d.closed = true; return nil }

// A clock moves only when the test moves it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func start(t *testing.T, d *driver) (*Meter, *clock) {
	t.Helper()
	c := &clock{time.Unix(1000, 0)}
	m, err := open(d, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// read advances the clock and reads.
func read(m *Meter, c *clock, pass time.Duration) (float64, error) {
	c.at = c.at.Add(pass)
	joules := make([]float64, 1)
	err := m.Read(meter.Usage{}, joules)
	return joules[0], err
}

// The increments of the counters are summed over all GPUs. However often the meter is read,
// the library is asked only once in 100 ms, because its answer may take longer than a tick.
func TestCountersAreSummed(t *testing.T) {
	d := &driver{counters: []uint64{5_000_000, 70_000}}
	m, c := start(t, d)
	d.counters[0] += 2500
	d.counters[1] += 500
	if got, err := read(m, c, 100*time.Millisecond); err != nil || got != 3 {
		t.Errorf("after 2.5 J and 0.5 J: %v J, %v", got, err)
	}
	d.counters[0] += 1000
	asked := d.asked
	for range 99 {
		if got, err := read(m, c, time.Millisecond); err != nil || got != 3 {
			t.Fatalf("before the library is asked again: %v J, %v; want 3 J as before", got, err)
		}
	}
	if d.asked != asked {
		t.Errorf("the library was asked %d times within 99 ms", d.asked-asked)
	}
	if got, err := read(m, c, time.Millisecond); err != nil || got != 4 {
		t.Errorf("100 ms later: %v J, %v, want 4", got, err)
	}
	if err := m.Close(); err != nil || !d.closed {
		t.Errorf("closing: %v, library closed: %t", err, d.closed)
	}
	if _, err := read(m, c, time.Second); err == nil {
		t.Error("a closed meter can be read")
	}
}

func TestInfo(t *testing.T) {
	m, _ := start(t, &driver{counters: []uint64{1, 2}})
	want := meter.Info{
		Name: "gpu", Source: record.Measured, Domains: []spell.Domain{spell.GPU}, Resolution: 100 * time.Millisecond,
		Counter: true, WholeMachine: true,
		Notes: []note.Note{note.GPUSlow(2)},
	}
	if diff := cmp.Diff(want, m.Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

// GPUs before Volta report only their power. It is integrated over time by the mean of
// successive readings, and the meter says so.
func TestPowerIsIntegrated(t *testing.T) {
	d := &driver{old: true, powers: []uint32{10_000, 20_000}}
	m, c := start(t, d)
	if diff := cmp.Diff([]note.Note{note.GPUSlow(2), note.GPUIntegrated(2, 2, 100)}, m.Info().Notes); diff != "" {
		t.Errorf("the notes do not say that power was integrated (-want +got):\n%s", diff)
	}
	d.powers[0] = 30_000
	if got, err := read(m, c, 500*time.Millisecond); err != nil || got != 20 {
		t.Errorf("half a second from 30 W to 50 W: %v J, %v, want 20", got, err)
	}
}

// A failed reading is retried once. If the second attempt fails too, the result is an
// error and never 0; the next reading includes the energy of the failed interval.
func TestFailedReadingIsRetriedOnce(t *testing.T) {
	d := &driver{counters: []uint64{1000}}
	m, c := start(t, d)
	d.counters[0], d.faults = 3000, 1
	if got, err := read(m, c, 100*time.Millisecond); err != nil || got != 2 {
		t.Errorf("one fault: %v J, %v; want 2 J from the second attempt", got, err)
	}
	d.counters[0], d.faults = 4000, 2
	if _, err := read(m, c, 100*time.Millisecond); !errors.Is(err, errLost) || errors.Is(err, meter.ErrDiscarded) || !strings.Contains(err.Error(), "GPU 0") {
		t.Errorf("two faults: %v, want the library's error and the GPU's number", err)
	}
	if got, err := read(m, c, 100*time.Millisecond); err != nil || got != 3 {
		t.Errorf("after the faults: %v J, %v; want 3 J", got, err)
	}
}

// An interval is discarded if the counter steps back, because the driver was loaded again,
// or if the power is impossible.
func TestDiscarded(t *testing.T) {
	d := &driver{counters: []uint64{5000}}
	m, c := start(t, d)
	for _, to := range []uint64{100, 1 << 60} {
		d.counters[0] = to
		if _, err := read(m, c, 100*time.Millisecond); !errors.Is(err, meter.ErrDiscarded) {
			t.Errorf("counter at %d: %v, want a discarded interval", to, err)
		}
	}
	d.counters[0] += 1500
	if got, err := read(m, c, 100*time.Millisecond); err != nil || got != 1.5 {
		t.Errorf("after the discarded intervals: %v J, %v, want 1.5", got, err)
	}
}

// If there is no GPU, or none that can be read, opening fails and the library is closed.
func TestNoGPU(t *testing.T) {
	d := &driver{}
	_, err := open(d, time.Now)
	var none *NoGPUError
	if !errors.As(err, &none) || !d.closed {
		t.Errorf("a driver without GPUs: %v, library closed: %t", err, d.closed)
	}
	d = &driver{counters: []uint64{1}, faults: 2}
	if _, err := open(d, time.Now); !errors.Is(err, errLost) || !d.closed {
		t.Errorf("a GPU that cannot be read: %v, library closed: %t", err, d.closed)
	}
}

func TestReadChecksItsArguments(t *testing.T) {
	m, _ := start(t, &driver{counters: []uint64{1}})
	if err := m.Read(meter.Usage{}, nil); err == nil {
		t.Error("Read accepts a slice without room for the domain")
	}
}

// If there is no driver, the error says so. If there is one that this build cannot load, the
// remedy is another build.
func TestOpenWithoutDriver(t *testing.T) {
	if _, err := os.Stat("/proc/driver/nvidia"); err == nil {
		t.Skip("this machine has a driver")
	}
	_, err := Open(meter.Options{})
	var none *NoGPUError
	if !errors.As(err, &none) || !strings.HasPrefix(err.Error(), "no NVIDIA GPU: ") || !strings.Contains(Remedy(err), "libnvidia-ml.so.1") {
		t.Errorf("error %v, remedy %q", err, Remedy(err))
	}
	if canLoad {
		return
	}
	proc := t.TempDir()
	if err := os.MkdirAll(filepath.Join(proc, "driver", "nvidia"), 0o750); err != nil {
		t.Fatal(err)
	}
	_, err = Open(meter.Options{ProcRoot: proc})
	var built *BuildError
	if !errors.As(err, &built) || !strings.Contains(Remedy(err), "CGO_ENABLED=1") {
		t.Errorf("a driver that cannot be loaded: %v, remedy %q", err, Remedy(err))
	}
}
