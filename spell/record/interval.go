package record

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"spell-lsp/spell"
)

// checkInterval checks the ends of an interval of something that is at least 0.
func checkInterval(at place, field string, ci [2]float64) error {
	err := checkNumbers(at, number{field + "[0]", ci[0]}, number{field + "[1]", ci[1]})
	if err == nil && ci[0] > ci[1] {
		return &fault{at.path(field), "has its ends in the wrong order, must be [lower, upper]"}
	}
	return err
}

func checkEnergyCI(at place, intervals map[spell.Domain][2]float64, domains []spell.Domain) error {
	for _, d := range slices.Sorted(maps.Keys(intervals)) {
		err := firstError(listed(at, "energy_ci_j", d, domains), checkInterval(at, "energy_ci_j."+string(d), intervals[d]))
		if err != nil {
			return err
		}
	}
	return nil
}

// checkByRound checks the values of single rounds.
func checkByRound(at place, energyJ map[spell.Domain][]float64, timeMS []float64, r *Run) error {
	for _, d := range slices.Sorted(maps.Keys(energyJ)) {
		field := "round_energy_j." + string(d)
		err := firstError(listed(at, "round_energy_j", d, r.Meter.Domains), checkSeries(at, field, energyJ[d], r.Rounds))
		if err != nil {
			return err
		}
	}
	if timeMS == nil {
		return nil
	}
	return checkSeries(at, "round_time_ms", timeMS, r.Rounds)
}

func checkSeries(at place, field string, values []float64, rounds int) error {
	if len(values) != rounds {
		return &fault{at.path(field), fmt.Sprintf("has %d values, must have one for each of the %d rounds", len(values), rounds)}
	}
	for i, v := range values {
		if !amount(v) {
			return notAmount(fmt.Sprintf("%s[%d]", at.path(field), i), v)
		}
	}
	return nil
}

func listed(at place, field string, d spell.Domain, domains []spell.Domain) error {
	if slices.Contains(domains, d) {
		return nil
	}
	return &fault{at.path(field) + "." + string(d), "is not one of the domains that meter.domains lists"}
}

// Apart tells whether the energies of a component in two runs differ by more than
// their 95 % intervals explain. All rounds of a run are charged by the same powers, so
// their spread alone tells nothing of an error in these: a comparison of
// RoundEnergyJ needs this too. Where an interval is not known, it is true.
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

// EnergyInterval is the 95 % interval of an energy in joules whose power is known
// with a standard deviation of sd joules, and which was so much in each round.
func EnergyInterval(mean, sd float64, rounds []float64) [2]float64 {
	half := Normal95 * math.Hypot(sd, MeanError(rounds))
	return [2]float64{max(0, mean-half), mean + half}
}

// EnergyInterval is the 95 % interval of the energy of a component in all domains, in
// joules; ok is false where none is known. The intervals of the domains are added, as
// if they erred together: at most that is the whole's.
func (c *Component) EnergyInterval() (low, high float64, ok bool) {
	lows, highs := maps.Clone(c.EnergyJ), maps.Clone(c.EnergyJ) // exact, if nothing else is known
	for d, ci := range c.EnergyCI {
		lows[d], highs[d] = ci[0], ci[1]
	}
	return lows.Total(), highs.Total(), len(c.EnergyCI) > 0
}

// TooWide tells whether an interval reaches so far from the energy that the
// component is below resolution: half of it.
func TooWide(mean float64, interval [2]float64) bool { return interval[1]-mean >= mean/2 }

// MeanError is the standard error of the mean of values; 0 of fewer than two.
func MeanError(values []float64) float64 {
	n := float64(len(values))
	if n < 2 {
		return 0
	}
	var mean, squares float64
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / (n - 1) / n)
}
