package spell_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spell-lsp/spell"
)

func TestValidate(t *testing.T) {
	two := func() *spell.Matrix { return matrix([4]float64{1, 1, 1, 1}, [4]float64{2, 2, 2, 2}) }
	tests := []struct {
		name   string
		change func(m *spell.Matrix)
		want   string // part of the error, "" for none
	}{
		{"a good one", func(*spell.Matrix) {}, ""},
		{"the limits", func(m *spell.Matrix) { m.Cells[0].N, m.Energy[0] = 0, spell.MaxValue }, ""},
		{"too few energies", func(m *spell.Matrix) { m.Energy = m.Energy[1:] }, "3 energy values for 2 cells of 2 domains"},
		{"domain twice", func(m *spell.Matrix) { m.Domains[1] = spell.CPU }, `domain "cpu" is listed twice`},
		{"test twice", func(m *spell.Matrix) { m.Tests = []string{"t", "u", "t"} }, `test "t" is listed twice`},
		{"component twice", func(m *spell.Matrix) { m.Components[1].ID = "c000" }, `component "c000" is listed twice`},
		{"no such test", func(m *spell.Matrix) { m.Cells[1].Test = 1 }, "cell 1 is at test 1, component 1 of a matrix of 1 x 2"},
		{"negative test", func(m *spell.Matrix) { m.Cells[1].Test = -1 }, "cell 1 is at test -1"},
		{"no such component", func(m *spell.Matrix) { m.Cells[1].Component = 2 }, "component 2 of a matrix"},
		{"negative component", func(m *spell.Matrix) { m.Cells[0].Component = -1 }, "component -1 of a matrix"},
		{"negative n", func(m *spell.Matrix) { m.Cells[0].N = -1 }, `component "c000": n is -1`},
		{"time is not a number", func(m *spell.Matrix) { m.Cells[1].TimeMS = math.NaN() }, `component "c001": time is NaN`},
		{"infinite energy", func(m *spell.Matrix) { m.Energy[3] = math.Inf(1) }, `component "c001": dram energy is +Inf`},
		{"too much energy", func(m *spell.Matrix) { m.Energy[0] = 2 * spell.MaxValue }, "cpu energy is 2e+60, must be a number from 0 to 1e+60"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := two()
			test.change(m)
			err := m.Validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// Two cells for one place are found in any order of cells, with both indices:
// a reader says from them which line to look at.
func TestValidateFindsDuplicates(t *testing.T) {
	place := func(test, component int32) spell.Cell { return spell.Cell{Test: test, Component: component} }
	tests := []struct {
		name          string
		cells         []spell.Cell
		first, second int // 0, 0 for none
	}{
		{"by test", []spell.Cell{place(0, 0), place(0, 1), place(1, 0), place(1, 1)}, 0, 0},
		{"by component", []spell.Cell{place(0, 0), place(1, 0), place(0, 1), place(1, 1)}, 0, 0},
		{"by test, twice in one", []spell.Cell{place(0, 1), place(0, 0), place(0, 1), place(1, 1)}, 0, 2},
		{"by component, twice in one", []spell.Cell{place(0, 0), place(1, 0), place(0, 1), place(1, 0)}, 1, 3},
		{"three times", []spell.Cell{place(1, 1), place(0, 0), place(1, 1), place(1, 1)}, 0, 2},
		{"two pairs: the one that ends first", []spell.Cell{place(0, 0), place(1, 1), place(1, 1), place(0, 0)}, 1, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &spell.Matrix{Tests: []string{"t0", "t1"}, Components: []spell.Component{{ID: "c0"}, {ID: "c1"}}, Cells: test.cells}
			err := m.Validate()
			var twice *spell.DuplicateError
			if !errors.As(err, &twice) {
				if err != nil || test.second != 0 {
					t.Fatalf("error %v, want cells %d and %d", err, test.first, test.second)
				}
				return
			}
			c := test.cells[test.second]
			want := spell.DuplicateError{First: test.first, Second: test.second, Test: m.Tests[c.Test], Component: m.Components[c.Component].ID}
			if *twice != want {
				t.Errorf("%+v, want %+v", *twice, want)
			}
		})
	}
}

// The check for duplicates agrees with a set of places on random cells in any
// order, by test or by component, whole or in parts that go different ways.
func TestValidateAgreesWithASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	duplicates := 0
	for range 4000 {
		m := &spell.Matrix{Tests: []string{"t0", "t1", "t2", "t3"}, Components: []spell.Component{{ID: "c0"}, {ID: "c1"}, {ID: "c2"}, {ID: "c3"}}}
		seen, want := map[[2]int32]bool{}, false
		for range rng.IntN(7) {
			at := [2]int32{rng.Int32N(4), rng.Int32N(4)}
			want = want || seen[at]
			seen[at] = true
			m.Add(spell.Cell{Test: at[0], Component: at[1]})
		}
		switch rng.IntN(3) {
		case 0:
			slices.SortFunc(m.Cells, func(a, b spell.Cell) int { return int(4*(a.Test-b.Test) + a.Component - b.Component) })
		case 1:
			slices.SortFunc(m.Cells, func(a, b spell.Cell) int { return int(4*(a.Component-b.Component) + a.Test - b.Test) })
		}
		workers := 1 + rng.IntN(4)
		if got := m.ValidateIn(workers) != nil; got != want {
			t.Fatalf("duplicate found by %d: %v, there is one: %v, in %v", workers, got, want, m.Cells)
		}
		if want {
			duplicates++
		}
	}
	if duplicates < 400 || duplicates > 3600 {
		t.Errorf("%d of 4000 matrices had duplicates: the test sees one side only", duplicates)
	}
}

// Of many faults the first is reported, whichever processor meets it: a file
// is mended from its beginning.
func TestValidateReportsTheFirstFault(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 300 {
		m := full(5, 20)
		first := len(m.Cells)
		for range 1 + rng.IntN(4) {
			i := rng.IntN(len(m.Cells))
			first = min(first, i)
			switch rng.IntN(3) {
			case 0:
				m.Cells[i].N = -1
			case 1:
				m.Energy[2*i+1] = math.Inf(1)
			case 2:
				m.Cells[i].Test, m.Cells[i].Component = 9, int32(i)
			}
		}
		want := m.ValidateIn(1)
		at := []string{fmt.Sprintf("test %q, component %q: ", m.Tests[first/20], m.Components[first%20].ID), fmt.Sprintf("cell %d is at", first)}
		if !strings.HasPrefix(want.Error(), at[0]) && !strings.HasPrefix(want.Error(), at[1]) {
			t.Fatalf("error %v, want one of cell %d", want, first)
		}
		for _, workers := range []int{2, 3, 7} {
			if got := m.ValidateIn(workers); got == nil || got.Error() != want.Error() {
				t.Fatalf("error %v by %d, want %v", got, workers, want)
			}
		}
	}
}

// A matrix that is in order is checked without memory for each cell.
func TestValidateNeedsNoMemoryForCells(t *testing.T) {
	small, large := full(10, 100), full(1000, 100)
	bytes := func(m *spell.Matrix) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	perCell := (float64(bytes(large)) - float64(bytes(small))) / float64(len(large.Cells)-len(small.Cells))
	if perCell > 1.5 { // the names of 990 more tests
		t.Errorf("%.1f bytes for each cell", perCell)
	}
}
