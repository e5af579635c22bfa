package comparison_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/wording"
)

// What is not the same is not compared, unless that was asked for: then the
// caveat says so first.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(head *record.Run)
		cause  comparison.Cause
		allow  comparison.Options
		want   string // in the error and the caveat
	}{
		{"another granularity", func(r *record.Run) { r.Granularity = spell.KindFile }, comparison.Granularity, comparison.Options{}, "BASE is by function, HEAD by file: measure both with the same --granularity"},
		{"an estimate with a measurement", func(r *record.Run) { recordtest.Measured(r, 0.1) }, comparison.Meters, comparison.Options{AcrossMeters: true}, "he energy of BASE is estimated (meter model), that of HEAD is measured (meter rapl)"},
		{"a file that does not say", func(r *record.Run) { r.Meter.Name, r.Meter.Source = "file", record.Estimated }, comparison.Meters, comparison.Options{AcrossMeters: true}, "that of HEAD is of unknown origin (meter file)"},
		{"no energy", func(r *record.Run) { withoutEnergy(r) }, comparison.Meters, comparison.Options{AcrossMeters: true}, "that of HEAD is not known (meter none)"},
		{"another processor", func(r *record.Run) { r.Host.CPU = "Model S" }, comparison.Machines, comparison.Options{AcrossMachines: true}, "different machines (processor Model T and Model S)"},
		{"more cores, and virtual", func(r *record.Run) { r.Host.Cores, r.Host.Virtual = 64, true }, comparison.Machines, comparison.Options{AcrossMachines: true}, "(cores 2 and 64; one of them virtual)"},
		{"another system", func(r *record.Run) { r.Host.OS, r.Host.Arch = "darwin", "arm64" }, comparison.Machines, comparison.Options{AcrossMachines: true}, "(system linux and darwin; architecture amd64 and arm64)"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			base, head := recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 10, 9, 0.01)}), recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(2, 10, 6, 0.01)})
			tt.change(head)
			_, err := comparison.Compare(base, head, comparison.Options{})
			var refusal *comparison.Refusal
			if !errors.As(err, &refusal) || refusal.Cause != tt.cause || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %s: %q", err, tt.cause, tt.want)
			}
			c, err := comparison.Compare(base, head, tt.allow)
			if tt.allow == (comparison.Options{}) {
				return
			}
			if err != nil || len(c.Caveats) != 1 || !strings.Contains(c.Caveats[0], tt.want) {
				t.Fatalf("allowed: %v, caveats %q", err, c.Caveats)
			}
			if tt.cause == comparison.Meters && c.Source != "" {
				t.Errorf("the energies pass for %s", c.Source)
			}
			if text := rendered(t, rendering.Text, c); !strings.HasPrefix(text, "Caveat: ") {
				t.Errorf("the page does not begin with the caveat:\n%s", text)
			}
			if text := rendered(t, rendering.Markdown, c); !strings.HasPrefix(text, "> **Caveat:** ") {
				t.Errorf("the page does not begin with the caveat:\n%s", text)
			}
		})
	}
}

func withoutEnergy(r *record.Run) {
	r.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
	r.Matrix.Domains, r.Matrix.EnergyJ = nil, nil
	for i := range r.Components {
		r.Components[i].EnergyJ, r.Components[i].RoundEnergyJ = nil, nil
	}
	for i := range r.Tests {
		r.Tests[i].EnergyJ, r.Tests[i].RoundEnergyJ = nil, nil
	}
}

// Where no energy is known, time decides.
func TestWithoutEnergy(t *testing.T) {
	base, head := recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 10, 9, 0.01)}), recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(2, 10, 6, 0.01)})
	withoutEnergy(base)
	withoutEnergy(head)
	c := compared(t, base, head, comparison.Options{})
	if got := c.Components[0]; got.TimeMS.Verdict != comparison.Better || got.EnergyJ.Verdict != comparison.Undecided || got.EnergyJ.Reason != "no energy is known" || got.Greenup != nil {
		t.Errorf("got %+v", got)
	}
	if want := "HEAD uses 33 % less running time than BASE (33 to 35 %, significant, "; !strings.HasPrefix(rendering.Headline(c, wording.CommandLine), want) {
		t.Errorf("the headline is %q, want %q", rendering.Headline(c, wording.CommandLine), want)
	}
}

// Smaller differences between runs are told, and compared all the same.
func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(base, head *record.Run)
		want   string
	}{
		{"interrupted", func(_, head *record.Run) { head.Partial = true }, "HEAD was interrupted"},
		{"another module", func(_, head *record.Run) { head.Workspace.Module = "n" }, "BASE is of the module m, HEAD of n."},
		{"another Go", func(_, head *record.Run) { head.Host.Go = "go1.27.0" }, "BASE was built by go1.26.8, HEAD by go1.27.0"},
		{"an unknown machine", func(base, _ *record.Run) { base.Host = record.Host{} }, "does not say on which machine"},
		{"the same run", func(_, head *record.Run) { head.ID = "20261121T040000Z-0001" }, "BASE and HEAD are the same run"},
		{"a calibration in between", func(base, head *record.Run) {
			base.Meter.Notes, head.Meter.Notes = []note.Note{note.EnergyEstimated("E2", "a table", 1.5)}, []note.Note{note.EnergyEstimated("E0", "a fit", 12)}
		}, "Joules are estimated from different watts for a busy processor, 1.50 W in BASE and 12.0 W in HEAD: compare times, or measure both anew."},
		{"another model", func(_, head *record.Run) { head.Meter.Name = "model,disk" }, "BASE was metered by model, HEAD by model,disk."},
		{"another mode", func(_, head *record.Run) { head.Mode = "sample" }, "BASE was measured in mode instrument, HEAD in mode sample."},
		{"other tests asked for", func(base, head *record.Run) {
			base.Settings, head.Settings = map[string]any{"run": "", "top": 1}, map[string]any{"run": "TestAll", "top": 2}
		}, "different settings: run."},
		{"another oracle", func(_, head *record.Run) { head.Analysis.Oracle = spell.ProductOfSums }, "analysed differently"},
		{"other energies", func(_, head *record.Run) { head.Meter.Domains = append(head.Meter.Domains, spell.Disk) }, "Only HEAD has energy of disk, which is not compared."},
	} {
		t.Run(tt.why, func(t *testing.T) {
			base, head := recordtest.Program(recordtest.Part{ID: "m.F", Joules: []float64{1}}), recordtest.Program(recordtest.Part{ID: "m.F", Joules: []float64{1}})
			head.ID = "20261121T050000Z-0002"
			ranking.Analyze(base, spell.Options{}, false)
			ranking.Analyze(head, spell.Options{}, false)
			if c, err := comparison.Compare(base, head, comparison.Options{}); err != nil || len(c.Warnings) > 0 {
				t.Fatalf("before: %v, %q", err, c.Warnings)
			}
			tt.change(base, head)
			if len(head.Meter.Domains) == 2 {
				head.Matrix = record.MatrixOf(head.Meter.Domains, record.Cell{N: 2, TimeMS: 500, EnergyJ: record.Energy{spell.CPU: 1}})
			}
			c, err := comparison.Compare(base, head, comparison.Options{})
			if err != nil || !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, tt.want) }) {
				t.Errorf("%v, warnings %q, want %q", err, c.Warnings, tt.want)
			}
		})
	}
}
