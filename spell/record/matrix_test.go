package record_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

func TestFromMatrix(t *testing.T) {
	m := &spell.Matrix{
		Domains: []spell.Domain{spell.CPU}, Tests: []string{"t1", "t2"},
		Components: []spell.Component{{ID: "c1"}, {ID: "c2", Kind: spell.KindType, File: "c2.java", Line: 3}},
	}
	m.Add(spell.Cell{Test: 0, Component: 0, N: 1, TimeMS: 75}, 0.037)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 2, TimeMS: 102}, 0.061)
	m.Add(spell.Cell{Test: 1, Component: 1, N: 1, TimeMS: 103}, 0.05)
	r := record.FromMatrix(m, record.Measured)
	if r.Meter.Name != "matrix" || r.Meter.Source != record.Measured || r.Rounds != 1 {
		t.Errorf("meter %+v, %d rounds", r.Meter, r.Rounds)
	}
	if got := r.Components[1]; got.N != 3 || got.TimeMS != 205 || got.EnergyJ.Total() != 0.061+0.05 || got.Kind != spell.KindType || got.Line != 3 {
		t.Errorf("c2 is %+v", got)
	}
	if got := r.Components[0].Kind; got != spell.KindFunction {
		t.Errorf("kind of c1 is %q", got)
	}
	if got := r.Tests[0]; got.Outcome != record.Pass || got.TimeMS != 177 || r.Imbalance() != 0 {
		t.Errorf("t1 is %+v, imbalance %v", got, r.Imbalance())
	}
	m.Components[0].Kind = spell.KindFunction
	if diff := cmp.Diff(m, r.SpellMatrix(false)); diff != "" {
		t.Errorf("the matrix did not survive (-want +got):\n%s", diff)
	}
	if _, err := recordjson.Read(strings.NewReader(written(t, r))); err != nil {
		t.Error(err)
	}
}

// A matrix may have sums beside what they are of: it is by the finest.
func TestFromMatrixOfSeveralKinds(t *testing.T) {
	for _, test := range []struct {
		kinds []spell.Kind
		want  spell.Kind
	}{
		{[]spell.Kind{spell.KindPackage, spell.KindFunction}, spell.KindFunction},
		{[]spell.Kind{spell.KindFunction, spell.KindBlock}, spell.KindBlock},
		{[]spell.Kind{spell.KindFile, spell.KindPackage}, spell.KindFile},
		{nil, spell.KindFunction},
	} {
		m := &spell.Matrix{}
		for _, kind := range test.kinds {
			m.Components = append(m.Components, spell.Component{ID: string(kind), Kind: kind})
		}
		if got := record.FromMatrix(m, "").Granularity; got != test.want {
			t.Errorf("%v: by %s, want by %s", test.kinds, got, test.want)
		}
	}
}

// Executions and times without energy must not look like measured zeros.
func TestFromMatrixWithoutEnergy(t *testing.T) {
	m := &spell.Matrix{Tests: []string{"t1"}, Components: []spell.Component{{ID: "c1"}}}
	m.Add(spell.Cell{N: 1, TimeMS: 2})
	if got := record.FromMatrix(m, record.Measured).Meter.Source; got != record.NoEnergy {
		t.Errorf("source is %s, want %s", got, record.NoEnergy)
	}
}

func written(t testing.TB, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := recordjson.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
