package spell

// A sum adds numbers from 0 up and keeps what rounding loses (Knuth's two-sum):
// high + low is the exact sum but for the rounding of low itself.
//
// What is taken from it is the exact sum rounded once, to the nearest and to
// even: see rounded. The same numbers in any order, and in any number of parts,
// therefore give the same result to the last bit. Without that the last bits of
// psi, and with them the order of equal components, would depend on the order
// of the cells and on the number of processors.
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	z := t - s.high
	s.low += (s.high - (t - z)) + (x - z)
	s.high = t
}

// merge adds what another sum has.
func (s *sum) merge(o sum) {
	s.add(o.high)
	s.low += o.low
}

// value is the sum as it is known so far. It may depend on the order.
func (s sum) value() float64 { return s.high + s.low }

// rounded returns the exact sum rounded once; certain is false if low is not
// known well enough to say which of two neighbours that is. addends is at
// least how many numbers were added, and two more for each merge.
//
// With u = 2^-53, n addends and H the final high, which only grows: what one
// addition rounds off high is at most uH, so low stays under nuH, and each of
// its n additions rounds off at most u times that: all together under (nu)²H.
// Twice that also covers the rounding of low - slack and low + slack. (Where
// slack underflows, low is a multiple of the smallest number and small enough
// to be exact.) The sum of high and either of them is rounded once, and
// rounding keeps order: if both round to one number, so does the exact sum.
func (s sum) rounded(addends int) (v float64, certain bool) {
	const u = 0x1p-53
	n := float64(addends)
	slack := 2 * (n * u) * (n * u) * s.high
	v = s.high + (s.low - slack)
	return v, v == s.high+(s.low+slack)
}

// sumOf adds xs, exactly rounded; all are from 0 up.
func sumOf(xs []float64) float64 {
	var s sum
	for _, x := range xs {
		s.add(x)
	}
	v, certain := s.rounded(len(xs))
	if certain {
		return v
	}
	var e exact
	for _, x := range xs {
		e.add(x)
	}
	return e.value()
}
