package calibration

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/model/frequency"
	"spell-lsp/runner/rapl"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A simulated machine has a package whose power is known: idle, and for each busy processor. Its time is
// that of a synctest bubble. It is made, and used, in one.
type simulated struct {
	t            *testing.T
	cores        int
	idleW, eachW float64
	limit        float64                    // of processors that this process may use; 0 for none
	others       float64                    // processors that other programs keep busy
	bend         func(busy float64) float64 // what power is a line over; nil: busy processors
	khz          func(busy float64) float64 // frequency of all processors; nil: none is shown
	drift        float64                    // of the power in an hour, relative
	dir          string
	sim          *powercapsim.Sim
	start, last  time.Time
	busy         int
	ticks        []float64
	own          time.Duration
	hook         func(waits int) // after each wait
	waits        int
}

const cpuName = "Example 3000 CPU"

var span = frequency.Range{Lowest: 800e3, Base: 2000e3, Highest: 3200e3}

// boot makes the trees of the machine.
func (s *simulated) boot() {
	s.t.Helper()
	s.dir, s.start, s.last, s.ticks = s.t.TempDir(), time.Now(), time.Now(), make([]float64, s.cores)
	for i := range s.cores {
		s.write(s.file("proc/cpuinfo"), s.read("proc/cpuinfo")+fmt.Sprintf("processor\t: %d\nmodel name\t: %s\n\n", i, cpuName))
		for name, text := range map[string]string{"scaling_governor": "powersave", "cpuinfo_min_freq": "800000", "cpuinfo_max_freq": "3200000", "base_frequency": "2000000", "scaling_cur_freq": "2000000"} {
			if s.khz != nil {
				s.write(s.file("sys/devices/system/cpu", fmt.Sprint("cpu", i), "cpufreq", name), text)
			}
		}
	}
	var err error
	s.sim, err = powercapsim.New(powercapsim.Params{
		Dir: s.dir, Clock: func() int64 { return time.Now().UnixNano() },
		Zones: []powercapsim.Zone{{Name: "package-0", Watts: s.idleW}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { s.sim.Stop() })
	s.advance()
}

func (s *simulated) file(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

func (s *simulated) read(name string) string {
	text, _ := os.ReadFile(s.file(name)) // "" where there is none
	return string(text)
}

func (s *simulated) write(file, text string) {
	s.t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *simulated) options() meter.Options {
	return meter.Options{PowercapRoot: s.sim.Root(), ProcRoot: s.file("proc"), SysRoot: s.file("sys")}
}

// used is how many processors this process keeps busy.
func (s *simulated) used() float64 {
	if s.limit > 0 {
		return min(float64(s.busy), s.limit)
	}
	return min(float64(s.busy), float64(s.cores)-s.others)
}

// all is how many processors are busy.
func (s *simulated) all() float64 { return s.used() + s.others }

// setPower has the package draw what the load costs.
func (s *simulated) setPower() {
	x := s.all()
	if s.khz != nil {
		x *= span.Weight(s.khz(s.all()))
	}
	if s.bend != nil {
		x = s.bend(x)
	}
	w := (s.idleW + s.eachW*x) * (1 + s.drift*time.Since(s.start).Hours())
	if err := s.sim.SetWatts("package-0", w); err != nil {
		s.t.Error(err)
	}
}

// advance books what has been used since the last time.
func (s *simulated) advance() {
	past := time.Since(s.last)
	s.last = time.Now()
	s.own += time.Duration(s.used() * float64(past))
	text := "cpu  0 0 0 0 0 0 0 0 0 0\n"
	for i := range s.ticks {
		s.ticks[i] += min(1, max(0, s.all()-float64(i))) * past.Seconds() * 100
		text += fmt.Sprintf("cpu%d %d 0 0 5 5 0 0 0 0 0\n", i, int(math.Round(s.ticks[i])))
		if s.khz != nil {
			s.write(s.file("sys/devices/system/cpu", fmt.Sprint("cpu", i), "cpufreq", "scaling_cur_freq"), fmt.Sprintf("%.0f\n", s.khz(s.all())))
		}
	}
	s.write(s.file("proc/stat"), text+"intr 0\n")
	s.sim.Update()
	s.setPower()
}

// rig is that of the machine.
func (s *simulated) rig() rig {
	r := newRig(s.options())
	r.root = false
	r.open = func(name string) (meter.Meter, error) {
		if name != "rapl" {
			return nil, fmt.Errorf("there is no %s", name)
		}
		return rapl.Open(s.options())
	}
	r.wait = func(ctx context.Context, d time.Duration) error {
		err := wait(ctx, d)
		s.advance()
		if s.waits++; s.hook != nil {
			s.hook(s.waits)
		}
		return err
	}
	r.load = func(processors int) func() {
		s.advance()
		s.busy = processors
		s.setPower()
		return func() {
			s.advance()
			s.busy = 0
			s.setPower()
		}
	}
	r.own = func() time.Duration { return s.own }
	return r
}

// slowMeter is a counter of processors whose firmware shows the joules of the machine each period: a battery, unless it
// has another name.
type slowMeter struct {
	name     string
	domains  []spell.Domain // nil: that of processors
	includes []spell.Domain
	s        *simulated
	period   time.Duration
	shown    float64
	at       time.Time
	source   record.Source
	err      error
}

func (m *slowMeter) Info() meter.Info {
	domains := m.domains
	if domains == nil {
		domains = []spell.Domain{spell.CPU}
	}
	return meter.Info{Name: cmp.Or(m.name, "battery"), Source: m.source, Domains: domains, Includes: m.includes, Resolution: time.Second, Counter: true, WholeMachine: true}
}

func (m *slowMeter) Read(_ meter.Usage, joules []float64) error {
	if now := time.Now(); now.Sub(m.at) >= m.period {
		m.at, m.shown = now, m.s.sim.Truth(now.UnixNano())["package-0"]
	}
	joules[0] = m.shown
	return m.err
}

func (m *slowMeter) Close() error { return nil }

// calibrate boots and calibrates a machine. change, if it is not nil, is called in between.
func calibrate(t *testing.T, s *simulated, change func(*rig, *Params, context.CancelFunc)) (c *Calibration, said []string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.t = t
		s.boot()
		r := s.rig()
		p := Params{Options: s.options(), Version: "v1", Say: func(text string) { said = append(said, text) }}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if change != nil {
			change(&r, &p, cancel)
		}
		c, err = r.run(ctx, p)
	})
	return c, said, err
}

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by*math.Abs(want) {
		t.Errorf("%s: %v, want %v within %v %%", what, got, want, by*100)
	}
}

func has(text string, parts ...string) string {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return part
		}
	}
	return ""
}
