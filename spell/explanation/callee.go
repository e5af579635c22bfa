package explanation

import "spell-lsp/spell"

// mostly is the share of a component's self time from which on a callee without a probe is
// named, in a component that is worth an effort.
const mostly = 0.2

// A Callee is a function without a probe, or several of the runtime that do the same work, in
// which a component spent much of its self time. The zero value is of a component that did not,
// or whose cost is negligible.
type Callee struct {
	Name   string // the one with most time, as the linker has it
	Kind   spell.CalleeKind
	Work   Work    // of the runtime, "" of others
	Others bool    // other functions do the same work
	Share  float64 // of the component's self time, all together
}

// A Line is the line of a component's source in which it spent most of its self time. The zero value
// is of a component without one that stands out, or whose cost is negligible.
type Line struct {
	Number int
	Share  float64 // of the component's self time
}

// LineOf finds the line that takes most of the self time of a component of that cost, from the shares
// of its lines.
func LineOf(c Cost, lines []Line) Line {
	var most Line
	for _, l := range lines {
		if l.Share > most.Share {
			most = l
		}
	}
	if most.Share < mostly || c.share() < negligible {
		return Line{}
	}
	return most
}

// share is that of the energy or, where none is known, of the running time.
func (c *Cost) share() float64 {
	if c.Domain != "" {
		return c.EnergyShare
	}
	return c.TimeShare
}

// CalleeOf finds the callee that takes most of the self time of a component of that cost. Of
// each callee it takes name, kind and share; those with most time stand first.
func CalleeOf(c Cost, callees []Callee) Callee {
	if c.share() < negligible {
		return Callee{}
	}
	var most Callee
	for _, one := range works(callees) {
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
func works(callees []Callee) []Callee {
	var list []Callee
	at := make(map[Work]int)
	for _, c := range callees {
		if c.Kind != spell.RuntimeCallee {
			list = append(list, c)
			continue
		}
		c.Work = WorkOf(c.Name)
		if i, known := at[c.Work]; known {
			list[i].Share, list[i].Others = min(1, list[i].Share+c.Share), true
			continue
		}
		at[c.Work] = len(list)
		list = append(list, c)
	}
	return list
}
