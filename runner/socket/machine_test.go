package socket

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell"
)

// A second is one of a machine that draws watts, with so many processors busy.
type second struct {
	watts, busy float64
	faulty      bool
}

// after is what is known after these seconds of a machine whose own sampler takes a tenth of a
// processor.
func after(info meter.Info, seconds ...second) *machine {
	info.Name, info.Domains = "rapl", []spell.Domain{spell.CPU}
	m := newMachine(info)
	r := sampler.Reading{PublishedNS: 5, UpdatedNS: 5, Joules: []float64{0}}
	m.add(r)
	for _, s := range seconds {
		for range 10 { // readings
			r.UpdatedNS, r.PublishedNS = r.UpdatedNS+1e8, r.PublishedNS+1e8
			r.OwnNS += 1e7
			r.BusyNS += 1e7 + int64(s.busy*1e8)
			r.Joules = []float64{r.Joules[0] + s.watts/10}
			r.Faulty = s.faulty
			m.add(r)
		}
	}
	return m
}

// The power of the idle machine is subtracted from what services use. A machine that was busy
// throughout does not show it, and a guess would be charged to somebody.
func TestPowerOfTheIdleMachine(t *testing.T) {
	some := 0.01 * float64(runtime.NumCPU())
	for _, test := range []struct {
		name    string
		info    meter.Info
		seconds []second
		want    map[string]float64
	}{
		{"a quiet second", meter.Info{}, []second{{12, 0, false}}, map[string]float64{"cpu": 12}},
		{"the quietest of several", meter.Info{}, []second{{13, some, false}, {12, some / 2, false}, {14, some, false}}, map[string]float64{"cpu": 12}},
		{"a second that is quiet after busy ones", meter.Info{}, []second{{50, 2, false}, {12, 0, false}, {50, 2, false}}, map[string]float64{"cpu": 12}},
		{"never quiet", meter.Info{}, []second{{50, float64(runtime.NumCPU()), false}, {40, float64(runtime.NumCPU()) / 2, false}}, nil},
		{"a second with a fault", meter.Info{}, []second{{1, 0, true}, {12, some, false}}, map[string]float64{"cpu": 12}},
		{"a meter that knows it", meter.Info{IdleW: []float64{7}}, []second{{50, 0, false}}, map[string]float64{"cpu": 7}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := after(test.info, test.seconds...).reading().IdleW
			for domain, watts := range got {
				got[domain] = float64(int(watts*1e6+0.5)) / 1e6
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("watts (-want +got):\n%s", diff)
			}
		})
	}
}

// Sums begin with the start; the sampler is no part of what other processes use.
func TestReading(t *testing.T) {
	got := after(meter.Info{Source: "measured", Root: "/tree"}, second{12, 0, false}, second{60, 2, true}).reading()
	got.IdleW, got.Joules["cpu"] = nil, float64(int(got.Joules["cpu"]+0.5))
	want := reading{
		Version: 1, Meter: "rapl", Source: "measured", Root: "/tree", StartedNS: 5, TimeNS: 5 + 2e9, Faults: 10, Busy: 2e9,
		Joules: map[string]float64{"cpu": 72},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the reading (-want +got):\n%s", diff)
	}
}
