package wording_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/wording"
)

func TestTestSuite(t *testing.T) {
	name := func(prefix string) wording.Names {
		return func(i int) string { return fmt.Sprintf("%s%d", prefix, i) }
	}
	for _, test := range []struct {
		name string
		rows []string
		top  int
		want []string
	}{
		{"good", []string{"1100", "1010", "0110", "0101"}, -1, []string{
			"Test suite: it separates components well: DDU 1.00 of 1, by density 0.50 (normalised 1.00), diversity 1.00 and uniqueness 1.00."}},
		{"groups", []string{"12340010", "00001200", "00000030"}, 1, []string{
			"Test suite: it separates components partly: DDU 0.33 of 1, by density 0.33 (normalised 0.67), diversity 1.00 and uniqueness 0.50." +
				" 1 of the 8 components is run by no test. Weakest is uniqueness: many components always run together.",
			"c0, c1, c2 and 1 more: Only t0 runs these 4: split that test. Add a test that runs c0 without c1.",
			"1 more group of components that always run together."}},
		{"the same test again and again", []string{"110", "110", "110", "001"}, 0, []string{
			"Test suite: it separates components partly: DDU 0.28 of 1, by density 0.58 (normalised 0.83), diversity 0.50 and uniqueness 0.67." +
				" Weakest is diversity: many tests run exactly the same components.",
			"1 more group of components that always run together."}},
		{"one test", []string{"12"}, 5, []string{
			"Test suite: it separates components poorly: DDU 0.00 of 1, by density 1.00 (normalised 0.00), diversity 0.00 and uniqueness 0.50." +
				" Only one test ran any of them: add others that run a part of what it runs.",
			"c0 and c1: Only t0 runs both: split that test. Add a unit test or benchmark that runs c0 without c1."}},
		{"large tests", []string{"0111111111", "1011111111", "1101111111"}, 0, []string{
			"Test suite: it separates components poorly: DDU 0.08 of 1, by density 0.90 (normalised 0.20), diversity 1.00 and uniqueness 0.40." +
				" Weakest is density: most tests run most components, smaller ones would help.",
			"1 more group of components that always run together."}},
		{"small tests", []string{"10000000", "01000000", "00100000", "00010000", "00001000", "00000100", "00000010", "00000001"}, 0, []string{
			"Test suite: it separates components partly: DDU 0.25 of 1, by density 0.12 (normalised 0.25), diversity 1.00 and uniqueness 1.00." +
				" Weakest is density: most tests run few of the components, some that combine several would help."}},
		{"nothing", []string{"00"}, 3, []string{"No test ran any component, so nothing tells them apart."}},
	} {
		got := wording.TestSuite("test", spell.Diagnose(active(test.rows...)), name("c"), name("t"), test.top)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// active makes a matrix of a line for each test with the executions of each
// component, blank or 0 for a test that does not run it.
func active(rows ...string) *spell.Matrix {
	m := &spell.Matrix{}
	for t, row := range rows {
		m.Tests = append(m.Tests, fmt.Sprintf("Test%d", t))
		for j, n := range row {
			if len(m.Components) <= j {
				m.Components = append(m.Components, spell.Component{ID: string(rune('A' + j))})
			}
			if n > '0' {
				m.Add(spell.Cell{Test: int32(t), Component: int32(j), N: float64(n - '0')})
			}
		}
	}
	return m
}
