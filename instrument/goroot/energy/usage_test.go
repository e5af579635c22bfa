package energy

import (
	"math"
	"strings"
	"testing"
)

// What the process used follows from two readings, by what the meter knows.
func TestUsage(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*reading)
		joules  float64
		comment string // that it must have
	}{
		{"a counter: what is above the idle machine, by CPU time", func(*reading) {}, (30 + 3 - 10 - 1) * 0.75, "machine: 33 J in 1 s, of which idle 11 J"},
		{"an idle machine whose power is not known", func(r *reading) { r.IdleW = nil }, 33 * 0.75, "its energy is divided as well"},
		{"less than the idle machine", func(r *reading) { r.IdleW["cpu"] = 40 }, (3 - 1) * 0.75, "machine: 33 J"},
		{"counters that are not the system's", func(r *reading) { r.Root = "/tmp/tree" }, 22 * 0.75, "the counters are those in /tmp/tree, not the system's"},
		{"a process that does nothing", func(r *reading) { r.CPU = 0 }, 0, "0 J for 0 s"},
		{"CPU time of all that lags behind", func(r *reading) { r.Busy = 0 }, 22, "CPU time of all processes 0.75 s"},
		{"nothing runs", func(r *reading) { r.Busy, r.CPU = 0, 0 }, 0, "0 J for 0 s"},
		{"an estimate: CPU time alone", func(r *reading) {
			r.Source, r.Meter, r.Joules = "estimated", "model", map[string]float64{"cpu": 10}
			r.PerCPU = map[string]float64{"cpu": 4}
		}, 3, "nothing was measured"},
		{"a GPU, whose energy CPU time says nothing of", func(r *reading) { r.Joules["gpu"] = 100 }, 22 * 0.75, "not counted, as CPU time does not divide it: gpu"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := counted(0), counted(1)
			test.change(&b)
			u, err := between(&a, &b)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(u.joules-test.joules) > 1e-12 {
				t.Errorf("%g J, want %g", u.joules, test.joules)
			}
			if all := strings.Join(u.comments(), "\n"); !strings.Contains(all, test.comment) {
				t.Errorf("the comments lack %q:\n%s", test.comment, all)
			}
		})
	}
}
