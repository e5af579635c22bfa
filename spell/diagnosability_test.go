package spell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/wording"
)

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

// The figures follow from the definitions by hand: they are those of the paper's
// equations on suites that differ in one thing.
func TestDiagnose(t *testing.T) {
	type values struct{ density, normalized, diversity, uniqueness, ddu float64 }
	for _, test := range []struct {
		name   string
		rows   []string
		notRun int
		tests  int
		want   values
	}{
		{"each test runs one component alone", []string{"100", "010", "001"}, 0, 3, values{1. / 3, 2. / 3, 1, 1, 2. / 3}},
		{"each test runs all but one", []string{"011", "101", "110"}, 0, 3, values{2. / 3, 2. / 3, 1, 1, 2. / 3}},
		{"every test runs everything", []string{"111", "111"}, 0, 2, values{1, 0, 0, 1. / 3, 0}},
		{"half of the pairs, all different", []string{"1100", "1010", "0110", "0101"}, 0, 4, values{.5, 1, 1, 1, 1}},
		{"two of four tests run the same", []string{"10", "10", "01", "11"}, 0, 4, values{5. / 8, 3. / 4, 5. / 6, 1, 5. / 8}},
		{"two of four components always run together", []string{"1100", "0010", "0001"}, 0, 3, values{1. / 3, 2. / 3, 1, 3. / 4, .5}},
		{"one test says nothing", []string{"10"}, 1, 1, values{.5, 1, 0, 1, 0}},
		{"what no test runs is one group of its own", []string{"1000", "0100", "1100"}, 2, 3, values{1. / 3, 2. / 3, 1, 3. / 4, .5}},
		{"a test that runs nothing does not count", []string{"10", "01", "00"}, 0, 2, values{.5, 1, 1, 1, 1}},
		{"no test runs anything", []string{"00", "00"}, 2, 0, values{}},
		{"no components", []string{"", ""}, 0, 0, values{}},
		{"no tests", nil, 0, 0, values{}},
	} {
		d := spell.Diagnose(active(test.rows...))
		got := values{d.Density, d.NormalizedDensity, d.Diversity, d.Uniqueness, d.DDU}
		if diff := cmp.Diff([]values{test.want}, []values{got}, cmp.AllowUnexported(values{}), nearly); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if d.NotRun != test.notRun || d.Tests != test.tests {
			t.Errorf("%s: %d components not run and %d tests, want %d and %d", test.name, d.NotRun, d.Tests, test.notRun, test.tests)
		}
	}
}

var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })

// A cell that says that nothing ran is as good as none; one with time and without
// executions, as a sampler makes it, is not.
func TestDiagnoseEmptyCells(t *testing.T) {
	m := active("10", "01")
	m.Add(spell.Cell{Test: 0, Component: 1})
	if diff := cmp.Diff(spell.Diagnose(active("10", "01")), spell.Diagnose(m)); diff != "" {
		t.Errorf("an empty cell matters:\n%s", diff)
	}
	m.Cells[2].TimeMS = 0.5
	if d := spell.Diagnose(m); d.Density != 0.75 {
		t.Errorf("density is %v with three active pairs of four, want 0.75", d.Density)
	}
}

// The advice is one that a developer can act on: it names the test that can be
// split, or what the new test has to call.
func TestAmbiguityGroups(t *testing.T) {
	for _, test := range []struct {
		name     string
		rows     []string
		packages string // a letter for each component, - for unknown
		want     []string
	}{
		{"one test", []string{"120", "001"}, "ppp",
			[]string{"A B: Only Test0 runs both: split that test. Add a test that runs A without B."}},
		{"the same executions", []string{"110", "220", "001"}, "ppp",
			[]string{"A B: The same 2 tests run both. They ran equally often each time, as if one called the other: add a test that calls the callee directly, A or B."}},
		{"nothing but whether it ran is known", []string{"110", "110", "001"}, "ppp",
			[]string{"A B: The same 2 tests run both. Add a test that runs A without B."}},
		{"every test", []string{"121", "310"}, "ppp",
			[]string{"A B: Every test runs both: probably set-up or core code. Add a unit test or benchmark that runs A without B."}},
		{"different packages", []string{"1110", "2220", "0001"}, "qqpp",
			[]string{"A B C: The same 2 tests run these 3. Add a test that stays within one of their packages, p or q."}},
		{"an unknown package is not a different one", []string{"120", "001"}, "p-p",
			[]string{"A B: Only Test0 runs both: split that test. Add a test that runs A without B."}},
		{"large groups first, then those of many tests", []string{"12000321", "00120321", "00120000"}, "pppppppp",
			[]string{
				"F G H: The same 2 tests run these 3. Add a test that runs F without G.",
				"C D: The same 2 tests run both. Add a test that runs C without D.",
				"A B: Only Test0 runs both: split that test. Add a test that runs A without B.",
			}},
		{"equal groups are in the order of packages and names", []string{"00000012", "00001200", "00120000", "12000000"}, "qqqqpp--",
			[]string{
				"E F: Only Test1 runs both: split that test. Add a test that runs E without F.",
				"A B: Only Test3 runs both: split that test. Add a test that runs A without B.",
				"C D: Only Test2 runs both: split that test. Add a test that runs C without D.",
				"G H: Only Test0 runs both: split that test. Add a test that runs G without H.",
			}},
		{"what did not run is no group", []string{"100"}, "ppp", nil},
	} {
		m := active(test.rows...)
		for j := range m.Components {
			m.Components[j].Package = strings.Trim(test.packages[j:j+1], "-")
		}
		var got []string
		for _, g := range spell.Diagnose(m).Groups {
			var ids []string
			for _, j := range g.Components {
				ids = append(ids, m.Components[j].ID)
			}
			got = append(got, strings.Join(ids, " ")+": "+adviceOn(m, g))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A sampler knows that two functions ran, not how often: that neither was counted is
// no sign that one calls the other.
func TestAmbiguityGroupWithoutCounts(t *testing.T) {
	m := active("0000", "0000", "0002")
	for i := range 4 {
		m.Add(spell.Cell{Test: int32(i % 2), Component: int32(i / 2), TimeMS: 1})
	}
	if got := spell.Diagnose(m).Groups[0].Likeness; got != spell.Unlike {
		t.Errorf("likeness is %s, want %s", got, spell.Unlike)
	}
}

// The hashes find what comparing sets of tests finds, with any number of workers.
func TestDiagnoseAgainstDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m := randomSpectrum(random)
		want := definition(m)
		for workers := 1; workers <= 3; workers++ {
			d := spell.DiagnoseIn(m, workers)
			if diff := cmp.Diff(spell.DiagnoseIn(m, 1), d); diff != "" {
				t.Fatalf("%v with 1 worker and %d (-1 +%[2]d):\n%s", m.Cells, workers, diff)
			}
			got := suiteValues{d.Density, d.Diversity, d.Uniqueness, groupNames(m, d)}
			if diff := cmp.Diff(want, got, nearly); diff != "" {
				t.Fatalf("%v with %d workers (-definition +got):\n%s", m.Cells, workers, diff)
			}
		}
	}
}

// Nobody chooses the order of tests, components and cells: nothing may depend on it.
func TestDiagnosePermuted(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	words := func(m *spell.Matrix) []string {
		d := spell.Diagnose(m)
		list := append(groupNames(m, d), fmt.Sprint(d.Density, d.NormalizedDensity, d.Diversity, d.Uniqueness, d.DDU))
		for _, g := range d.Groups {
			list = append(list, adviceOn(m, g))
		}
		return list
	}
	for range 200 {
		m := randomSpectrum(random)
		if diff := cmp.Diff(words(m), words(permuted(m, random))); diff != "" {
			t.Fatalf("permuted (-before +after):\n%s", diff)
		}
	}
}

func adviceOn(m *spell.Matrix, g spell.AmbiguityGroup) string {
	return wording.Advice("test", g, func(i int) string { return m.Components[i].ID }, func(i int) string { return m.Tests[i] })
}

// randomSpectrum is small, so that it has groups, tests that are alike and things
// that nothing ran.
func randomSpectrum(random *rand.Rand) *spell.Matrix {
	m := &spell.Matrix{}
	for t := range random.IntN(7) {
		m.Tests = append(m.Tests, fmt.Sprintf("Test%d", t))
	}
	for j := range random.IntN(7) {
		m.Components = append(m.Components, spell.Component{ID: fmt.Sprintf("C%d", j), Package: []string{"", "p", "q"}[random.IntN(3)]})
	}
	for t := range m.Tests {
		for j := range m.Components {
			if random.IntN(2) == 0 {
				m.Add(spell.Cell{Test: int32(t), Component: int32(j), N: float64(random.IntN(3)), TimeMS: float64(random.IntN(2))})
			}
		}
	}
	return m
}

func permuted(m *spell.Matrix, random *rand.Rand) *spell.Matrix {
	tests, components := random.Perm(len(m.Tests)), random.Perm(len(m.Components))
	p := &spell.Matrix{Tests: make([]string, len(tests)), Components: make([]spell.Component, len(components))}
	for i, to := range tests {
		p.Tests[to] = m.Tests[i]
	}
	for j, to := range components {
		p.Components[to] = m.Components[j]
	}
	for _, i := range random.Perm(len(m.Cells)) {
		c := m.Cells[i]
		c.Test, c.Component = int32(tests[c.Test]), int32(components[c.Component])
		p.Add(c)
	}
	return p
}

type suiteValues struct {
	Density, Diversity, Uniqueness float64
	Groups                         []string
}

// definition evaluates the equations with sets that are written out.
func definition(m *spell.Matrix) suiteValues {
	rows, columns := make([]string, len(m.Tests)), make([]string, len(m.Components))
	hits := 0
	for t := range m.Tests {
		for j := range m.Components {
			mark := "0"
			if slices.ContainsFunc(m.Cells, func(c spell.Cell) bool {
				return int(c.Test) == t && int(c.Component) == j && (c.N > 0 || c.TimeMS > 0)
			}) {
				mark = "1"
				hits++
			}
			rows[t] += mark
			columns[j] += mark
		}
	}
	ran := slices.DeleteFunc(rows, func(row string) bool { return !strings.Contains(row, "1") })
	if len(ran) == 0 {
		return suiteValues{}
	}
	v := suiteValues{Density: float64(hits) / float64(len(ran)*len(columns)), Groups: groupsOf(m, columns)}
	pairs := 0
	for i := range ran {
		for k := range i {
			if ran[i] != ran[k] {
				pairs++
			}
		}
	}
	if len(ran) > 1 {
		v.Diversity = float64(pairs) / float64(len(ran)*(len(ran)-1)/2)
	}
	distinct := map[string]bool{}
	for _, column := range columns {
		distinct[column] = true
	}
	v.Uniqueness = float64(len(distinct)) / float64(len(columns))
	return v
}

func groupsOf(m *spell.Matrix, columns []string) []string {
	members := map[string][]string{}
	for j, column := range columns {
		if strings.Contains(column, "1") {
			members[column] = append(members[column], m.Components[j].ID)
		}
	}
	var list []string
	for _, ids := range members {
		if len(ids) > 1 {
			list = append(list, strings.Join(ids, " "))
		}
	}
	slices.Sort(list)
	return list
}

func groupNames(m *spell.Matrix, d spell.Diagnosability) []string {
	var list []string
	for _, g := range d.Groups {
		var ids []string
		for _, j := range g.Components {
			ids = append(ids, m.Components[j].ID)
		}
		slices.Sort(ids)
		list = append(list, strings.Join(ids, " "))
	}
	slices.Sort(list)
	return list
}

func BenchmarkDiagnose(b *testing.B) {
	const tests, components, each = 1000, 10_000, 500
	m := &spell.Matrix{Tests: make([]string, tests), Components: make([]spell.Component, components)}
	random := rand.New(rand.NewPCG(5, 6))
	for t := range tests {
		for k, from := 0, random.IntN(components); k < each; k++ {
			m.Add(spell.Cell{Test: int32(t), Component: int32((from + k*7) % components), N: 1})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		spell.Diagnose(m)
	}
}
