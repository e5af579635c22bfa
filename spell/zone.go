package spell

import "cmp"

// A Zone says how urgent a component is.
type Zone string

// The zones, from urgent to harmless.
const (
	Red    Zone = "red"
	Yellow Zone = "yellow"
	Green  Zone = "green"
)

// A ZoneRule cuts a ranking into zones. Its numbers are shares of the sum of
// the scores of all components, 0 to 1. That sum is 1, and the share of a
// component is its score, except under ByPsi with ProductOfSums: there the psi are smaller by one factor (0.02 for the leader of the
// thesis' Table 3), so that thresholds on psi itself would mean something else
// there; shares cut alike under both.
//
// The usual rule is Pareto's. From the top of the ranking, red are the first
// components that together reach Red, the one that crosses it included; yellow
// are the next that together with those reach Yellow; the rest is green. A
// component whose own share is under Floor is never red, but yellow.
//
// If Absolute is set, each component is judged by its own share alone: red from
// Red on, else yellow from Yellow on, else green. Floor has no part in that.
//
// Under either rule a component with a score of 0 is green. Except under
// ByPsi, one that holds a tenth of the energy or more is never green, whatever its score
// and the thresholds: green means that there is little to gain.
//
// The rule sees one matrix alone. As the scores are shares, a component that did
// not change would turn red when another was repaired: it holds more of what is
// left. Options.Kept prevents that where the run before is known.
type ZoneRule struct {
	Absolute bool
	Red      float64 // 0 = 0.5, or 0.2 if Absolute
	Yellow   float64 // 0 = 0.95, or 0.05 if Absolute
	Floor    float64 // 0 = 0.05; below 0 = none
}

// WithDefaults returns the rule with the thresholds that zeros stand for.
func (z ZoneRule) WithDefaults() ZoneRule {
	defaults := ZoneRule{Red: 0.5, Yellow: 0.95, Floor: 0.05}
	if z.Absolute {
		defaults = ZoneRule{Red: 0.2, Yellow: 0.05}
	}
	z.Red = cmp.Or(z.Red, defaults.Red)
	z.Yellow = cmp.Or(z.Yellow, defaults.Yellow)
	z.Floor = cmp.Or(z.Floor, defaults.Floor)
	return z
}

// cut returns the zones by component index; ranked holds these by falling score, held the
// shares of what components use, nil under ByPsi, and kept the zones of Options.Kept.
func (z ZoneRule) cut(ranked []int, score, held []float64, kept []Zone) []Zone {
	z = z.WithDefaults()
	zones := make([]Zone, len(score))
	all := sumOf(score)
	var above sum
	for _, j := range ranked {
		own := share(score[j], all)
		zones[j] = z.zone(own, share(above.value(), all))
		if kept != nil && kept[j] != "" && own > 0 {
			if zones[j] = kept[j]; own < minorShare-rounding {
				zones[j] = milder(kept[j], Yellow)
			}
		}
		if held != nil && held[j] >= neverGreen-rounding && zones[j] == Green {
			zones[j] = Yellow
		}
		above.add(score[j])
	}
	return zones
}

// neverGreen is the share from which on no component is green, except under ByPsi.
const neverGreen = 0.1

// rounding is what must not move a cut: ten components of a tenth each are five
// red ones and five others, though their shares are not quite a tenth.
const rounding = 1e-9

// zone is that of a component with the given share, where those ranked higher
// have the share above.
func (z ZoneRule) zone(own, above float64) Zone {
	switch {
	case own <= 0:
		return Green
	case z.Absolute:
		return z.absolute(own)
	case above < z.Red-rounding && own >= z.Floor-rounding:
		return Red
	case above < max(z.Red, z.Yellow)-rounding:
		return Yellow
	}
	return Green
}

func (z ZoneRule) absolute(own float64) Zone {
	switch {
	case own >= z.Red-rounding:
		return Red
	case own >= z.Yellow-rounding:
		return Yellow
	}
	return Green
}

// milder returns the less urgent of two zones.
func milder(a, b Zone) Zone {
	switch {
	case a == Green || b == Green:
		return Green
	case a == Yellow || b == Yellow:
		return Yellow
	}
	return Red
}
