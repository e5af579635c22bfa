package rapl

import (
	"math"
	"testing"
	"time"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
)

// A simulation is a simulated machine with a clock that the test advances.
type simulation struct {
	sim *powercapsim.Sim
	now int64 // ns
}

func newSimulation(t *testing.T, zones ...powercapsim.Zone) *simulation {
	t.Helper()
	s := &simulation{now: time.Hour.Nanoseconds()}
	sim, err := powercapsim.New(powercapsim.Params{Dir: t.TempDir(), Zones: zones, Clock: func() int64 { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	s.sim = sim
	s.sim.Update()
	t.Cleanup(func() {
		if err := sim.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// open opens a meter with the clock of the simulation.
func (s *simulation) open(t *testing.T) *Meter {
	t.Helper()
	m, err := open(meter.Options{PowercapRoot: s.sim.Root()}, openFile, func() time.Time { return time.Unix(0, s.now) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// wait advances the clock by d, in updates of a millisecond.
func (s *simulation) wait(d time.Duration) {
	for range d / time.Millisecond {
		s.now += time.Millisecond.Nanoseconds()
		s.sim.Update()
	}
}

// reads fails for each domain, and each separate counter for which want has a value, whose total
// differs from want by more than a millijoule.
func reads(t *testing.T, m *Meter, want ...float64) {
	t.Helper()
	info := m.Info()
	joules := make([]float64, info.Values())
	if err := m.Read(meter.Usage{}, joules); err != nil {
		t.Fatal(err)
	}
	if len(want) < len(info.Domains) {
		t.Fatalf("%d values to compare with %d domains", len(want), len(info.Domains))
	}
	for i, name := range info.Counts() {
		if i < len(want) && math.Abs(joules[i]-want[i]) > 0.001 {
			t.Errorf("%s: read %.4f J, want %.4f J", name, joules[i], want[i])
		}
	}
}

// run reads m once a millisecond, and fails if a total decreases.
func (s *simulation) run(t *testing.T, m *Meter, readings int) {
	t.Helper()
	joules := make([]float64, m.Info().Values())
	before := make([]float64, len(joules))
	for range readings {
		s.wait(time.Millisecond)
		if err := m.Read(meter.Usage{}, joules); err != nil {
			t.Fatal(err)
		}
		for i := range joules {
			if joules[i] < before[i] {
				t.Fatalf("%s went back from %v to %v J", m.Info().Counts()[i], before[i], joules[i])
			}
		}
		copy(before, joules)
	}
}
