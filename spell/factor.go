package spell

import "math/rand/v2"

// largestSD keeps products within float64: see maxWeight.
const largestSD = 1e6

// factors draws what energies that are not exact are multiplied by. A nil one
// draws nothing.
type factors struct {
	sd        [][]float64
	resamples int
	rng       *rand.Rand
}

func newFactors(b Bootstrap, resamples int) *factors {
	if b.EnergySD == nil {
		return nil
	}
	return &factors{b.EnergySD, resamples, rand.New(rand.NewPCG(b.Seed, 1))}
}

// draw returns the factors of a component by resample and domain: those of
// resample b from b x domains on.
func (f *factors) draw(component, domains int) []float64 {
	if f == nil {
		return nil
	}
	scale := make([]float64, f.resamples*domains)
	for d := range domains {
		sd := f.of(component, d)
		for b := range f.resamples {
			scale[b*domains+d] = 1
			if sd > 0 {
				scale[b*domains+d] = max(0, 1+sd*f.rng.NormFloat64())
			}
		}
	}
	return scale
}

// of is the standard deviation of a component and domain, 0 where none is
// given or it is no number.
func (f *factors) of(component, d int) float64 {
	if component >= len(f.sd) || d >= len(f.sd[component]) || !(f.sd[component][d] > 0) {
		return 0
	}
	return min(f.sd[component][d], largestSD)
}
