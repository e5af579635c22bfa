package recordtest

import (
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// InRounds gives tests and components that ran values by round: they rise by a 64th of the mean from
// round to round.
func InRounds(r *record.Run) *record.Run {
	for i := range r.Tests {
		if t := &r.Tests[i]; t.Outcome != record.Skip {
			t.RoundEnergyJ, t.RoundTimeMS = energyAround(t.EnergyJ, r.Rounds), around(t.TimeMS, r.Rounds)
		}
	}
	for i := range r.Components {
		if c := &r.Components[i]; c.TimeMS > 0 {
			c.RoundEnergyJ, c.RoundTimeMS = energyAround(c.EnergyJ, r.Rounds), around(c.TimeMS, r.Rounds)
		}
	}
	return r
}

// Benchmark is Park with a benchmark of 50,000 operations a round in place of its second test.
func Benchmark() *record.Run {
	r := Park()
	b := &r.Tests[1]
	b.Name, b.PerOperation, b.Repeats = Module+".BenchmarkFew/cars=1", true, 50_000
	b.EnergyJ, b.UnattributedJ, b.TimeMS = Joules(0.00002, 0.000004), Joules(0.00001, 0.000004), 0.0125
	return r
}

func energyAround(mean record.Energy, rounds int) map[spell.Domain][]float64 {
	all := make(map[spell.Domain][]float64)
	for d, joules := range mean {
		all[d] = around(joules, rounds)
	}
	return all
}

func around(mean float64, rounds int) []float64 {
	values := make([]float64, rounds)
	for k := range values {
		values[k] = mean * (1 + (float64(k)-float64(rounds-1)/2)/64)
	}
	return values
}
