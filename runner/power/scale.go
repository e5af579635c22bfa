package power

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A scale holds the sums of products over the Haar coefficients of one scale.
type scale struct {
	xx *mat.SymDense // terms x terms, s^2
	xy [][]float64   // by domain and term, s J
	yy []float64     // by domain, J^2
	n  float64       // coefficients
}

// haar turns the sums over merged blocks into sums over coefficients by scale, the coarsest
// (the mean of a block) first. With A(m) the sums over blocks of m ticks, A(m)/m is the part
// of all products in the means of blocks, and A(n)/n - A(m)/m the part in the differences of
// blocks of n ticks within blocks of m.
func (s *sums) haar() []scale {
	terms, ticks := s.terms(), 1.0
	scales := make([]scale, levels)
	for i := range s.grams {
		at := &scales[levels-1-i]
		*at = s.grams[i].scale(1/ticks, terms)
		if i > 0 {
			finer := &scales[levels-i]
			finer.subtract(at)
		}
		ticks *= branch
	}
	return scales
}

// subtract subtracts the sums of a coarser scale.
func (s *scale) subtract(coarse *scale) {
	s.n -= coarse.n
	floats.Sub(s.yy, coarse.yy)
	for d := range s.xy {
		floats.Sub(s.xy[d], coarse.xy[d])
	}
	floats.Sub(s.xx.RawSymmetric().Data, coarse.xx.RawSymmetric().Data)
}

// scale returns the sums of the first terms, multiplied by a factor.
func (g *gram) scale(f float64, terms int) scale {
	d := len(g.yy)
	s := scale{xx: mat.NewSymDense(terms, nil), xy: make([][]float64, d), yy: make([]float64, d), n: float64(g.blocks)}
	for i := range terms {
		for j := i; j < terms; j++ {
			s.xx.SetSym(i, j, f*g.product(i, j))
		}
	}
	for k := range d {
		s.xy[k] = make([]float64, terms)
		for i := range terms {
			s.xy[k][i] = f * g.xy[i*d+k]
		}
		s.yy[k] = f * g.yy[k]
	}
	return s
}
