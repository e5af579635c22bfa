package spell

import "fmt"

// warnings says what a reader must know about a ranking.
func warnings(o Options, p *product, t *totals, psi []float64) []string {
	switch {
	case len(p.m.Tests) == 0: // others may have run, and failed
		return []string{"no test counts: there is nothing to rank"}
	case len(p.m.Cells) == 0:
		return []string{"no test ran any component: there is nothing to rank"}
	}
	list := oddOptions(o, p.m.Domains, t)
	if !p.use.energy {
		list = append(list, noEnergy(t))
	}
	if !p.use.n {
		list = append(list, "no executions were counted: psi leaves them out")
	}
	if !p.use.time {
		list = append(list, "no running time was recorded: psi leaves it out")
	}
	if sumOf(psi) == 0 {
		list = append(list, "no component had all of what psi counts in one test: every psi is 0")
	}
	return list
}

func noEnergy(t *totals) string {
	if len(t.allJoules) > 0 && sumOf(t.allJoules) > 0 {
		return "no domain that has energy has a weight: psi leaves energy out"
	}
	if len(t.allJoules) > 0 {
		return "the energy of every component is 0 J: psi leaves it out"
	}
	return "no energy is known: psi leaves it out"
}

// oddOptions names options that do not do what they seem to.
func oddOptions(o Options, domains []Domain, t *totals) []string {
	var list []string
	if o.Oracle != "" && o.Oracle != SumOfProducts && o.Oracle != ProductOfSums {
		list = append(list, fmt.Sprintf("oracle %q is not known: %s was used", o.Oracle, SumOfProducts))
	}
	if o.Weights == nil {
		return list
	}
	for i, d := range domains {
		switch w := o.Weights[d]; {
		case !validWeight(w):
			list = append(list, fmt.Sprintf("the weight of %s is %v, must be from 0 to %v: its energy does not count in psi", d, w, float64(maxWeight)))
		case w == 0 && t.allJoules[i] > 0:
			list = append(list, fmt.Sprintf("%s has no weight: its energy does not count in psi", d))
		}
	}
	return list
}
