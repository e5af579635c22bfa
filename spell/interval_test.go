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

// outcomes are psi and rank of every component in each resample, by ranking
// the mean matrix of rounds that are drawn as the bootstrap draws them.
func outcomes(rounds []*spell.Matrix, o spell.Options, b spell.Bootstrap) (psi, ranks [][]float64) {
	components, domains := len(rounds[0].Components), len(rounds[0].Domains)
	psi, ranks = make([][]float64, components), make([][]float64, components)
	scale := make([][]float64, components)
	if b.EnergySD != nil {
		factors := spell.DrawFactors(b)
		ran := mean(rounds)
		for j := range components {
			if slices.ContainsFunc(ran.Cells, func(c spell.Cell) bool { return int(c.Component) == j }) {
				scale[j] = factors(j, domains)
			}
		}
	}
	draw := rand.New(rand.NewPCG(b.Seed, 0))
	for k := range b.Resamples {
		var drawn []*spell.Matrix
		for range rounds {
			drawn = append(drawn, rounds[draw.IntN(len(rounds))])
		}
		m := mean(drawn)
		for i, c := range m.Cells {
			for d := range m.Joules(i) {
				if scale[c.Component] != nil {
					m.Joules(i)[d] *= scale[c.Component][k*domains+d]
				}
			}
		}
		for _, row := range spell.Rank(m, o).Rows {
			psi[row.Component] = append(psi[row.Component], row.Psi)
			ranks[row.Component] = append(ranks[row.Component], float64(row.Rank))
		}
	}
	return psi, ranks
}

// The quick bootstrap gives what ranking the mean matrix of every resample
// gives, when both draw the same rounds and the same errors of the watts.
func TestIntervalsAreThoseOfResampledRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	for _, o := range []spell.Options{{}, {Oracle: spell.ProductOfSums}, {Order: spell.ByEnergy}, {Order: spell.ByWeightedEnergy}} {
		for trial := range 40 {
			rounds := noisyRounds(rng, 2+rng.IntN(6))
			b := spell.Bootstrap{Resamples: 40, Seed: 11}
			if trial%2 == 1 {
				b.EnergySD = randomSD(rng, rounds[0])
			}
			psi, ranks := outcomes(rounds, o, b)
			for j, got := range spell.Intervals(rounds, o, b) {
				low, high := bounds(psi[j])
				near(t, "low", got.Psi[0], low, 1e-12)
				near(t, "high", got.Psi[1], high, 1e-12)
				low, high = bounds(ranks[j])
				if want := [2]int{int(math.Floor(low)), int(math.Ceil(high))}; got.Rank != want {
					t.Errorf("trial %d: rank of component %d is in %v, want %v", trial, j, got.Rank, want)
				}
			}
		}
	}
}

// bounds sorts 40 outcomes: 2.5 % of the way from the first to the last is
// 0.975 of a step.
func bounds(of []float64) (low, high float64) {
	slices.Sort(of)
	return of[0] + 0.975*(of[1]-of[0]), of[38] + 0.025*(of[39]-of[38])
}

// randomSD has components and domains without an error, and lacks some at the
// end.
func randomSD(rng *rand.Rand, m *spell.Matrix) [][]float64 {
	sd := make([][]float64, rng.IntN(len(m.Components)+1))
	for j := range sd {
		for range rng.IntN(len(m.Domains) + 1) {
			sd[j] = append(sd[j], max(0, rng.Float64()-0.3))
		}
	}
	return sd
}

// Two functions of equal cost: what is not known of the watts of one is seen in
// psi and rank of both, though all rounds agree. By hand: at 2 standard
// deviations of 10 %, psi of the first is 0.8/1.8 to 1.2/2.2.
func TestIntervalsOfUncertainWatts(t *testing.T) {
	m := matrix([4]float64{1, 0, 1, 1}, [4]float64{1, 0, 1, 1})
	rounds := []*spell.Matrix{m, m, m}
	exact := spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{})
	if want := (spell.Interval{Psi: [2]float64{0.5, 0.5}, Score: [2]float64{0.5, 0.5}, Rank: [2]int{1, 1}}); exact[0] != want {
		t.Errorf("with exact watts %+v, want %+v", exact[0], want)
	}
	got := spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Resamples: 4000, EnergySD: [][]float64{{0.1}}})
	for j, want := range [][2]float64{{0.8 / 1.8, 1.2 / 2.2}, {1 / 2.2, 1 / 1.8}} {
		for end, psi := range got[j].Psi {
			if math.Abs(psi-want[end]) > 0.01 {
				t.Errorf("psi of %d is in %v, want about %v", j, got[j].Psi, want)
			}
		}
		if got[j].Rank != [2]int{1, 2} {
			t.Errorf("rank of %d is in %v, want 1 to 2", j, got[j].Rank)
		}
	}
}

// A standard deviation that is none is taken for exact, and a huge one leaves
// all numbers finite.
func TestIntervalsOfOddDeviations(t *testing.T) {
	m := matrix([4]float64{1, 0, 1, 1}, [4]float64{1, 0, 1, 1})
	rounds := []*spell.Matrix{m, m}
	exact := spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{})
	for _, sd := range []float64{0, -1, math.NaN()} {
		if diff := cmp.Diff(exact, spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{EnergySD: [][]float64{{sd, sd}}})); diff != "" {
			t.Errorf("a deviation of %v (-exact +got):\n%s", sd, diff)
		}
	}
	for j, i := range spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{EnergySD: [][]float64{{math.Inf(1)}, {math.Inf(1)}}}) {
		if !(i.Psi[0] >= 0 && i.Psi[0] <= i.Psi[1] && i.Psi[1] <= 1) {
			t.Errorf("psi of %d is in %v", j, i.Psi)
		}
	}
	none := &spell.Matrix{Tests: m.Tests, Components: m.Components}
	none.Add(spell.Cell{N: 1, TimeMS: 3})
	none.Add(spell.Cell{Component: 1, N: 1, TimeMS: 1})
	got := spell.Intervals([]*spell.Matrix{none, none}, spell.Options{}, spell.Bootstrap{EnergySD: [][]float64{{0.5}}})
	if want := (spell.Interval{Psi: [2]float64{0.75, 0.75}, Score: [2]float64{0.75, 0.75}, Rank: [2]int{1, 1}}); got[0] != want {
		t.Errorf("without energy %+v, want %+v", got[0], want)
	}
}

func TestIntervalsAreDeterministic(t *testing.T) {
	rounds := noisyRounds(rand.New(rand.NewPCG(14, 15)), 5)
	first := spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Resamples: 200, Seed: 1})
	if diff := cmp.Diff(first, spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Resamples: 200, Seed: 1})); diff != "" {
		t.Errorf("the same seed gave other intervals:\n%s", diff)
	}
	if cmp.Equal(first, spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Resamples: 200, Seed: 2})) {
		t.Error("another seed gave the same intervals")
	}
}

// Rounds that agree leave no doubt; one round alone leaves every doubt.
func TestIntervalsOfFewOrEqualRounds(t *testing.T) {
	m, _ := readTable(t, "spell-table2-parking")
	rows := byName(m, spell.Rank(m, spell.Options{}))
	for j, ci := range spell.Intervals([]*spell.Matrix{m, m, m}, spell.Options{}, spell.Bootstrap{Seed: 1}) {
		psi := rows[m.Components[j].ID].Psi
		near(t, "low", ci.Psi[0], psi, 1e-15)
		near(t, "high", ci.Psi[1], psi, 1e-15)
	}
	for _, i := range spell.Intervals([]*spell.Matrix{m}, spell.Options{}, spell.Bootstrap{}) {
		if want := (spell.Interval{Psi: [2]float64{0, 1}, Score: [2]float64{0, 1}, Rank: [2]int{1, len(m.Components)}}); i != want {
			t.Errorf("one round gave %+v, want %+v", i, want)
		}
	}
	if got := spell.Intervals(nil, spell.Options{}, spell.Bootstrap{}); got != nil {
		t.Errorf("no round gave %v, want nil", got)
	}
}

// Components without cells and rounds without energy are no special case.
func TestIntervalsWithoutValues(t *testing.T) {
	m := matrix([4]float64{0, 0, 3, 1}, [4]float64{0, 0, 1, 1})
	m.Components = append(m.Components, spell.Component{ID: "never run"})
	for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
		got := spell.Intervals([]*spell.Matrix{m, m}, spell.Options{Oracle: oracle}, spell.Bootstrap{Resamples: 10, Seed: 1})
		for _, row := range spell.Rank(m, spell.Options{Oracle: oracle}).Rows {
			near(t, "low", got[row.Component].Psi[0], row.Psi, 1e-15)
			near(t, "high", got[row.Component].Psi[1], row.Psi, 1e-15)
		}
	}
	nothing := matrix([4]float64{})
	if got := spell.Intervals([]*spell.Matrix{nothing, nothing}, spell.Options{}, spell.Bootstrap{Resamples: 10, Seed: 1}); got[0].Psi != [2]float64{} {
		t.Errorf("interval %v of a component that used nothing, want 0 to 0", got[0])
	}
}

// A 95 % interval holds the truth about 19 times of 20; the bootstrap is
// known to be a little narrow for few rounds.
func TestIntervalsCoverTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 17))
	const trials, truth = 400, 2. / 3
	covered := 0
	for range trials {
		var rounds []*spell.Matrix
		for range 15 {
			e := 2 * math.Max(0, 1+0.1*rng.NormFloat64())
			rounds = append(rounds, matrix([4]float64{e, 0, 1, 1}, [4]float64{1, 0, 1, 1}))
		}
		ci := spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Resamples: 200, Seed: rng.Uint64()})[0].Psi
		if ci[0] <= truth && truth <= ci[1] {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.88 || share > 0.98 {
		t.Errorf("%.3f of the intervals hold the truth, want about 0.95", share)
	}
}

// Components that never ran and rounds in which nothing did have ranks too:
// those by name.
func TestIntervalsOfRanksWithoutValues(t *testing.T) {
	m := matrix([4]float64{0, 0, 3, 1})
	m.Components = append(m.Components, spell.Component{ID: "z"}, spell.Component{ID: "a"})
	empty := &spell.Matrix{Domains: m.Domains, Tests: m.Tests, Components: m.Components}
	for name, rounds := range map[string][]*spell.Matrix{"nothing ran": {empty, empty}, "one ran": {m, m}} {
		for i, row := range spell.Rank(rounds[0], spell.Options{}).Rows {
			if got := spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Resamples: 10})[row.Component].Rank; got != [2]int{i + 1, i + 1} {
				t.Errorf("%s: rank of %s is in %v, want %d", name, m.Components[row.Component].ID, got, i+1)
			}
		}
	}
}

// The largest that is expected: a component is in a few tests.
func BenchmarkIntervals(b *testing.B) {
	m := full(3, 10_000)
	rounds := slices.Repeat([]*spell.Matrix{m}, 10)
	sd := slices.Repeat([][]float64{{0.1, 0.1}}, 10_000)
	b.Run("exact", func(b *testing.B) {
		for b.Loop() {
			spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Seed: 1})
		}
	})
	b.Run("watts", func(b *testing.B) {
		for b.Loop() {
			spell.Intervals(rounds, spell.Options{}, spell.Bootstrap{Seed: 1, EnergySD: sd})
		}
	})
}
