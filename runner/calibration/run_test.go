package calibration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// The watts of a machine whose watts are known come out, with intervals that hold them, whatever its
// size, while others use a little and while it gets warmer.
func TestKnownWattsComeOut(t *testing.T) {
	for why, s := range map[string]*simulated{
		"one processor":          {cores: 1, idleW: 4, eachW: 9},
		"two":                    {cores: 2, idleW: 8, eachW: 12},
		"64":                     {cores: 64, idleW: 90, eachW: 3},
		"others use a little":    {cores: 4, idleW: 8, eachW: 12, others: 0.3},
		"power drifts by 2 %":    {cores: 4, idleW: 8, eachW: 12, drift: 1},
		"two threads share much": {cores: 8, idleW: 10, eachW: 5, bend: func(x float64) float64 { return min(x, 4) + 0.9*max(x-4, 0) }},
	} {
		c, said, err := calibrate(t, s, nil)
		if err != nil {
			t.Errorf("%s: %v", why, err)
			continue
		}
		near(t, why+": idle", c.Fit.IdleW, s.idleW, 0.06)
		near(t, why+": busy", c.Fit.BusyW, s.eachW, 0.06)
		if f := c.Fit; s.drift == 0 && s.bend == nil && (f.Error > 0.01 || outside(f.IdleCI, s.idleW) || outside(f.BusyCI, s.eachW)) {
			t.Errorf("%s: %+v", why, f)
		}
		if len(said) != len(c.Steps) || !strings.Contains(said[0], fmt.Sprintf("step 1 of %d: 0 of %d processors busy for 5s, counter rapl", len(c.Steps), s.cores)) {
			t.Errorf("%s: said %q", why, said)
		}
		if c.Counter != "rapl" || c.Frequency != "" || c.Machine != (Machine{CPU: cpuName, Cores: s.cores}) || c.Version != "v1" || c.Date.IsZero() || c.check() != nil {
			t.Errorf("%s: %+v", why, c)
		}
	}
}

// outside says whether an interval lacks a value, by more than the unit of the counter explains.
func outside(interval [2]float64, w float64) bool {
	return interval[0] > w*1.0001 || interval[1] < w*0.9999
}

// Where frequencies are known, the watts are those at the base frequency, although no step ran at it.
func TestWattsAreThoseAtTheBaseFrequency(t *testing.T) {
	s := &simulated{cores: 4, idleW: 8, eachW: 6, khz: func(busy float64) float64 { return 3200e3 - 150e3*busy }}
	c, _, err := calibrate(t, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "idle", c.Fit.IdleW, 8, 0.03)
	near(t, "busy", c.Fit.BusyW, 6, 0.03)
	if c.Frequency != "scaling_cur_freq each 100ms, base frequency 2.00 GHz" || c.Machine.Governor != "" || c.Fit.Error > 0.03 {
		t.Errorf("%+v", c)
	}
}

// Loads come upwards and downwards in turns, each once.
func TestLevels(t *testing.T) {
	for cores, want := range map[int][]int{1: {0, 1, 1, 0, 0, 1}, 2: {0, 1, 2, 2, 1, 0, 0, 1, 2}, 8: {0, 1, 4, 8, 8, 4, 1, 0, 0, 1, 4, 8}} {
		if got := levels(cores); !slices.Equal(got, want) {
			t.Errorf("%d processors: %v, want %v", cores, got, want)
		}
	}
}

// The firmware of a battery shows its energy every 17 seconds. What lies between two of its updates counts.
func TestSlowCounter(t *testing.T) {
	s := &simulated{cores: 1, idleW: 8, eachW: 3}
	c, said, err := calibrate(t, s, func(r *rig, _ *Params, _ context.CancelFunc) {
		r.open = func(name string) (meter.Meter, error) {
			if name == "battery" {
				return &slowMeter{s: s, period: 17 * time.Second, source: record.Measured}, nil
			}
			return nil, errors.New("there is none")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "idle", c.Fit.IdleW, 8, 0.02)
	near(t, "busy", c.Fit.BusyW, 3, 0.02)
	if c.Counter != "battery" || !strings.Contains(said[0], "for 1m0s, counter battery") {
		t.Errorf("%+v, said %q", c, said[0])
	}
}

// The power meter of a server has its fans and disks, that of a socket may have its memory. The calibration keeps what
// its counter covers, and says it wherever it names the counter.
func TestWhatTheCounterCovers(t *testing.T) {
	for says, includes := range map[string][]spell.Domain{
		"with hwmon, which has the whole machine": spell.Domains(),
		"with hwmon, which has the memory too":    {spell.CPU, spell.DRAM},
	} {
		s := &simulated{cores: 2, idleW: 80, eachW: 30}
		c, _, err := calibrate(t, s, func(r *rig, _ *Params, _ context.CancelFunc) {
			r.root = true // in a container that keeps the finer counters from it
			r.open = func(name string) (meter.Meter, error) {
				if name == "hwmon" {
					return &slowMeter{name: name, includes: includes, s: s, period: time.Second, source: record.Measured}, nil
				}
				return nil, &meters.OpenError{Reason: meters.Reason{Name: name, Why: "it may not be read"}, Err: fs.ErrPermission}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		h := newHome(t)
		var written, listed bytes.Buffer
		err = errors.Join(Write(&written, c, h.keep(c, false)), List(&listed, h.Place))
		told := h.ForModel(h.options(), c.Date)
		for _, text := range []string{written.String(), listed.String(), told.Basis} {
			if err != nil || !strings.Contains(text, says) {
				t.Errorf("%v, does not say %q: %q", err, says, text)
			}
		}
	}
}

// Root in a container may lack the right to any counter. It is not told to become root.
func TestRootWithoutRights(t *testing.T) {
	_, _, err := calibrate(t, &simulated{cores: 2, idleW: 8, eachW: 12}, func(r *rig, _ *Params, _ context.CancelFunc) {
		r.root = true
		r.open = func(name string) (meter.Meter, error) {
			return nil, &meters.OpenError{Reason: meters.Reason{Name: name, Why: "it may not be read"}, Err: fs.ErrPermission}
		}
	})
	if !errors.Is(err, ErrRefused) || !strings.HasSuffix(err.Error(), "\n  battery: it may not be read") {
		t.Errorf("error %v", err)
	}
}

// What does not calibrate says why and keeps nothing.
func TestRefused(t *testing.T) {
	type change = func(*simulated, *rig, *Params, context.CancelFunc)
	only := func(m *slowMeter) change {
		return func(s *simulated, r *rig, _ *Params, _ context.CancelFunc) {
			m.s = s
			r.open = func(string) (meter.Meter, error) { return m, nil }
		}
	}
	for _, tt := range []struct {
		why    string
		s      simulated
		change change
		says   []string
		is     error
	}{
		{"a counter that stops in the middle", simulated{cores: 2, idleW: 8, eachW: 12}, func(s *simulated, _ *rig, _ *Params, _ context.CancelFunc) {
			s.hook = func(waits int) {
				if waits == 200 {
					s.sim.Fault("package-0", powercapsim.Frozen)
				}
			}
		}, []string{"frozen counter: rapl hardly changed within 5s while 2 of 2 processors were busy"}, ErrRefused},
		{"a counter that fails in the middle", simulated{cores: 2, idleW: 8, eachW: 12}, only(&slowMeter{source: record.Measured, err: errors.New("BAT0 is Charging")}), []string{"reading the counter battery: BAT0 is Charging"}, ErrRefused},
		{"no counter", simulated{cores: 2, idleW: 8, eachW: 12}, func(_ *simulated, r *rig, _ *Params, _ context.CancelFunc) {
			r.open = func(name string) (meter.Meter, error) { return nil, errors.New("there is no " + name) }
		}, []string{"no counter works here to calibrate by:", "\n  rapl: there is no rapl", "\n  battery: there is no battery"}, ErrRefused},
		{"a counter that only root may read", simulated{cores: 2, idleW: 8, eachW: 12}, func(_ *simulated, r *rig, _ *Params, _ context.CancelFunc) {
			r.open = func(name string) (meter.Meter, error) {
				return nil, &meters.OpenError{Reason: meters.Reason{Name: name, Why: "energy_uj may not be read"}, Err: fs.ErrPermission}
			}
		}, []string{"\n  rapl: energy_uj may not be read\n", `sudo "$(command -v spell-lsp)" doctor --calibrate`}, ErrRefused},
		{"one of the whole server, where root may read that of processors", simulated{cores: 2, idleW: 8, eachW: 12}, func(s *simulated, r *rig, _ *Params, _ context.CancelFunc) {
			r.open = func(name string) (meter.Meter, error) {
				switch name {
				case "rapl":
					return nil, &meters.OpenError{Reason: meters.Reason{Name: name, Why: "energy_uj may not be read"}, Err: fs.ErrPermission}
				case "hwmon":
					return &slowMeter{name: name, includes: spell.Domains(), s: s, source: record.Measured}, nil
				}
				return nil, errors.New("there is no " + name)
			}
		}, []string{"\n  hwmon: it measures the whole machine, and root can read a counter of processors\n", `sudo "$(command -v spell-lsp)" doctor --calibrate`}, ErrRefused},
		{"a counter of memory alone", simulated{cores: 2, idleW: 8, eachW: 12}, only(&slowMeter{domains: []spell.Domain{spell.DRAM}, source: record.Measured}), []string{"rapl: it does not measure processors"}, ErrRefused},
		{"a host's share", simulated{cores: 2, idleW: 8, eachW: 12}, only(&slowMeter{source: record.Estimated}), []string{"what it reads is estimated, not measured"}, ErrRefused},
		{"other programs", simulated{cores: 4, idleW: 8, eachW: 12, others: 1.2}, nil, []string{"the machine is busy: other programs used 1.2 of 4 processors", "top"}, ErrRefused},
		{"a container that may use few processors", simulated{cores: 8, idleW: 8, eachW: 12, limit: 2.5}, nil, []string{"no more than 2.5 of 8 processors could be kept busy: a limit of the container"}, ErrRefused},
		{"the counter of another machine", simulated{cores: 2, idleW: 8, eachW: 0}, nil, []string{"the counter does not follow the load"}, ErrRefused},
		{"one that load makes smaller", simulated{cores: 2, idleW: 80, eachW: -12}, nil, []string{"the counter does not follow the load: -12 W"}, ErrRefused},
		{"power that is no line", simulated{cores: 16, idleW: 2, eachW: 10, bend: func(x float64) float64 { return min(x, 1) + 0.01*x }}, nil, []string{"power is no line over busy processors", "at most 25 %"}, ErrRefused},
		{"steps that are too short", simulated{cores: 2, idleW: 8, eachW: 12}, func(_ *simulated, _ *rig, p *Params, _ context.CancelFunc) { p.Step = 200 * time.Millisecond }, []string{"steps of 200ms are too short for the counter rapl: 1s is the least"}, nil},
		{"no /proc/stat", simulated{cores: 2, idleW: 8, eachW: 12}, func(s *simulated, _ *rig, _ *Params, _ context.CancelFunc) { os.Remove(s.file("proc/stat")) }, []string{"reading how busy processors are", "stat"}, ErrRefused},
		{"no cpuinfo", simulated{cores: 2, idleW: 8, eachW: 12}, func(s *simulated, _ *rig, _ *Params, _ context.CancelFunc) { os.Remove(s.file("proc/cpuinfo")) }, []string{"reading the processor's name"}, ErrRefused},
		{"an interrupt", simulated{cores: 2, idleW: 8, eachW: 12}, func(s *simulated, _ *rig, _ *Params, cancel context.CancelFunc) {
			s.hook = func(waits int) {
				if waits == 150 {
					cancel()
				}
			}
		}, []string{"context canceled"}, context.Canceled},
	} {
		c, _, err := calibrate(t, &tt.s, func(r *rig, p *Params, cancel context.CancelFunc) {
			if tt.change != nil {
				tt.change(&tt.s, r, p, cancel)
			}
		})
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || tt.is == nil && errors.Is(err, ErrRefused) {
			t.Errorf("%s: %+v, %v", tt.why, c, err)
			continue
		}
		if lacks := has(err.Error(), tt.says...); lacks != "" {
			t.Errorf("%s: the error does not say %q: %v", tt.why, lacks, err)
		}
		if tt.s.busy != 0 {
			t.Errorf("%s: processors are kept busy afterwards", tt.why)
		}
	}
}

// An interval of a fit holds the truth as often as it says, also of few steps with noise.
func TestIntervals(t *testing.T) {
	held := 0
	const tries = 400
	for try := range tries {
		var steps []Step
		for i, x := range levels(4) {
			noise := math.Sin(float64(try*100+i*37)*12.9898) * 43758.5453 // as good as random
			steps = append(steps, Step{Weighed: float64(x), Watts: 10 + 5*float64(x) + (noise - math.Floor(noise)) - 0.5})
		}
		f, err := fit(steps)
		if err != nil {
			t.Fatal(err)
		}
		if f.BusyCI[0] <= 5 && 5 <= f.BusyCI[1] {
			held++
		}
	}
	if held < tries*92/100 || held > tries*98/100 {
		t.Errorf("the truth was in %d of %d intervals of 95 %%", held, tries)
	}
	if _, err := fit([]Step{{Weighed: 1, Watts: 5}, {Weighed: 1, Watts: 6}, {Weighed: 1, Watts: 5}}); err == nil || !strings.Contains(err.Error(), "equally busy in all steps") {
		t.Errorf("processors that did not get busy: %v", err)
	}
}

// The load uses processors until it is stopped, and leaves nothing behind.
func TestLoad(t *testing.T) {
	before, goroutines, threads := ownCPU(), runtime.NumGoroutine(), runtime.GOMAXPROCS(0)
	stop := load(threads + 1)
	for ownCPU()-before < 50*time.Millisecond { // in an idle process that never comes
		if err := wait(t.Context(), time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if runtime.GOMAXPROCS(0) != threads {
		t.Errorf("GOMAXPROCS %d is left, of %d", runtime.GOMAXPROCS(0), threads)
	}
	for runtime.NumGoroutine() > goroutines { // one that has reported its end may still be about to end
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := wait(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting after an interrupt: %v", err)
	}
}
