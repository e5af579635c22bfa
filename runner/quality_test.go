package runner

import (
	"testing"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/record"
)

// A meter that was read unevenly makes a run of less quality, which is said.
func TestUnevenReadingsAreSaid(t *testing.T) {
	for _, test := range []struct {
		name     string
		late     int // of 1000 readings
		degraded bool
	}{{"evenly", 0, false}, {"a few late", 5, false}, {"many late", 20, true}} {
		m := &measurement{info: meter.Info{Counter: true}}
		now := int64(1)
		for i := range 1000 {
			now += millisecond
			if i < test.late {
				now += 9 * millisecond
			}
			m.gaps.add(sampler.Reading{PublishedNS: now, UncertainNS: 50_000, OwnNS: now / 20})
		}
		var r record.Meter
		m.describe(&r)
		if got := r.Quality == record.Degraded; got != test.degraded || got != (len(r.Warnings) > 0) {
			t.Errorf("%s: quality %q, warnings %q", test.name, r.Quality, r.Warnings)
		}
		if test.late == 0 && (r.GapP99MS > 1.2 || r.TimingMS != 0.05 || r.SamplerCPU < 0.04 || r.SamplerCPU > 0.06) {
			t.Errorf("%s: %+v, want 1.1 ms, 0.05 ms, 0.05 processors", test.name, r)
		}
	}
}

// The errors of a window's edges have to be small against it; many windows have many
// edges.
func TestShortTestsAreMarked(t *testing.T) {
	for _, test := range []struct {
		name        string
		ms          float64
		executions  float64
		uncertainMS float64
		short       bool
	}{
		{"one long window", 400, 1, 1, false},
		{"one short window", 30, 1, 1, true},
		{"many short windows", 20, 20, 1, true},
		{"many short windows, at moments that are well known", 20, 20, 0.04, false},
		{"a very short one, however well", 1, 1, 0.04, true},
	} {
		r := &record.Run{Tests: []record.Test{{Name: "p.TestA"}}}
		o := observed("TestA", record.Pass, test.ms)
		o.executions = test.executions
		markShortTests(r, []*round{{tests: []*observation{o}}}, test.uncertainMS)
		if got := r.Tests[0].BelowResolution; got != test.short {
			t.Errorf("%s: below resolution is %v", test.name, got)
		}
	}
}

// How long a counter may stand still goes by how often it changes.
func TestPatience(t *testing.T) {
	for resolution, want := range map[time.Duration]int64{
		time.Millisecond: frozenNS, 100 * time.Millisecond: 4 * frozenNS, time.Second: 0, 5 * time.Second: 0,
	} {
		if got := patience(resolution); got != want {
			t.Errorf("a counter of %v may stand still for %d ns, want %d", resolution, got, want)
		}
	}
}
