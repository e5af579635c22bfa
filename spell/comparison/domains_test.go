package comparison_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// withDisk gives a run of F, which uses 10 J of cpu, so many joules of a disk in its
// test; an older version shared them among the functions by CPU time.
func withDisk(disk float64, shared bool) *record.Run {
	const rounds = 10
	r := recordtest.Program(recordtest.Part{ID: "m.F", Hash: "1", Joules: recordtest.Around(1, rounds, 10, 0.001)})
	r.Meter.Name, r.Meter.Domains = "model,disk", append(r.Meter.Domains, spell.Disk)
	series := slices.Repeat([]float64{disk}, rounds)
	t, c := &r.Tests[0], &r.Components[0]
	t.EnergyJ[spell.Disk], t.RoundEnergyJ[spell.Disk] = disk, series
	if shared {
		c.EnergyJ[spell.Disk], c.RoundEnergyJ[spell.Disk] = disk, series
		cell := r.Matrix.Cell(0)
		cell.EnergyJ[spell.Disk] = disk
		r.Matrix = record.MatrixOf(r.Meter.Domains, cell)
	} else {
		t.UnattributedJ = record.Energy{spell.CPU: 0, spell.Disk: disk}
	}
	return r
}

// What functions of an older run have of a disk means nothing. It is not compared with
// that of a newer run, which has none; tests and the total are.
func TestOlderRunWithDisk(t *testing.T) {
	for _, test := range []struct {
		why        string
		base, head *record.Run
		warning    string
	}{
		{"only BASE shared it", withDisk(5, true), withDisk(500, false), "HEAD does not know which component used it, so that of the components of BASE is left out."},
		{"only HEAD shared it", withDisk(5, false), withDisk(500, true), "BASE does not know which component used it, so that of the components of HEAD is left out."},
		{"neither did", withDisk(5, false), withDisk(500, false), "neither run knows which component used it."},
	} {
		t.Run(test.why, func(t *testing.T) {
			c := compared(t, test.base, test.head, comparison.Options{})
			f := find(t, c, "m.F")
			if f.EnergyJ.Verdict != comparison.Unchanged || f.EnergyJ.Base != f.EnergyJ.Head || len(f.ByDomain) != 1 {
				t.Errorf("F is %+v, want its cpu energy alone, unchanged", f.Change)
			}
			if f.Psi.Base != f.Psi.Head {
				t.Errorf("psi of F is %+v, want that of the cpu in both", f.Psi)
			}
			all := c.Total
			if all.Of != comparison.OfTests || all.EnergyJ.Verdict != comparison.Worse || all.ByDomain[spell.Disk].Head != 500 {
				t.Errorf("the total is %+v, want the disk in it", all)
			}
			if got := c.Tests[0]; got.EnergyJ.Verdict != comparison.Worse || got.ByDomain[spell.Disk].Base != 5 {
				t.Errorf("the test is %+v, want the disk in it", got.Change)
			}
			if diff := cmp.Diff([]spell.Domain{spell.CPU}, c.ComponentDomains); diff != "" {
				t.Errorf("domains of components (-want +got):\n%s", diff)
			}
			want := "The energy of disk is compared by test and in total only: " + test.warning
			var page strings.Builder
			if err := rendering.Text(&page, c, rendering.Options{}); err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(strings.Fields(page.String()), " "); !slices.Contains(c.Warnings, want) || !strings.Contains(text, want) {
				t.Errorf("the page does not say why: %s", text)
			}
		})
	}
	older := compared(t, withDisk(5, true), withDisk(500, true), comparison.Options{})
	if f := find(t, older, "m.F"); f.EnergyJ.Verdict != comparison.Worse || older.Total.Of != comparison.OfComponents || strings.Contains(strings.Join(older.Warnings, " "), "disk") {
		t.Errorf("two older runs compare as they did: %+v, %q", f.Change, older.Warnings)
	}
}

// With a meter of a disk alone, components have time to compare, and tests energy.
func TestDiskAlone(t *testing.T) {
	only := func(disk float64) *record.Run {
		r := withDisk(disk, false)
		r.Meter.Name, r.Meter.Domains = "disk", []spell.Domain{spell.Disk}
		delete(r.Tests[0].EnergyJ, spell.CPU)
		delete(r.Tests[0].RoundEnergyJ, spell.CPU)
		delete(r.Tests[0].UnattributedJ, spell.CPU)
		r.Components[0].EnergyJ, r.Components[0].RoundEnergyJ = nil, nil
		cell := r.Matrix.Cell(0)
		r.Matrix = record.MatrixOf([]spell.Domain{}, cell)
		return r
	}
	c := compared(t, only(5), only(500), comparison.Options{})
	if f := find(t, c, "m.F"); f.EnergyJ.Verdict != comparison.Undecided || f.EnergyJ.Reason != "no energy is known" || f.TimeMS.Verdict != comparison.Unchanged {
		t.Errorf("F is %+v", f.Change)
	}
	if c.Total.EnergyJ.Verdict != comparison.Worse || c.Tests[0].EnergyJ.Verdict != comparison.Worse {
		t.Errorf("the total is %+v, the test %+v", c.Total, c.Tests[0])
	}
	if about := rendering.About(c, find(t, c, "m.F"), wording.CommandLine); !strings.Contains(about, "running time") {
		t.Errorf("of F it is said: %s", about)
	}
}
