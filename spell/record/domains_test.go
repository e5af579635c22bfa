package record_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/wording"
)

// A domain that is known by test only is in no component and no cell, not even as 0,
// and in nothing that follows from them: psi ranks as if the meter did not have it.
func TestDomainOfTestsOnly(t *testing.T) {
	r := recordtest.Disk()
	without := recordtest.Estimated()
	for i := range r.Components {
		c := &r.Components[i]
		_, own := c.EnergyJ[spell.Disk]
		_, phi := c.Phi[string(spell.Disk)]
		if own || phi {
			t.Errorf("%s has disk: %v, %v", c.ID, c.EnergyJ, c.Phi)
		}
		if c.Psi != without.Components[i].Psi || c.EPIJ != without.Components[i].EPIJ {
			t.Errorf("%s has psi %v and %v J a call, without a disk %v and %v", c.ID, c.Psi, c.EPIJ, without.Components[i].Psi, without.Components[i].EPIJ)
		}
	}
	if _, weighs := r.Analysis.Weights[spell.Disk]; weighs {
		t.Error("disk has a weight in the analysis")
	}
	if off, was := r.Imbalance(), without.Imbalance(); off != was {
		t.Errorf("the parts are off by %v, without a disk by %v", off, was)
	}
	remark := "The energy of disk is known by test only, as bytes are not counted by function: no function has a share of it, psi leaves it out whatever its weight, and all of it is unattributed."
	if !slices.Contains(wording.Texts(r.AllNotes()), remark) {
		t.Errorf("no remark says why disk is missing: %q", wording.Texts(r.AllNotes()))
	}
	if left := r.UnattributedJ()[spell.Disk]; left != 0.75 { // of the tests that count
		t.Errorf("%v J of the disk are unattributed, want all 0.75", left)
	}
}

// older is a run of a version that shared the joules of the disk by CPU time.
func older() *record.Run {
	r := recordtest.Disk()
	var cells []record.Cell
	for i := range r.Matrix.Cells {
		c := r.Matrix.Cell(i)
		c.EnergyJ[spell.Disk] = 0.5 * c.EnergyJ[spell.CPU]
		cells = append(cells, c)
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	return recordtest.Analyzed(r)
}

// An older record is shown as it is, with a remark. A matrix of another tool is not
// remarked upon: nobody knows how it counts.
func TestOlderRunHasDisk(t *testing.T) {
	r := older()
	var text bytes.Buffer
	if err := recordjson.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	again, err := recordjson.Parse(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Components, again.Components, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("components (-written +read):\n%s", diff)
	}
	if again.Components[0].EnergyJ[spell.Disk] == 0 || len(again.TestOnly()) != 0 {
		t.Error("the disk is lost")
	}
	want := []string{"The energy of disk was divided by CPU time, which does not tell which function moved the bytes: the share of a function means nothing. Measure again to leave it out."}
	if diff := cmp.Diff(want, wording.Texts(again.DomainNotes())); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU, spell.Disk}, Tests: []string{"t"}, Components: []spell.Component{{ID: "f"}}}
	m.Add(spell.Cell{N: 1, TimeMS: 1}, 1, 2)
	other := record.FromMatrix(m, record.Measured)
	ranking.Analyze(other, spell.Options{}, false)
	if other.DomainNotes() != nil || other.Components[0].Phi["disk"] != 1 {
		t.Errorf("a matrix with disk: %q, %v", other.DomainNotes(), other.Components[0].Phi)
	}
}

// Only of disks it is about disks that all of one domain is missing.
func TestRemarkOfAnotherDomain(t *testing.T) {
	r := recordtest.Park()
	r.Meter.Domains = append(r.Meter.Domains, spell.GPU)
	want := []string{"The energy of gpu is known by test only: no function has a share of it, psi leaves it out whatever its weight, and all of it is unattributed."}
	if diff := cmp.Diff(want, wording.Texts(r.DomainNotes())); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
}
