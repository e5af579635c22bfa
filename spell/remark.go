package spell

// A Remark is what a reader must know to take a ranking for what it is.
type Remark struct {
	Kind   RemarkKind
	Domain Domain  // of WeightInvalid and DomainUnweighted
	Weight float64 // of WeightInvalid; may be no number
	Oracle Oracle  // of OracleUnknown: the one that was asked for
}

// A RemarkKind tells remarks apart.
type RemarkKind string

// The kinds of remarks.
const (
	NoTestCounts      RemarkKind = "no test"            // the matrix has no test: all were left out, or there are none
	NothingRan        RemarkKind = "nothing ran"        // no test ran any component
	EnergyUnknown     RemarkKind = "energy unknown"     // the matrix has no energy domain
	EnergyZero        RemarkKind = "energy zero"        // the energy of every component is 0 J
	EnergyUnweighted  RemarkKind = "energy unweighted"  // no domain that has energy has a weight
	ExecutionsUnknown RemarkKind = "executions unknown" // no executions were counted
	TimeUnknown       RemarkKind = "time unknown"       // no running time was recorded
	AllPsiZero        RemarkKind = "all psi zero"       // no component has energy, executions and time in one test
	OracleUnknown     RemarkKind = "oracle unknown"     // SumOfProducts was used in the place of Oracle
	WeightInvalid     RemarkKind = "weight invalid"     // Weight is out of range; 0 was used
	DomainUnweighted  RemarkKind = "domain unweighted"  // Domain has energy, and a weight of 0
)

func remarks(o Options, p *product, t *totals, psi []float64) []Remark {
	switch {
	case len(p.m.Tests) == 0: // others may have run, and failed
		return []Remark{{Kind: NoTestCounts}}
	case len(p.m.Cells) == 0:
		return []Remark{{Kind: NothingRan}}
	}
	list := oddOptions(o, p.m.Domains, t)
	if !p.use.energy {
		list = append(list, Remark{Kind: noEnergy(t)})
	}
	if !p.use.n {
		list = append(list, Remark{Kind: ExecutionsUnknown})
	}
	if !p.use.time {
		list = append(list, Remark{Kind: TimeUnknown})
	}
	if sumOf(psi) == 0 {
		list = append(list, Remark{Kind: AllPsiZero})
	}
	return list
}

func noEnergy(t *totals) RemarkKind {
	switch {
	case len(t.allJoules) == 0:
		return EnergyUnknown
	case sumOf(t.allJoules) == 0:
		return EnergyZero
	}
	return EnergyUnweighted
}

// oddOptions names options that do not do what they seem to.
func oddOptions(o Options, domains []Domain, t *totals) []Remark {
	var list []Remark
	if o.Oracle != "" && o.Oracle != SumOfProducts && o.Oracle != ProductOfSums {
		list = append(list, Remark{Kind: OracleUnknown, Oracle: o.Oracle})
	}
	if o.Weights == nil {
		return list
	}
	for i, d := range domains {
		switch w := o.Weights[d]; {
		case !validWeight(w):
			list = append(list, Remark{Kind: WeightInvalid, Domain: d, Weight: w})
		case w == 0 && t.allJoules[i] > 0:
			list = append(list, Remark{Kind: DomainUnweighted, Domain: d})
		}
	}
	return list
}
