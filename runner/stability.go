package runner

import (
	"math"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

const (
	resamples     = 1000
	bootstrapSeed = 1
	stable        = 0.99 // Chappie (2020) stops repeating where two results correlate above this
)

// intervals gives each component its psi_ci, a bootstrap interval over rounds;
// with fewer than two rounds there is none. index tells where the components
// stand in r, whose components are not yet in the order of their ranks.
func intervals(r *record.Run, rounds []*round, index map[int]int, o spell.Options, includeFailed bool) {
	if len(rounds) < 2 {
		return
	}
	whole := r.SpellMatrix(includeFailed)
	matrices := make([]*spell.Matrix, len(rounds))
	for i, round := range rounds {
		matrices[i] = roundMatrix(round, whole, index)
	}
	for i, ci := range spell.PsiIntervals(matrices, o, resamples, bootstrapSeed) {
		r.Components[i].PsiCI = ci
	}
}

// roundMatrix is the matrix of one round, with the tests and components of the
// whole run.
func roundMatrix(r *round, whole *spell.Matrix, index map[int]int) *spell.Matrix {
	m := &spell.Matrix{Domains: whole.Domains, Tests: whole.Tests, Components: whole.Components}
	for _, o := range r.tests {
		t := slices.Index(whole.Tests, o.pkg+"."+o.name)
		if t < 0 {
			continue // it failed, and is left out of the analysis
		}
		for c, s := range o.shares {
			m.Add(spell.Cell{Test: int32(t), Component: int32(index[c]), N: s.n, TimeMS: s.selfNS / 1e6}, s.joules...)
		}
	}
	return m
}

// correlated says whether the psi of two runs of the same program are
// linearly correlated (Pearson) above stable.
func correlated(a, b *record.Run) bool {
	before := make(map[string]float64, len(a.Components))
	for _, c := range a.Components {
		before[c.ID] = c.Psi
	}
	var n, sx, sy, sxx, syy, sxy float64
	for _, c := range b.Components {
		x, y := before[c.ID], c.Psi
		n, sx, sy, sxx, syy, sxy = n+1, sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
	}
	covariance, variances := n*sxy-sx*sy, (n*sxx-sx*sx)*(n*syy-sy*sy)
	if variances <= 0 {
		return true // no component differs from another: nothing is left to settle
	}
	return covariance/math.Sqrt(variances) > stable
}
