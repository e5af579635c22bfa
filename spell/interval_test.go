package spell_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
)

// noisyRounds are n rounds of one matrix whose energies and times vary by a
// fifth; some cells are missing in some rounds, and not at the same index in
// all.
func noisyRounds(rng *rand.Rand, n int) []*spell.Matrix {
	m := randomMatrix(rng)
	var rounds []*spell.Matrix
	for range n {
		round := &spell.Matrix{Domains: m.Domains, Tests: m.Tests, Components: m.Components}
		for _, i := range rng.Perm(len(m.Cells)) {
			c, joules := m.Cells[i], slices.Clone(m.Joules(i))
			if c.Component > 0 && rng.IntN(5) == 0 {
				continue
			}
			c.TimeMS *= 0.9 + 0.2*rng.Float64()
			for d := range joules {
				joules[d] *= 0.9 + 0.2*rng.Float64()
			}
			round.Add(c, joules...)
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// mean is the mean matrix of rounds, cell by cell.
func mean(rounds []*spell.Matrix) *spell.Matrix {
	first := rounds[0]
	m := &spell.Matrix{Domains: first.Domains, Tests: first.Tests, Components: first.Components}
	at := map[[2]int32]int{}
	for _, round := range rounds {
		for i, c := range round.Cells {
			k, ok := at[[2]int32{c.Test, c.Component}]
			if !ok {
				k = len(m.Cells)
				at[[2]int32{c.Test, c.Component}] = k
				m.Add(spell.Cell{Test: c.Test, Component: c.Component}, make([]float64, len(m.Domains))...)
			}
			m.Cells[k].N += c.N / float64(len(rounds))
			m.Cells[k].TimeMS += c.TimeMS / float64(len(rounds))
			for d, e := range round.Joules(i) {
				m.Joules(k)[d] += e / float64(len(rounds))
			}
		}
	}
	return m
}

// The quick bootstrap gives what ranking the mean matrix of every resample
// gives, when both draw the same rounds.
func TestPsiIntervalsAreThoseOfResampledRounds(t *testing.T) {
	const resamples, seed = 40, 11
	rng := rand.New(rand.NewPCG(12, 13))
	for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
		for range 20 {
			rounds := noisyRounds(rng, 2+rng.IntN(6))
			o := spell.Options{Oracle: oracle}
			psi := make([][]float64, len(rounds[0].Components))
			draw := rand.New(rand.NewPCG(seed, 0))
			for range resamples {
				var drawn []*spell.Matrix
				for range rounds {
					drawn = append(drawn, rounds[draw.IntN(len(rounds))])
				}
				for _, row := range spell.Rank(mean(drawn), o).Rows {
					psi[row.Component] = append(psi[row.Component], row.Psi)
				}
			}
			for j, got := range spell.PsiIntervals(rounds, o, resamples, seed) {
				slices.Sort(psi[j])
				// 2.5 % of the way from the first of 40 to the last is 0.975 of a step.
				near(t, "low", got[0], psi[j][0]+0.975*(psi[j][1]-psi[j][0]), 1e-12)
				near(t, "high", got[1], psi[j][38]+0.025*(psi[j][39]-psi[j][38]), 1e-12)
			}
		}
	}
}

func TestPsiIntervalsAreDeterministic(t *testing.T) {
	rounds := noisyRounds(rand.New(rand.NewPCG(14, 15)), 5)
	first := spell.PsiIntervals(rounds, spell.Options{}, 200, 1)
	if diff := cmp.Diff(first, spell.PsiIntervals(rounds, spell.Options{}, 200, 1)); diff != "" {
		t.Errorf("the same seed gave other intervals:\n%s", diff)
	}
	if cmp.Equal(first, spell.PsiIntervals(rounds, spell.Options{}, 200, 2)) {
		t.Error("another seed gave the same intervals")
	}
}

// Rounds that agree leave no doubt; one round alone leaves every doubt.
func TestPsiIntervalsOfFewOrEqualRounds(t *testing.T) {
	m, _ := readTable(t, "spell-table2-parking")
	rows := byName(m, spell.Rank(m, spell.Options{}))
	for j, ci := range spell.PsiIntervals([]*spell.Matrix{m, m, m}, spell.Options{}, 0, 1) {
		psi := rows[m.Components[j].ID].Psi
		near(t, "low", ci[0], psi, 1e-15)
		near(t, "high", ci[1], psi, 1e-15)
	}
	for _, ci := range spell.PsiIntervals([]*spell.Matrix{m}, spell.Options{}, 100, 1) {
		if ci != [2]float64{0, 1} {
			t.Errorf("one round gave the interval %v, want 0 to 1", ci)
		}
	}
	if got := spell.PsiIntervals(nil, spell.Options{}, 100, 1); got != nil {
		t.Errorf("no round gave %v, want nil", got)
	}
}

// Components without cells and rounds without energy are no special case.
func TestPsiIntervalsWithoutValues(t *testing.T) {
	m := matrix([4]float64{0, 0, 3, 1}, [4]float64{0, 0, 1, 1})
	m.Components = append(m.Components, spell.Component{ID: "never run"})
	for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
		got := spell.PsiIntervals([]*spell.Matrix{m, m}, spell.Options{Oracle: oracle}, 10, 1)
		for _, row := range spell.Rank(m, spell.Options{Oracle: oracle}).Rows {
			near(t, "low", got[row.Component][0], row.Psi, 1e-15)
			near(t, "high", got[row.Component][1], row.Psi, 1e-15)
		}
	}
	nothing := matrix([4]float64{})
	if got := spell.PsiIntervals([]*spell.Matrix{nothing, nothing}, spell.Options{}, 10, 1); got[0] != [2]float64{} {
		t.Errorf("interval %v of a component that used nothing, want 0 to 0", got[0])
	}
}

// A 95 % interval holds the truth about 19 times of 20; the bootstrap is
// known to be a little narrow for few rounds.
func TestPsiIntervalsCoverTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 17))
	const trials, truth = 400, 2. / 3
	covered := 0
	for range trials {
		var rounds []*spell.Matrix
		for range 15 {
			e := 2 * math.Max(0, 1+0.1*rng.NormFloat64())
			rounds = append(rounds, matrix([4]float64{e, 0, 1, 1}, [4]float64{1, 0, 1, 1}))
		}
		ci := spell.PsiIntervals(rounds, spell.Options{}, 200, rng.Uint64())[0]
		if ci[0] <= truth && truth <= ci[1] {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.88 || share > 0.98 {
		t.Errorf("%.3f of the intervals hold the truth, want about 0.95", share)
	}
}

func BenchmarkPsiIntervals(b *testing.B) {
	m := full(20, 500)
	var rounds []*spell.Matrix
	for range 10 {
		rounds = append(rounds, m)
	}
	for b.Loop() {
		spell.PsiIntervals(rounds, spell.Options{}, 1000, 1)
	}
}
