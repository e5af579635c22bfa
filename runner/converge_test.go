package runner

import (
	"fmt"
	"path/filepath"
	"testing"

	"spell-lsp/instrument"
	"spell-lsp/internal/recording"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

func TestCorrelated(t *testing.T) {
	run := func(values ...float64) *standing {
		p := &standing{}
		for i, v := range values {
			p.units = append(p.units, spell.Component{ID: fmt.Sprint(i)})
			p.ranking.Rows = append(p.ranking.Rows, spell.Row{Component: i, Score: v})
		}
		return p
	}
	for _, test := range []struct {
		name string
		a, b *standing
		want bool
	}{
		{"the same", run(0.6, 0.3, 0.1), run(0.6, 0.3, 0.1), true},
		{"nearly the same", run(0.6, 0.3, 0.1), run(0.61, 0.29, 0.1), true},
		{"another order", run(0.6, 0.3, 0.1), run(0.1, 0.3, 0.6), false},
		{"one more component", run(0.9, 0.1), run(0.5, 0.1, 0.4), false},
		{"one component", run(1), run(1), true},
		{"no components", run(), run(), true},
	} {
		if got := correlated(test.a, test.b); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// loaded are the recordings by name. They are not changed.
var loaded = make(map[string]*recording.Recording)

// recorded returns a measurement with the rounds of a recording.
func recorded(t *testing.T, name string) *measurement {
	t.Helper()
	r := loaded[name]
	if r == nil {
		var err error
		if r, err = recording.Load(filepath.Join("attribution", "testdata", name+".json.gz")); err != nil {
			t.Fatal(err)
		}
		loaded[name] = r
	}
	m := &measurement{Params: Params{Granularity: spell.KindFunction, Seed: 7}, info: meter.Info{Domains: r.Machine.Domains}, machine: r.Machine}
	m.build = &instrument.Build{}
	for i, id := range r.Components {
		m.build.Components = append(m.build.Components, spell.Component{ID: id, Kind: spell.KindFunction, Package: "example.com/m", File: "m.go", Line: i + 1})
	}
	m.units, m.unitOf = unitsOf(m.build, spell.KindFunction)
	m.setUp.Hot = r.Hot()
	model, executions := r.Replay()
	m.model = model
	for i, tests := range executions {
		round := &round{number: i + 1}
		for _, test := range tests {
			round.tests = append(round.tests, &observation{
				pkg: "example.com/m", name: test.Name, outcome: record.Pass, executions: 1, timeMS: test.Interval.LengthNS / 1e6,
				joules: test.Interval.Joules, intervals: []*attribution.Interval{test.Interval},
			})
		}
		m.kept = append(m.kept, round)
	}
	return m
}

// Whether another round is needed is decided from scores, zones and intervals that are computed without
// making a record. They equal those in the record of the same rounds, to the last bit.
func TestStandingEqualsTheRecord(t *testing.T) {
	for _, name := range []string{"powers", "idle"} {
		m := recorded(t, name)
		all := m.kept
		for n := 1; n <= len(all); n++ {
			m.kept = all[:n]
			p, run := m.standing(), m.record(false)
			intervals := p.intervals()
			if len(p.ranking.Rows) != len(run.Components) || len(run.Components) == 0 {
				t.Fatalf("%s: %d components, the record has %d", name, len(p.ranking.Rows), len(run.Components))
			}
			for i, row := range p.ranking.Rows { // both are in the order of ranks
				c := &run.Components[i]
				ci := [2]float64{}
				if intervals != nil {
					ci = intervals[row.Component].Psi
				}
				if p.units[row.Component].ID != c.ID || row.Psi != c.Psi || row.Zone != c.Zone || ci != c.PsiCI {
					t.Errorf("%s, %d rounds: %s has psi %v %v, %s; the record has %s with %v %v, %s", name, n, p.units[row.Component].ID, row.Psi, ci, row.Zone, c.ID, c.Psi, c.PsiCI, c.Zone)
				}
			}
		}
	}
}

// A wide interval matters only for red components: the ranking is not settled then.
func TestNarrow(t *testing.T) {
	for _, test := range []struct {
		zone  spell.Zone
		score [2]float64
		want  bool
	}{
		{spell.Red, [2]float64{0.3, 0.39}, true}, {spell.Red, [2]float64{0.3, 0.41}, false}, {spell.Yellow, [2]float64{0.3, 0.41}, true},
	} {
		p := &standing{intervals: func() []spell.Interval { return []spell.Interval{{Score: test.score}} }}
		p.ranking.Rows = []spell.Row{{Zone: test.zone}}
		if got := p.narrow(); got != test.want {
			t.Errorf("a %s component with a score in %v counts as narrow: %t", test.zone, test.score, got)
		}
	}
}
