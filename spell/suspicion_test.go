package spell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
)

// The examples are those by which the coefficients were published: the values of
// the papers' tables, to their two digits.
func TestSuspectsPublished(t *testing.T) {
	// Jones and Harrold, ASE 2005, figure 1: mid() with its lines 1 to 13; of the
	// inputs (3,3,5), (1,2,3), (3,2,1), (5,5,5), (5,3,4) and (2,1,3) the last fails.
	// The fault is in line 7.
	mid := []string{
		"1111011000001",
		"1111100000001",
		"1110000111001",
		"1110000110101",
		"1111010000001",
		"1111011000001",
	}
	// Abreu, Zoeteweij and van Gemund, "On the Accuracy of Spectrum-based Fault
	// Localization", TAIC PART 2007: RationalSort with its blocks 1 to 5 and six
	// inputs; the fifth fails. The fault is in block 4.
	sort := []string{"10000", "11000", "11111", "11111", "11111", "11101"}
	for _, test := range []struct {
		name        string
		rows        []string
		failed      int
		coefficient spell.Coefficient
		want        []float64 // by component
	}{
		{"mid", mid, 5, spell.Tarantula, []float64{.5, .5, .5, .63, 0, .71, .83, 0, 0, 0, 0, 0, .5}},
		{"RationalSort", sort, 4, spell.JaccardCoefficient, []float64{.17, .20, .25, .33, .25}},
		{"RationalSort", sort, 4, spell.Tarantula, []float64{.50, .56, .63, .71, .63}},
		{"RationalSort", sort, 4, spell.Ochiai, []float64{.41, .45, .50, .58, .50}},
	} {
		m := active(test.rows...)
		failed := make([]bool, len(m.Tests))
		failed[test.failed] = true
		got := scores(m, failed, test.coefficient)
		if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 0.00501)); diff != "" {
			t.Errorf("%s by %s (-published +got):\n%s", test.name, test.coefficient, diff)
		}
	}
}

// A reader must see at which components a ranking does not decide: equal scores
// have an equal rank, and stand in an order that does not depend on the matrix.
func TestSuspectsOrder(t *testing.T) {
	m := active("11101", "00011")
	m.Components[0].Package, m.Components[1].Package, m.Components[2].Package = "q", "p", "p"
	got := spell.Suspects(m, []bool{true, false}, spell.Ochiai)
	want := []spell.Suspect{
		{Component: 1, Rank: 1, Score: 1, ExecutedFailed: 1, NotExecutedPassed: 1, Tied: true},
		{Component: 2, Rank: 1, Score: 1, ExecutedFailed: 1, NotExecutedPassed: 1, Tied: true},
		{Component: 0, Rank: 1, Score: 1, ExecutedFailed: 1, NotExecutedPassed: 1, Tied: true},
		{Component: 4, Rank: 4, Score: math.Sqrt(0.5), ExecutedFailed: 1, ExecutedPassed: 1},
		{Component: 3, Rank: 5, Score: 0, ExecutedPassed: 1, NotExecutedFailed: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without tests that failed, or that passed, or that ran anything, there is less to
// say, but every score is a number from 0 to 1.
func TestSuspectsAtTheEdge(t *testing.T) {
	for _, test := range []struct {
		name   string
		rows   []string
		failed []bool
		want   []float64 // by coefficient: of component A
	}{
		{"none failed", []string{"11", "10"}, nil, []float64{0, 0, 0}},
		{"all failed", []string{"11", "01"}, []bool{true, true}, []float64{math.Sqrt(0.5), 1, 0.5}},
		{"all failed without it", []string{"01", "01"}, []bool{true, true}, []float64{0, 0, 0}},
		{"nothing ran", []string{"00", "00"}, []bool{true, false}, []float64{0, 0, 0}},
		{"more outcomes than tests", []string{"10"}, []bool{false, true, true}, []float64{0, 0, 0}},
		{"the others passed", []string{"10", "01"}, []bool{true}, []float64{1, 1, 1}},
	} {
		var got []float64
		for _, c := range spell.Coefficients() {
			got = append(got, scores(active(test.rows...), test.failed, c)[0])
		}
		if diff := cmp.Diff(test.want, got, nearly); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if got := spell.Suspects(&spell.Matrix{}, nil, ""); len(got) > 0 {
		t.Errorf("suspects of nothing: %v", got)
	}
}

// On random spectra the coefficients are what the formulas make of the four numbers,
// and Jaccard's is the sum of minima divided by that of maxima of the two vectors.
func TestSuspectsAgainstDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		m := randomSpectrum(random)
		failed := make([]bool, len(m.Tests))
		outcome := make([]float64, len(m.Tests))
		for i := range failed {
			if random.IntN(2) == 0 {
				failed[i], outcome[i] = true, 1
			}
		}
		for _, c := range spell.Coefficients() {
			got := scores(m, failed, c)
			for j := range got {
				want := formula(c, ranVector(m, j), failed)
				if math.Abs(got[j]-want) > 1e-12 {
					t.Fatalf("%s of component %d in %v with %v is %v, want %v", c, j, m.Cells, failed, got[j], want)
				}
				if of := spell.MinMaxJaccard(ranVector(m, j), outcome); c == spell.JaccardCoefficient && got[j] != of {
					t.Fatalf("Jaccard of component %d is %v, and %v of the two vectors", j, got[j], of)
				}
			}
		}
	}
}

// Scores that are equal as fractions are equal: 1 of 3 failed and 2 of 6 passed tests
// are as suspicious as 2 of 3 and 4 of 6.
func TestSuspectsTies(t *testing.T) {
	m := active("11", "01", "00", "11", "11", "01", "01", "00", "00")
	failed := []bool{true, true, true}
	for _, s := range spell.Suspects(m, failed, spell.Tarantula) {
		if !s.Tied || s.Rank != 1 || s.Score != 0.5 {
			t.Errorf("%+v, want a tie at rank 1 with 0.5", s)
		}
	}
}

func TestLocalize(t *testing.T) {
	for _, test := range []struct {
		name   string
		scores []float64
		guilty []int
		want   spell.Localization
	}{
		{"first", []float64{.9, .5, .1, 0}, []int{0}, spell.Localization{FirstRank: 1, Top1: true, Top3: true, Top5: true}},
		{"third", []float64{.9, .5, .1, 0}, []int{2}, spell.Localization{FirstRank: 3, Exam: .5, WastedEffort: 2, Top3: true, Top5: true}},
		{"a tie of three: the mean rank is 2", []float64{1, 1, 1, 0}, []int{1}, spell.Localization{FirstRank: 2, Exam: .25, WastedEffort: 1, Top3: true, Top5: true}},
		{"two of a tie of three: one innocent is read before with a chance of a third", []float64{1, 1, 1, 0}, []int{0, 1},
			spell.Localization{FirstRank: 4. / 3, Exam: 1. / 12, WastedEffort: .5, Top3: true, Top5: true}},
		{"two far apart: the first counts, the effort is for both", []float64{5, 4, 3, 2, 1}, []int{1, 4},
			spell.Localization{FirstRank: 2, Exam: .2, WastedEffort: 2, Top3: true, Top5: true}},
		{"repeated and unknown ones do not count", []float64{2, 1}, []int{1, 1, -1, 2},
			spell.Localization{FirstRank: 2, Exam: .5, WastedEffort: 1, Top3: true, Top5: true}},
		{"not a number is last", []float64{math.NaN(), 0}, []int{0}, spell.Localization{FirstRank: 2, Exam: .5, WastedEffort: 1, Top3: true, Top5: true}},
		{"beyond five", []float64{7, 6, 5, 4, 3, 2}, []int{5}, spell.Localization{FirstRank: 6, Exam: 5. / 6, WastedEffort: 5}},
		{"nothing to find", []float64{2, 1}, nil, spell.Localization{FirstRank: 3, Exam: 1, WastedEffort: 2}},
		{"nothing at all", nil, []int{0}, spell.Localization{FirstRank: 1, Exam: 1}},
	} {
		if diff := cmp.Diff(test.want, spell.Localize(test.scores, test.guilty), nearly); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// The expected values are those of reading ties in every possible order.
func TestLocalizeByReading(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		values, guilty := make([]float64, 6), map[int]bool{random.IntN(6): true, random.IntN(6): true}
		for j := range values {
			values[j] = float64(random.IntN(3))
		}
		var first, wasted, readings float64
		permutations(6, func(order []int) {
			for i := 1; i < len(order); i++ {
				if values[order[i]] > values[order[i-1]] {
					return
				}
			}
			innocent, found := 0., 0.
			for i, j := range order {
				if !guilty[j] {
					innocent++
					continue
				}
				if found == 0 {
					first += float64(i + 1)
				}
				found++
				wasted += innocent / float64(len(guilty))
			}
			readings++
		})
		var list []int
		for j := range guilty {
			list = append(list, j)
		}
		got := spell.Localize(values, list)
		if diff := cmp.Diff([]float64{first / readings, wasted / readings}, []float64{got.FirstRank, got.WastedEffort}, nearly); diff != "" {
			t.Fatalf("%v with %v (-reading +got):\n%s", values, list, diff)
		}
	}
}

func permutations(n int, visit func([]int)) {
	order := make([]int, 0, n)
	used := make([]bool, n)
	var next func()
	next = func() {
		if len(order) == n {
			visit(order)
			return
		}
		for j := range n {
			if used[j] {
				continue
			}
			used[j] = true
			order = append(order, j)
			next()
			order, used[j] = order[:len(order)-1], false
		}
	}
	next()
}

// scores are by component.
func scores(m *spell.Matrix, failed []bool, c spell.Coefficient) []float64 {
	list := make([]float64, len(m.Components))
	for _, s := range spell.Suspects(m, failed, c) {
		list[s.Component] = s.Score
	}
	return list
}

// ranVector has 1 for each test that ran component j.
func ranVector(m *spell.Matrix, j int) []float64 {
	list := make([]float64, len(m.Tests))
	for _, c := range m.Cells {
		if int(c.Component) == j && (c.N > 0 || c.TimeMS > 0) {
			list[c.Test] = 1
		}
	}
	return list
}

func formula(c spell.Coefficient, ran []float64, failed []bool) float64 {
	var ef, ep, nf, np float64
	for t, r := range ran {
		if failed[t] {
			ef, nf = ef+r, nf+1-r
		} else {
			ep, np = ep+r, np+1-r
		}
	}
	if ef == 0 {
		return 0
	}
	switch c {
	case spell.Ochiai:
		return ef / math.Sqrt((ef+nf)*(ef+ep))
	case spell.JaccardCoefficient:
		return ef / (ef + nf + ep)
	case spell.Tarantula:
		if ep == 0 {
			return 1
		}
		return ef / (ef + nf) / (ef/(ef+nf) + ep/(ep+np))
	}
	panic(fmt.Sprintf("no formula for %q", c))
}
