package explanation

import "spell-lsp/spell/record"

// mostly is the share of a component's self time from which on a callee without a probe is
// named, in a component that is worth an effort.
const mostly = 0.2

// A Callee is a function without a probe, or several of the runtime that do the same work, in
// which a component spent much of its self time. The zero value is of a component that did not,
// or whose cost is negligible.
type Callee struct {
	Name   string // the one with most time, as record.Callee has it
	Kind   record.CalleeKind
	Work   Work    // of the runtime, "" of others
	Others bool    // other functions do the same work
	Share  float64 // of the component's self time, all together
}

// CalleeOf finds the callee that takes most of the self time of a component of that cost.
func CalleeOf(c Cost, callees []record.Callee, timeMS float64) Callee {
	share := c.TimeShare
	if c.Domain != "" {
		share = c.EnergyShare
	}
	if share < negligible || timeMS <= 0 {
		return Callee{}
	}
	var most Callee
	for _, one := range works(callees, timeMS) {
		if one.Share > most.Share {
			most = one
		}
	}
	if most.Share < mostly {
		return Callee{}
	}
	return most
}

// works lists callees, those of the runtime together by what they do.
func works(callees []record.Callee, timeMS float64) []Callee {
	var list []Callee
	at := make(map[Work]int)
	for _, c := range callees {
		one := Callee{Name: c.Name, Kind: c.Kind, Share: min(1, c.TimeMS/timeMS)}
		if c.Kind == record.RuntimeCallee {
			one.Work = WorkOf(c.Name)
		}
		if i, known := at[one.Work]; known && one.Work != "" {
			list[i].Share, list[i].Others = min(1, list[i].Share+one.Share), true
			continue
		}
		at[one.Work] = len(list)
		list = append(list, one)
	}
	return list
}
