package spell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
)

// shuffled is m with tests, components and cells in another order; the
// component that was j is now to[j].
func shuffled(m *spell.Matrix, rng *rand.Rand) (s *spell.Matrix, to []int) {
	tests, to := rng.Perm(len(m.Tests)), rng.Perm(len(m.Components))
	s = &spell.Matrix{
		Domains: m.Domains, Tests: make([]string, len(m.Tests)), Components: make([]spell.Component, len(m.Components)),
	}
	for i, p := range tests {
		s.Tests[p] = m.Tests[i]
	}
	for j, p := range to {
		s.Components[p] = m.Components[j]
	}
	for _, i := range rng.Perm(len(m.Cells)) {
		c := m.Cells[i]
		c.Test, c.Component = int32(tests[c.Test]), int32(to[c.Component])
		s.Add(c, m.Joules(i)...)
	}
	return s, to
}

// alike makes components of a matrix equal: in all cells, or in some other order
// of the tests, or with values that add up to nearly halfway between two
// numbers, by no more than is lost if they are added in another order.
func alike(m *spell.Matrix, rng *rand.Rand) {
	values := []float64{0.1, 0.3, 0.7, 1.1, 1e9 + 1./3, 1e-9}[:1+rng.IntN(6)]
	if rng.IntN(3) == 0 {
		values = []float64{1, 0x1p-53, 0x1p-106, 0x1p-106}
	}
	for i := range m.Cells {
		at := i
		if rng.IntN(2) == 0 {
			at = rng.IntN(len(values))
		}
		v := values[at%len(values)]
		m.Cells[i].N, m.Cells[i].TimeMS = v, v
		for d := range m.Joules(i) {
			m.Joules(i)[d] = v
		}
	}
}

// The same measurement in another order is the same ranking, to the last bit
// and also where components are equal. The same goes for other numbers of
// processors.
func TestRankDoesNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		m := randomMatrix(rng)
		if rng.IntN(2) == 0 {
			alike(m, rng)
		}
		s, to := shuffled(m, rng)
		o := randomOptions(m, rng)
		want := spell.Rank(m, o)
		if o.BelowResolution != nil {
			below := make([]bool, len(to))
			for j, p := range to {
				below[p] = o.BelowResolution[j]
			}
			o.BelowResolution = below
		}
		for i := range want.Rows {
			want.Rows[i].Component = to[want.Rows[i].Component]
		}
		if diff := cmp.Diff(want, spell.RankIn(s, o, 1+rng.IntN(5))); diff != "" {
			t.Fatalf("after shuffling (-want +got):\n%s\nfor %+v", diff, m)
		}
	}
}

// Two functions with the same numbers, in other tests, are equal: their names
// decide. What one of the numbers is to another makes plain sums differ, and
// compensated ones too.
func TestSameNumbersInOtherTestsAreTheSamePsi(t *testing.T) {
	values := []float64{1, 0x1p-53, 0x1p-106, 0x1p-106}
	m := &spell.Matrix{Components: []spell.Component{{ID: "z"}, {ID: "a"}}}
	for i := range values {
		m.Tests = append(m.Tests, fmt.Sprint("t", i))
		m.Add(spell.Cell{Test: int32(i), Component: 0, N: values[i], TimeMS: 1})
		m.Add(spell.Cell{Test: int32(i), Component: 1, N: values[len(values)-1-i], TimeMS: 1})
	}
	rows := spell.Rank(m, spell.Options{}).Rows
	if diff := cmp.Diff([]string{"a", "z"}, names(m, rows)); diff != "" || rows[0].Psi != rows[1].Psi || rows[0].N != 1+0x1p-52 {
		t.Errorf("rows %+v; order (-want +got):\n%s", rows, diff)
	}
}

// A matrix that is worth dividing among processors is ranked and checked alike
// on any number of them, also where sums of some components are settled exactly.
func TestRankDoesNotDependOnProcessors(t *testing.T) {
	m := full(300, 700)
	for i, c := range m.Cells {
		if c.Component%5 == 0 {
			m.Cells[i].N = 0
			if c.Test%75 == 0 {
				m.Cells[i].N = []float64{1, 0x1p-53, 0x1p-106, 0x1p-106}[(c.Component+c.Test/75)%4]
			}
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
		o := spell.Options{Oracle: oracle}
		want := spell.Rank(m, o)
		for _, processors := range []int{2, 3, 7} {
			runtime.GOMAXPROCS(processors)
			if diff := cmp.Diff(want, spell.Rank(m, o)); diff != "" {
				t.Errorf("%s on %d processors (-want +got):\n%s", oracle, processors, diff)
			}
		}
		runtime.GOMAXPROCS(1)
	}
}

func TestEqualPsiIsRankedByPackageThenName(t *testing.T) {
	m := &spell.Matrix{Tests: []string{"t"}, Components: []spell.Component{
		{Package: "b", ID: "A"}, {Package: "a", ID: "Z"}, {Package: "a", ID: "B"}, {Package: "c", ID: "Top"},
	}}
	for j := range m.Components {
		m.Add(spell.Cell{Component: int32(j), N: 1, TimeMS: 1})
	}
	m.Cells[3].N = 2
	got := names(m, spell.Rank(m, spell.Options{}).Rows)
	if diff := cmp.Diff([]string{"Top", "B", "Z", "A"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// matrix has two domains, cpu and dram, and one test in which component j
// used cells[j] = cpu J, dram J, n, ms.
func matrix(cells ...[4]float64) *spell.Matrix {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU, spell.DRAM}, Tests: []string{"t"}}
	for j, c := range cells {
		m.Components = append(m.Components, spell.Component{ID: fmt.Sprintf("c%03d", j)})
		m.Add(spell.Cell{Component: int32(j), N: c[2], TimeMS: c[3]}, c[0], c[1])
	}
	return m
}

// A category that says nothing must not make every psi 0 or NaN: it is left
// out, and the reader is told.
func TestCategoryWithoutValuesIsLeftOut(t *testing.T) {
	cpuOnly := spell.Weights{spell.CPU: 1}
	tests := []struct {
		name   string
		m      *spell.Matrix
		o      spell.Options
		psi    []float64 // by component
		remark spell.Remark
	}{
		{"energy is 0", matrix([4]float64{0, 0, 3, 1}, [4]float64{0, 0, 1, 1}), spell.Options{}, []float64{0.75, 0.25}, spell.Remark{Kind: spell.EnergyZero}},
		{"time is 0", matrix([4]float64{3, 0, 1, 0}, [4]float64{1, 0, 1, 0}), spell.Options{}, []float64{0.75, 0.25}, spell.Remark{Kind: spell.TimeUnknown}},
		{"n is 0", matrix([4]float64{3, 0, 0, 1}, [4]float64{1, 0, 0, 1}), spell.Options{}, []float64{0.75, 0.25}, spell.Remark{Kind: spell.ExecutionsUnknown}},
		{"everything is 0", matrix([4]float64{}, [4]float64{}), spell.Options{}, []float64{0, 0}, spell.Remark{Kind: spell.AllPsiZero}},
		{"no cell has all three", matrix([4]float64{3, 0, 1, 0}, [4]float64{0, 0, 1, 3}), spell.Options{}, []float64{0, 0}, spell.Remark{Kind: spell.AllPsiZero}},
		{"energy has no weight", matrix([4]float64{0, 9, 3, 1}, [4]float64{0, 1, 1, 1}), spell.Options{Weights: cpuOnly}, []float64{0.75, 0.25}, spell.Remark{Kind: spell.EnergyUnweighted}},
		{"one domain has no weight", matrix([4]float64{3, 9, 1, 1}, [4]float64{1, 1, 1, 1}), spell.Options{Weights: cpuOnly}, []float64{0.75, 0.25}, spell.Remark{Kind: spell.DomainUnweighted, Domain: spell.DRAM}},
		{"product of sums without energy", matrix([4]float64{0, 0, 3, 1}, [4]float64{0, 0, 1, 1}), spell.Options{Oracle: spell.ProductOfSums}, []float64{3. / 8, 1. / 8}, spell.Remark{Kind: spell.EnergyZero}},
		{"a weight that is none", matrix([4]float64{3, 9, 1, 1}, [4]float64{1, 1, 1, 1}), spell.Options{Weights: spell.Weights{spell.CPU: 1, spell.DRAM: math.NaN()}}, []float64{0.75, 0.25}, spell.Remark{Kind: spell.WeightInvalid, Domain: spell.DRAM, Weight: math.NaN()}},
		{"an oracle that is none", matrix([4]float64{3, 3, 1, 1}, [4]float64{1, 1, 1, 1}), spell.Options{Oracle: "delphi"}, []float64{0.75, 0.25}, spell.Remark{Kind: spell.OracleUnknown, Oracle: "delphi"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ranking := spell.Rank(test.m, test.o)
			for _, row := range ranking.Rows {
				near(t, fmt.Sprintf("psi of %d", row.Component), row.Psi, test.psi[row.Component], 1e-15)
			}
			same := func(r spell.Remark) bool { return cmp.Equal(r, test.remark, cmpopts.EquateNaNs()) }
			if !slices.ContainsFunc(ranking.Remarks, same) {
				t.Errorf("remarks %+v, want %+v among them", ranking.Remarks, test.remark)
			}
		})
	}
}

func TestEmptyMatrices(t *testing.T) {
	tests := []struct {
		name string
		m    *spell.Matrix
	}{
		{"nothing", &spell.Matrix{}},
		{"no cells", &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"t"}, Components: make([]spell.Component, 1)}},
		{"no components", &spell.Matrix{Tests: []string{"t"}}},
	}
	for _, test := range tests {
		for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
			ranking := spell.Rank(test.m, spell.Options{Oracle: oracle})
			if len(ranking.Rows) != len(test.m.Components) || len(ranking.Remarks) != 1 {
				t.Errorf("%s: %d rows, remarks %+v", test.name, len(ranking.Rows), ranking.Remarks)
			}
			for _, row := range ranking.Rows {
				if row.Rank != 1 || row.Psi != 0 || row.Zone != spell.Green {
					t.Errorf("%s: row %+v, want rank 1, psi 0, green", test.name, row)
				}
			}
		}
	}
}

// A component that no test ran keeps its place in the result, at the end.
func TestComponentWithoutCellIsLast(t *testing.T) {
	m := matrix([4]float64{1, 1, 1, 1})
	m.Components = append([]spell.Component{{ID: "a, never run"}}, m.Components...)
	m.Cells[0].Component = 1
	last := spell.Rank(m, spell.Options{}).Rows[1]
	want := spell.Row{Component: 0, Rank: 2, Joules: []float64{0, 0}, Phi: spell.Phi{Energy: []float64{0, 0}}, Zone: spell.Green, ByRule: spell.Green}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

// Totals are over the tests, and EPI counts every domain in full.
func TestRowTotals(t *testing.T) {
	m := matrix([4]float64{4, 2, 3, 10})
	m.Tests = append(m.Tests, "u")
	m.Add(spell.Cell{Test: 1, N: 1, TimeMS: 5}, 1, 1)
	row := spell.Rank(m, spell.Options{}).Rows[0]
	want := spell.Row{
		Rank: 1, N: 4, TimeMS: 15, Joules: []float64{5, 3}, EPI: 2,
		Phi: spell.Phi{Energy: []float64{1, 1}, N: 1, Time: 1}, Psi: 1, Score: 1, Zone: spell.Red, ByRule: spell.Red,
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

// The largest and the smallest numbers that a valid matrix can hold still
// give finite results.
func TestRankIsFiniteAtTheLimits(t *testing.T) {
	limits := []float64{0, math.SmallestNonzeroFloat64, 1e-200, 1, spell.MaxValue}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var cells [][4]float64
		for range 1 + rng.IntN(4) {
			var c [4]float64
			for k := range c {
				c[k] = limits[rng.IntN(len(limits))]
			}
			cells = append(cells, c)
		}
		m := matrix(cells...)
		weights := spell.Weights{spell.CPU: 1e30, spell.DRAM: math.SmallestNonzeroFloat64}
		for _, o := range []spell.Options{{}, {Oracle: spell.ProductOfSums}, {Weights: weights}} {
			for _, row := range spell.Rank(m, o).Rows {
				for _, v := range append([]float64{row.N, row.TimeMS, row.EPI, row.Phi.N, row.Phi.Time, row.Psi}, append(row.Joules, row.Phi.Energy...)...) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("row %+v of %+v", row, m)
					}
				}
			}
		}
	}
}

// The caller's weights are neither shared nor changed.
func TestRankingKeepsItsOwnWeights(t *testing.T) {
	weights := spell.Weights{spell.CPU: 2, spell.DRAM: -1}
	ranking := spell.Rank(matrix([4]float64{1, 1, 1, 1}), spell.Options{Weights: weights})
	if diff := cmp.Diff(spell.Weights{spell.CPU: 2, spell.DRAM: 0}, ranking.Weights); diff != "" {
		t.Errorf("weights that were used (-want +got):\n%s", diff)
	}
	if weights[spell.DRAM] != -1 {
		t.Error("Rank changed the caller's weights")
	}
}

func BenchmarkRank(b *testing.B) {
	for _, size := range sizes {
		m := size.matrix()
		for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
			b.Run(size.name+"/"+string(oracle), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					spell.Rank(m, spell.Options{Oracle: oracle})
				}
				perCell(b, m)
			})
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	for _, size := range sizes {
		m := size.matrix()
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Validate(); err != nil {
					b.Fatal(err)
				}
			}
			perCell(b, m)
		})
	}
}

func perCell(b *testing.B, m *spell.Matrix) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.Cells)), "ns/cell")
}

// sizes are matrices of some size: dense, a cell in twenty places, and the same
// with the cells in no order at all.
var sizes = []struct {
	name   string
	matrix func() *spell.Matrix
}{
	{"100x1000", func() *spell.Matrix { return full(100, 1000) }},
	{"1000x5000", func() *spell.Matrix { return full(1000, 5000) }},
	{"1000x100000sparse", func() *spell.Matrix { return sparse(1000, 100_000) }},
	{"1000x100000shuffled", func() *spell.Matrix {
		m, _ := shuffled(sparse(1000, 100_000), rand.New(rand.NewPCG(17, 18)))
		return m
	}},
}

// sparse is a matrix with a cell in one of twenty places.
func sparse(tests, components int) *spell.Matrix {
	rng := rand.New(rand.NewPCG(19, 20))
	m := full(tests, 0)
	m.Domains = m.Domains[:1]
	for j := range components {
		m.Components = append(m.Components, spell.Component{ID: fmt.Sprintf("pkg.F%d", j), Package: "pkg"})
	}
	for i := range tests {
		for j := rng.IntN(20); j < components; j += 1 + rng.IntN(39) {
			m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: 1 + 100*rng.Float64(), TimeMS: rng.Float64()}, rng.Float64())
		}
	}
	return m
}

// full is a matrix with a cell everywhere.
func full(tests, components int) *spell.Matrix {
	rng := rand.New(rand.NewPCG(7, 8))
	m := &spell.Matrix{
		Domains: []spell.Domain{spell.CPU, spell.DRAM},
		Cells:   make([]spell.Cell, 0, tests*components), Energy: make([]float64, 0, 2*tests*components),
	}
	for j := range components {
		m.Components = append(m.Components, spell.Component{ID: fmt.Sprintf("pkg.F%d", j), Package: "pkg"})
	}
	for i := range tests {
		m.Tests = append(m.Tests, fmt.Sprintf("t%d", i))
		for j := range components {
			m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: 1 + 100*rng.Float64(), TimeMS: rng.Float64()}, rng.Float64(), rng.Float64())
		}
	}
	return m
}
