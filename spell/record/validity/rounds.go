package validity

import (
	"fmt"
	"maps"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// checkInterval checks the ends of an interval of values that are at least 0.
func checkInterval(at place, field string, ci [2]float64) error {
	err := checkNumbers(at, number{field + "[0]", ci[0]}, number{field + "[1]", ci[1]})
	if err == nil && ci[0] > ci[1] {
		return &Fault{at.path(field), "has its ends in the wrong order, must be [lower, upper]"}
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
func checkByRound(at place, energyJ map[spell.Domain][]float64, timeMS []float64, r *record.Run) error {
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
		return &Fault{at.path(field), fmt.Sprintf("has %d values, must have one for each of the %d rounds", len(values), rounds)}
	}
	for i, v := range values {
		if !isAmount(v) {
			return notAmount(fmt.Sprintf("%s[%d]", at.path(field), i), v)
		}
	}
	return nil
}

func listed(at place, field string, d spell.Domain, domains []spell.Domain) error {
	if slices.Contains(domains, d) {
		return nil
	}
	return &Fault{at.path(field) + "." + string(d), "is not one of the domains that meter.domains lists"}
}
