package score

import (
	"math/rand/v2"
	"slices"
)

// replicates is how many samples of the trials an interval rests on.
const replicates = 2000

// resamples draws samples of the trials with replacement. Leaks of one module are alike, as
// they share its tests. So modules are drawn first, and then leaks within each (the
// two-stage bootstrap: Davison and Hinkley, Bootstrap Methods and their Application, 1997,
// section 3.8). All contestants are scored with the same samples.
func resamples(trials []Trial, seed uint64) [][]Trial {
	modules := byModule(trials)
	rng := rand.New(rand.NewPCG(seed, 0))
	samples := make([][]Trial, replicates)
	for i := range samples {
		for range modules {
			leaks := modules[rng.IntN(len(modules))]
			for range leaks {
				samples[i] = append(samples[i], leaks[rng.IntN(len(leaks))])
			}
		}
	}
	return samples
}

// byModule groups trials by module, in the order in which the modules first appear.
func byModule(trials []Trial) [][]Trial {
	var groups [][]Trial
	at := make(map[string]int)
	for _, t := range trials {
		i, ok := at[t.Module]
		if !ok {
			i, at[t.Module] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// interval is the 95 % percentile interval of a measure.
func interval(samples [][]Trial, contestant string, m measure) (low, high float64) {
	values := make([]float64, len(samples))
	for i, sample := range samples {
		values[i] = m.of(sample, contestant)
	}
	slices.Sort(values)
	return values[len(values)*25/1000], values[len(values)*975/1000-1]
}
