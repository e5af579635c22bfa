package interop

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/openmetrics"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

func writeOpenMetrics(t *testing.T, r *record.Run, o openmetrics.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := openmetrics.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// kinds are the metrics that are no gauges. The name of a counter ends in _total where it has a value.
var kinds = map[string]textparse.MetricType{"hw_energy_joules": textparse.MetricTypeCounter}

// readSeries is what a parser of Prometheus makes of the text: values by their labels.
func readSeries(t *testing.T, p textparse.Parser) map[string]float64 {
	t.Helper()
	all, units, types := make(map[string]float64), make(map[string]string), make(map[string]bool)
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch entry {
		case textparse.EntryUnit:
			name, unit := p.Unit()
			units[string(name)] = string(unit)
		case textparse.EntryType:
			name, kind := p.Type()
			if want := kinds[string(name)]; types[string(name)] || want == "" && kind != textparse.MetricTypeGauge || want != "" && kind != want {
				t.Errorf("%s is a %s, or is there twice", name, kind)
			}
			types[string(name)] = true
		case textparse.EntrySeries:
			var l labels.Labels
			p.Metric(&l)
			_, _, value := p.Series()
			if _, twice := all[l.String()]; twice {
				t.Errorf("%s is there twice", l)
			}
			if name := strings.TrimSuffix(l.Get(labels.MetricName), "_total"); !types[name] || strings.HasSuffix(name, "_joules") != (units[name] == "joules") {
				t.Errorf("%s has no type, or the unit %q", name, units[name])
			}
			all[l.String()] = value
		default:
		}
	}
}

// Both parsers of Prometheus take it, and read the same.
func TestOpenMetricsIsReadBack(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			r := ranking.Counted(run())
			text := []byte(writeOpenMetrics(t, r, openmetrics.Options{}))
			open := readSeries(t, textparse.NewOpenMetricsParser(text))
			for i := range r.Components {
				c := &r.Components[i]
				at := func(metric string, more ...string) labels.Labels {
					return labels.FromStrings(append([]string{labels.MetricName, metric, "component", page.Clean(c.ID), "package", page.Clean(c.Package), "zone", string(c.Zone)}, more...)...)
				}
				checkSeries(t, open, at("spell_calls"), c.N)
				checkSeries(t, open, at("spell_psi"), c.Psi)
				checkSeries(t, open, at("spell_time_seconds"), c.TimeMS/1e3)
				for _, d := range r.Matrix.Domains {
					checkSeries(t, open, at("spell_energy_joules", "domain", string(d), "source", string(r.Meter.Source)), c.EnergyJ[d])
				}
			}
			older := 0
			for p := textparse.NewPromParser(text); ; {
				entry, err := p.Next()
				if errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if entry == textparse.EntrySeries {
					older++
				}
			}
			if older != len(open) {
				t.Errorf("the older format has %d series, OpenMetrics %d", older, len(open))
			}
		})
	}
}

func checkSeries(t *testing.T, all map[string]float64, l labels.Labels, want float64) {
	t.Helper()
	if got, ok := all[l.String()]; !ok || got != want {
		t.Errorf("%s is %v (%v), want %v", l, got, ok, want)
	}
}

// What is listed and what is not listed are in the totals; with what belongs to no
// component they are the energy of the tests that count.
func TestOpenMetricsTotals(t *testing.T) {
	r := recordtest.Failing()
	all := readSeries(t, textparse.NewOpenMetricsParser([]byte(writeOpenMetrics(t, r, openmetrics.Options{Top: 2}))))
	sum := make(map[string]float64)
	for l, v := range all {
		if strings.Contains(l, `domain="cpu"`) {
			name := l[strings.Index(l, `__name__="`)+10:]
			sum[name[:strings.IndexByte(name, '"')]] += v
		}
	}
	r = ranking.Counted(r)
	var left, components float64
	for i := range r.Tests[:2] { // the third failed
		left += r.Tests[i].UnattributedJ[spell.CPU]
	}
	for i := range r.Components {
		components += r.Components[i].EnergyJ[spell.CPU]
	}
	for name, want := range map[string]float64{
		"spell_unattributed_energy_joules": left, "spell_total_energy_joules": components,
		"spell_energy_joules": r.Components[0].EnergyJ[spell.CPU] + r.Components[1].EnergyJ[spell.CPU],
	} {
		if math.Abs(sum[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, sum[name], want)
		}
	}
}
