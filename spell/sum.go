package spell

// A sum adds floating-point numbers and keeps what rounding would lose
// (Knuth's two-sum). Without it the last bits of psi, and with them the order
// of equal components, would depend on the order of the cells.
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	z := t - s.high
	s.low += (s.high - (t - z)) + (x - z)
	s.high = t
}

func (s *sum) value() float64 { return s.high + s.low }

// sumOf adds xs.
func sumOf(xs []float64) float64 {
	var s sum
	for _, x := range xs {
		s.add(x)
	}
	return s.value()
}
