package record

import (
	"maps"
	"math"

	"spell-lsp/spell"
)

// Apart tells whether the energies of a component in two runs differ by more than their
// 95 % intervals explain. All rounds of a run use the same fitted powers, so the spread of
// the rounds says nothing about errors of these: a comparison of RoundEnergyJ must ask this
// too. It is true if an interval is not known.
func (c *Component) Apart(other *Component, domain spell.Domain) bool {
	a, known := c.EnergyCI[domain]
	b, alsoKnown := other.EnergyCI[domain]
	if !known || !alsoKnown {
		return true
	}
	mine, its := c.EnergyJ[domain], other.EnergyJ[domain]
	return math.Abs(mine-its) > math.Hypot(a[1]-mine, b[1]-its) // lower ends may be cut off at 0
}

// Normal95 is how many standard deviations a 95 % interval reaches to either side.
const Normal95 = 1.96

// EnergyInterval is the 95 % interval of a mean energy in joules: the power has an error of
// sd joules (standard deviation), and rounds are the energies of single rounds, which nodes ran.
func EnergyInterval(mean, sd float64, rounds []float64, nodes []Node) [2]float64 {
	half := Normal95 * math.Hypot(sd, MeanError(rounds, nodes))
	return [2]float64{max(0, mean-half), mean + half}
}

// EnergyInterval is the 95 % interval of the energy of a component over all domains, in
// joules; ok is false if it is not known. The intervals of the domains are added, as if
// their errors were fully correlated, which is an upper bound.
func (c *Component) EnergyInterval() (low, high float64, ok bool) {
	if len(c.EnergyCI) == 0 {
		return 0, 0, false
	}
	lows, highs := maps.Clone(c.EnergyJ), maps.Clone(c.EnergyJ) // exact, if nothing else is known
	for d, ci := range c.EnergyCI {
		lows[d], highs[d] = ci[0], ci[1]
	}
	return lows.Total(), highs.Total(), true
}

// TooWide tells whether the interval of an energy is so wide that the component is below
// resolution: it reaches 50 % above the mean.
func TooWide(mean float64, interval [2]float64) bool { return interval[1]-mean >= mean/2 }

// PowerError is the standard deviation, in joules, that the error of the power adds to an energy with a
// 95 % interval: what that of the rounds leaves of it.
func PowerError(mean float64, interval [2]float64, rounds []float64, nodes []Node) float64 {
	whole, spread := (interval[1]-mean)/Normal95, MeanError(rounds, nodes)
	return math.Sqrt(max(0, whole*whole-spread*spread))
}

// AddSeries adds up series that have one value for each round; nil if one of them is nil or
// has another length.
func AddSeries(list [][]float64) []float64 {
	var sums []float64
	for i, s := range list {
		if s == nil || i > 0 && len(s) != len(sums) {
			return nil
		}
		if i == 0 {
			sums = make([]float64, len(s))
		}
		for k, v := range s {
			sums[k] += v
		}
	}
	return sums
}

// EnergyByRound is the energy of these domains together by round, in joules; nil where it is not known of all.
func (t *Test) EnergyByRound(domains []spell.Domain) []float64 {
	list := make([][]float64, len(domains))
	for i, d := range domains {
		list[i] = t.RoundEnergyJ[d]
	}
	return AddSeries(list)
}
