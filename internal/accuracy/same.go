package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

const (
	pairsName      = "same program"
	identicalPairs = 40
	pairRounds     = 6
	differentLevel = 0.05
	differentBar   = 5.0 // per cent of the components; of those in another zone too
)

// same is the result of comparing measurements of one program with each other: every
// reported difference is a false alarm.
type same struct {
	Pairs     int      `json:"pairs"`
	Compared  int      `json:"compared"` // components of all pairs
	Different []string `json:"different"`
	Zones     []string `json:"zones"` // components in another zone
	Fault     string   `json:"fault,omitempty"`
}

func (s *same) checks() []check {
	if s.Fault != "" {
		return []check{{What: "measurements of the same program", Value: s.Fault, Bar: "measured"}}
	}
	return []check{
		s.part(s.Different, fmt.Sprintf("components that %d pairs of measurements of the same program call different", s.Pairs)),
		s.part(s.Zones, "components that two measurements of the same program put in different zones"),
	}
}

func (s *same) part(list []string, what string) check {
	part := 100 * float64(len(list)) / float64(max(1, s.Compared))
	return check{
		What:  what,
		Value: fmt.Sprintf("%d of %d, %.1f %%", len(list), s.Compared, part),
		Bar:   fmt.Sprintf("at most %g %%", differentBar), OK: part <= differentBar && s.Compared > 0,
	}
}

// pairs measures a small program twice n times, and compares each pair.
func (p *prover) pairs(ctx context.Context, n int) *same {
	s := &same{Pairs: n}
	if err := p.comparePairs(ctx, s); err != nil {
		s.Fault = err.Error()
	}
	return s
}

func (p *prover) comparePairs(ctx context.Context, s *same) (err error) {
	w := &workload{name: pairsName, functions: spread(3, 6, 22), goroutines: 1, shortest: ms / 2, longest: 5 * ms, each: 350 * ms, rounds: pairRounds} // not so short that it is repeated
	dir, err := harness.Folder(p.scratch)
	if err == nil {
		err = w.write(dir)
	}
	if err != nil {
		return err
	}
	tree, err := harness.Folder(p.memory)
	if err != nil {
		return err
	}
	sim, err := startSimulator(ctx, tree, w)
	if err != nil {
		return err
	}
	defer func() { _, ended := sim.end(); err = errors.Join(err, ended) }()
	for i := range s.Pairs {
		if i%10 == 0 {
			harness.Progress("%s: pair %d of %d", pairsName, i+1, s.Pairs)
		}
		var runs [2]*record.Run
		for k := range runs {
			if runs[k], err = p.measure(ctx, filepath.Join(dir, "work"), sim, pairRounds, "instrument"); err != nil {
				return err
			}
		}
		if err := s.compare(i, runs[0], runs[1]); err != nil {
			return err
		}
	}
	return nil
}

// compare tests the components of two runs of the same program for differences that
// are significant given the spread of the rounds, and that the errors of the power
// estimates do not explain. It lists those in another zone too.
func (s *same) compare(pair int, a, b *record.Run) error {
	var names []string
	var ps []float64
	var apart []bool
	for _, c := range a.Components {
		i := slices.IndexFunc(b.Components, func(d record.Component) bool { return d.ID == c.ID })
		if i < 0 {
			return fmt.Errorf("%s is in one of two runs only", c.ID)
		}
		x, y := c.RoundEnergyJ[spell.CPU], b.Components[i].RoundEnergyJ[spell.CPU]
		if len(x) == 0 || len(y) == 0 {
			return errors.New("the record has no energy of single rounds, round_energy_j")
		}
		names, ps = append(names, fmt.Sprintf("pair %d: %s", pair+1, c.ID)), append(ps, mannWhitney(x, y))
		apart = append(apart, c.Apart(&b.Components[i], spell.CPU))
		if c.Zone != b.Components[i].Zone {
			s.Zones = append(s.Zones, names[len(names)-1])
		}
	}
	s.Compared += len(names)
	for i, p := range significance.Holm(ps) {
		if p <= differentLevel && apart[i] {
			s.Different = append(s.Different, names[i])
		}
	}
	return nil
}

// mannWhitney is the exact two-sided p-value of the Mann-Whitney test, also with ties:
// the fraction of all divisions of the ranks between the samples whose rank sum is at
// least as far from its mean. It enumerates them, so samples must be small.
func mannWhitney(x, y []float64) float64 {
	all := significance.Ranks(slices.Concat(x, y))
	sum := func(chosen []int) (s float64) {
		for _, i := range chosen {
			s += all[i]
		}
		return s
	}
	first := make([]int, len(x))
	for i := range first {
		first[i] = i
	}
	mean := float64(len(x)) * float64(len(all)+1) / 2
	far := math.Abs(sum(first) - mean)
	extreme, ways := 0, 0
	for _, chosen := range combin.Combinations(len(all), len(x)) {
		ways++
		if math.Abs(sum(chosen)-mean) >= far-1e-9 {
			extreme++
		}
	}
	return float64(extreme) / float64(ways)
}
