package pooling

import (
	"cmp"
	"maps"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// addTests adds the tests: by package, then as they first ran, as in every run.
func (s *sum) addTests() {
	first := make(map[string]*record.Test)
	var order []*record.Test
	for i := range s.parts {
		r := s.parts[i].Run
		for t := range r.Tests {
			if of := &r.Tests[t]; first[of.Name] == nil {
				first[of.Name] = of
				order = append(order, of)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b *record.Test) int { return cmp.Compare(a.Package, b.Package) })
	for i, of := range order {
		s.tests[of.Name] = i
		t := *of
		t.Rounds, t.RoundEnergyJ, t.RoundTimeMS, t.Output, t.ExitCode = 0, nil, nil, "", nil
		t.EnergyJ, t.UnattributedJ, t.Unattributed, t.SeparateJ = record.Energy{}, record.Energy{}, nil, nil
		t.TimeMS, t.ProbeMS, t.AllocBytes, t.AllocObjects, t.Repeats = 0, 0, 0, 0, 0
		s.Tests = append(s.Tests, t)
	}
	for i := range s.parts {
		for _, t := range s.parts[i].Run.Tests {
			s.Tests[s.tests[t.Name]].Rounds += t.Rounds
		}
	}
	for p := range s.parts {
		for i := range s.parts[p].Run.Tests {
			s.addTest(p, i)
		}
	}
	at := make([]map[string]int, len(s.parts))
	for p := range s.parts {
		at[p] = make(map[string]int)
		for i := range s.parts[p].Run.Tests {
			at[p][s.parts[p].Run.Tests[i].Name] = i
		}
	}
	for i := range s.Tests {
		s.addTestRounds(&s.Tests[i], at)
		s.addSeparate(&s.Tests[i], at)
		if s.Tests[i].Repeats <= 1+rounding {
			s.Tests[i].Repeats = 0
		}
	}
}

// rounding is what sums of shares may be off by.
const rounding = 1e-9

// testShare is the part of a test's rounds that a part has.
func (s *sum) testShare(part, test int) float64 {
	t := &s.parts[part].Run.Tests[test]
	if all := s.Tests[s.tests[t.Name]].Rounds; all > 0 {
		return float64(t.Rounds) / float64(all)
	}
	return 1 / float64(len(s.parts))
}

func (s *sum) addTest(part, test int) {
	of, share := &s.parts[part].Run.Tests[test], s.testShare(part, test)
	t := &s.Tests[s.tests[of.Name]]
	if of.Outcome.Severity() > t.Outcome.Severity() || t.Output == "" && of.Outcome == t.Outcome {
		t.Outcome, t.Output, t.ExitCode = of.Outcome, of.Output, of.ExitCode
	}
	t.TimeMS, t.ProbeMS = t.TimeMS+share*of.TimeMS, t.ProbeMS+share*of.ProbeMS
	t.AllocBytes, t.AllocObjects = t.AllocBytes+share*of.AllocBytes, t.AllocObjects+share*of.AllocObjects
	t.Repeats += share * max(1, of.Repeats) // 0 stands for 1
	t.BelowResolution = t.BelowResolution && of.BelowResolution
	addEnergy(t.EnergyJ, of.EnergyJ, share)
	addEnergy(t.UnattributedJ, of.UnattributedJ, share)
	if t.Unattributed == nil && of.Unattributed != nil {
		t.Unattributed = make(map[record.Part]record.Unattributed)
	}
	for name, u := range of.Unattributed {
		sum := t.Unattributed[name]
		if sum.EnergyJ == nil {
			sum.EnergyJ = record.Energy{}
		}
		sum.TimeMS += share * u.TimeMS
		addEnergy(sum.EnergyJ, u.EnergyJ, share)
		t.Unattributed[name] = sum
	}
}

func addEnergy(to, from record.Energy, share float64) {
	for d, joules := range from {
		to[d] += share * joules
	}
}

// addSeparate adds the energy of counters beside the domains, by the rounds of the parts that know it.
func (s *sum) addSeparate(t *record.Test, at []map[string]int) {
	for _, name := range s.Meter.Separate {
		joules, rounds := 0.0, 0.0
		for i := range s.parts {
			k, ran := at[i][t.Name]
			if !ran {
				continue
			}
			of := &s.parts[i].Run.Tests[k]
			if j, known := of.SeparateJ[name]; known {
				joules, rounds = joules+float64(of.Rounds)*j, rounds+float64(of.Rounds)
			}
		}
		if rounds == 0 {
			continue
		}
		if t.SeparateJ == nil {
			t.SeparateJ = make(map[string]float64)
		}
		t.SeparateJ[name] = joules / rounds
	}
}

// addTestRounds joins the rounds of a test, if it ran in all. at has the index of each test, by part.
func (s *sum) addTestRounds(t *record.Test, at []map[string]int) {
	var times []float64
	energies := make(map[spell.Domain][]float64)
	for i := range s.parts {
		r := s.parts[i].Run
		k, ran := at[i][t.Name]
		if !ran || len(r.Tests[k].RoundTimeMS) != r.Rounds {
			return
		}
		times = append(times, r.Tests[k].RoundTimeMS...)
		for _, d := range s.Meter.Domains {
			energies[d] = append(energies[d], r.Tests[k].RoundEnergyJ[d]...)
		}
	}
	maps.DeleteFunc(energies, func(_ spell.Domain, list []float64) bool { return len(list) != len(times) })
	t.RoundTimeMS, t.RoundEnergyJ = times, energies
}
