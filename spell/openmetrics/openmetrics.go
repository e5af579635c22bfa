// Package openmetrics writes a run as OpenMetrics 1.0 text, for dashboards. It uses
// gauges, and one counter, whose name readers of the older text format of Prometheus, such as the
// text file collector of its node exporter, take as well.
//
// The counter is OpenTelemetry's hw.energy (semantic conventions for hardware metrics, in
// development): the joules that the meter counted in the whole run, by the hardware that used them.
// All other values are per round, in the base units of the format: joules and seconds. Every energy has
// the label source, so that estimates are never added to measurements. A component has three
// series, and one more for each domain. Options.Top limits the components; totals include
// those that are not listed. Components and totals cover the tests that the analysis counts;
// all tests are listed.
package openmetrics

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// Options say how much is written. The zero value is the default.
type Options struct {
	Top int // the number of components, by rank, and of tests, in their order; 0 = 20, negative = all
}

// Write writes the metrics of an analysed run.
func Write(w io.Writer, r *record.Run, o Options) error {
	r = ranking.Counted(r)
	s := &sheet{r: r, components: r.Components[:page.Shown(o.Top, len(r.Components))], tests: r.Tests[:page.Shown(o.Top, len(r.Tests))]}
	if r.Meter.Source != record.NoEnergy {
		s.domains = r.Meter.Domains
	}
	s.run()
	s.ofComponents()
	s.totals()
	s.ofTests()
	s.hardware()
	s.b.WriteString("# EOF\n")
	if _, err := w.Write(s.b.Bytes()); err != nil {
		return fmt.Errorf("writing the metrics: %w", err)
	}
	return nil
}

// A sheet writes a run as text.
type sheet struct {
	b          bytes.Buffer
	r          *record.Run
	domains    []spell.Domain // whose energy is known
	components []record.Component
	tests      []record.Test
}

// family begins a metric family. unit is the suffix of the name; "" = none.
func (s *sheet) family(name, unit, help string) { s.familyOf("gauge", name, unit, help) }

func (s *sheet) familyOf(kind, name, unit, help string) {
	fmt.Fprintf(&s.b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	if unit != "" {
		fmt.Fprintf(&s.b, "# UNIT %s %s\n", name, unit)
	}
}

// sample writes a value with its labels, which alternate between names and values.
func (s *sheet) sample(name string, value float64, labels ...string) {
	s.b.WriteString(name)
	for i := 0; i < len(labels); i += 2 {
		s.b.WriteByte("{,"[min(i, 1)])
		s.b.WriteString(labels[i] + `="` + escaped(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		s.b.WriteByte('}')
	}
	s.b.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

// escaped returns the value of a label as it is written between quotes, with every character
// visible.
func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(page.Clean(value))
}

// run writes what was measured, and how.
func (s *sheet) run() {
	r := s.r
	s.family("spell_run_info", "", "The run: what was measured, where and with what.")
	info := []string{"run", r.ID, "module", r.Workspace.Module, "revision", r.Workspace.Revision,
		"meter", r.Meter.Name, "source", s.source(), "granularity", string(r.Granularity), "mode", r.Mode,
		"cpu", r.Host.CPU, "go", r.Host.Go, "partial", strconv.FormatBool(r.Partial)}
	if r.Meter.Root != "" {
		info = append(info, "meter_root", r.Meter.Root)
	}
	s.sample("spell_run_info", 1, info...)
	s.family("spell_rounds", "", "Rounds that the values are the mean of.")
	s.sample("spell_rounds", float64(r.Rounds))
	if !r.Started.IsZero() {
		s.family("spell_run_started_seconds", "seconds", "When the run began, since the Unix epoch.")
		s.sample("spell_run_started_seconds", float64(r.Started.UnixMilli())/1e3)
	}
}

// source says where the energy comes from; unknown if a file did not say so.
func (s *sheet) source() string {
	if origin := s.r.Meter.Origin(); origin != "" {
		return string(origin)
	}
	return "unknown"
}

func (s *sheet) ofComponents() {
	if domains := s.r.Matrix.Domains; len(domains) > 0 {
		s.family("spell_energy_joules", "joules", "Self energy of a component per round, by domain.")
		for i := range s.components {
			for _, d := range domains {
				s.sample("spell_energy_joules", s.components[i].EnergyJ[d], append(labels(&s.components[i]), "domain", string(d), "source", s.source())...)
			}
		}
	}
	for _, f := range []struct {
		name, unit, help string
		value            func(*record.Component) float64
	}{
		{"spell_time_seconds", "seconds", "Self running time of a component per round.", func(c *record.Component) float64 { return c.TimeMS / 1e3 }},
		{"spell_calls", "", "Executions of a component per round.", func(c *record.Component) float64 { return c.N }},
		{"spell_psi", "", "SPELL's global similarity of a component, from 0 to 1.", func(c *record.Component) float64 { return c.Psi }},
	} {
		s.family(f.name, f.unit, f.help)
		for i := range s.components {
			s.sample(f.name, f.value(&s.components[i]), labels(&s.components[i])...)
		}
	}
}

// labels identify a component.
func labels(c *record.Component) []string {
	return []string{"component", c.ID, "package", c.Package, "zone", string(c.Zone)}
}

// totals writes the sums over all components and all tests.
func (s *sheet) totals() {
	count, timeMS, energy := make(map[spell.Zone]int), 0.0, make(record.Energy)
	for i := range s.r.Components {
		c := &s.r.Components[i]
		count[c.Zone]++
		timeMS += c.TimeMS
		for _, d := range s.r.Matrix.Domains {
			energy[d] += c.EnergyJ[d]
		}
	}
	s.family("spell_components", "", "Components by zone.")
	for _, z := range []spell.Zone{spell.Red, spell.Yellow, spell.Green} {
		s.sample("spell_components", float64(count[z]), "zone", string(z))
	}
	s.family("spell_total_time_seconds", "seconds", "Running time of all components together per round.")
	s.sample("spell_total_time_seconds", timeMS/1e3)
	if len(s.domains) == 0 {
		return
	}
	if len(s.r.Matrix.Domains) > 0 {
		s.family("spell_total_energy_joules", "joules", "Energy of all components together per round, by domain.")
	}
	for _, d := range s.r.Matrix.Domains {
		s.sample("spell_total_energy_joules", energy[d], "domain", string(d), "source", s.source())
	}
	s.unattributed()
}

// unattributed writes the energy that belongs to no component. The part without a name is
// not broken down further.
func (s *sheet) unattributed() {
	s.family("spell_unattributed_energy_joules", "joules", "Energy of all tests or programs together per round that belongs to no component, by what it went to.")
	parts := s.r.Parts()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		for _, d := range s.domains {
			joules, known := parts[name].EnergyJ[d]
			if !known {
				continue
			}
			s.sample("spell_unattributed_energy_joules", joules, "part", string(name), "domain", string(d), "source", s.source())
		}
	}
}

func (s *sheet) ofTests() {
	if len(s.domains) > 0 {
		s.family("spell_test_energy_joules", "joules", "Energy of a test or program per round, by domain, with what belongs to no component.")
		for i := range s.tests {
			for _, d := range s.domains {
				s.sample("spell_test_energy_joules", s.tests[i].EnergyJ[d], "test", s.tests[i].Name, "outcome", string(s.tests[i].Outcome), "domain", string(d), "source", s.source())
			}
		}
	}
	s.family("spell_test_time_seconds", "seconds", "Wall time of a test or program per round.")
	for i := range s.tests {
		s.sample("spell_test_time_seconds", s.tests[i].TimeMS/1e3, "test", s.tests[i].Name, "outcome", string(s.tests[i].Outcome))
	}
}

// hardwareTypes are the values of hw.type in OpenTelemetry's semantic conventions.
var hardwareTypes = map[spell.Domain]string{
	spell.CPU: "cpu", spell.DRAM: "memory", spell.GPU: "gpu", spell.Disk: "physical_disk", spell.Fans: "fan", spell.Net: "network",
}

// hardware writes what the meter counted while the tests ran, in all rounds that were kept.
func (s *sheet) hardware() {
	if len(s.domains) == 0 {
		return
	}
	s.familyOf("counter", "hw_energy_joules", "joules", "Energy of the hardware in all tests and rounds of the run (hw.energy).")
	for _, d := range s.domains {
		total := 0.0
		for i := range s.r.Tests {
			t := &s.r.Tests[i] // whose energy is that of one execution
			total += t.EnergyJ[d] * max(1, t.Repeats) * float64(max(1, t.Rounds))
		}
		s.sample("hw_energy_joules_total", total, "hw_id", string(d), "hw_type", hardwareTypes[d], "source", s.source())
	}
}
