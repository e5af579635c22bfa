package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// A Line is a line of a component's source in which it spent a part of its self time, as samples
// saw it, with the functions without a probe that the line called.
type Line struct {
	Line    int      `json:"line"`     // from 1, in the component's file
	TimeMS  float64  `json:"time_ms"`  // CPU time per round, a part of the component's TimeMS
	EnergyJ Energy   `json:"energy_j"` // the component's, shared by time
	Callees []Callee `json:"unmeasured_callees,omitempty"`
}

// Lines of a component: the most that are listed, and the least share of its self time that each
// has; of a line the most callees.
const (
	MostLines       = 20
	MinLineShare    = 0.01
	MostLineCallees = 3
)

// SetLines sets Lines of c, whose time and energy are known, from the time of each in whole, the
// time in which c was seen: their shares of it are those of the self values of c. What the lines
// lack of these is in lines with too few samples.
func (c *Component) SetLines(seen []Line, whole float64) {
	list := slices.Clone(seen)
	for i := range list {
		l := &list[i]
		part := Component{TimeMS: l.TimeMS}
		part.take(c, l.TimeMS/whole)
		part.SetCallees(l.Callees, l.TimeMS)
		l.TimeMS, l.EnergyJ, l.Callees = part.TimeMS, part.EnergyJ, part.Callees[:min(len(part.Callees), MostLineCallees)]
	}
	c.Lines = c.firstLines(list)
}

// AddLines adds up the lines of components with the text of c, whose self time adds up to that of c.
func (c *Component) AddLines(members []*Component) {
	of := make(map[int][]*Component)
	for _, m := range members {
		if m.LinesHash != c.LinesHash {
			continue
		}
		for _, l := range m.Lines {
			of[l.Line] = append(of[l.Line], &Component{TimeMS: l.TimeMS, EnergyJ: l.EnergyJ, Callees: l.Callees})
		}
	}
	var list []Line
	for line, parts := range of {
		whole := Component{EnergyJ: make(Energy)}
		for _, part := range parts {
			whole.TimeMS += part.TimeMS
			for domain, joules := range part.EnergyJ {
				whole.EnergyJ[domain] += joules
			}
		}
		whole.AddCallees(parts)
		list = append(list, Line{Line: line, TimeMS: whole.TimeMS, EnergyJ: whole.EnergyJ, Callees: whole.Callees[:min(len(whole.Callees), MostLineCallees)]})
	}
	c.Lines = c.firstLines(list)
}

// firstLines are those that are listed, the most time first; nil if there are none.
func (c *Component) firstLines(list []Line) []Line {
	list = slices.DeleteFunc(list, func(l Line) bool { return !(l.TimeMS > 0 && l.TimeMS >= MinLineShare*c.TimeMS) })
	slices.SortFunc(list, func(a, b Line) int { return cmp.Or(cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.Line, b.Line)) })
	if len(list) == 0 {
		return nil
	}
	return slices.Clip(list[:min(len(list), MostLines)])
}

// MovedTo is c where its source begins on another line.
func (c *Component) MovedTo(line int) Component {
	moved, by := *c, line-c.Line
	moved.Line, moved.EndLine, moved.Lines = c.Line+by, c.EndLine+by, slices.Clone(c.Lines)
	for i := range moved.Lines {
		moved.Lines[i].Line += by
	}
	return moved
}

// TextHash is the hash of some lines of a file, from the first to the last, with comments and blanks:
// while it is the same, the lines are those that they were. It is "" if the file has no such lines.
func TextHash(text []byte, first, last int) string {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if first < 1 || last < first || last > len(lines) {
		return ""
	}
	sum := sha256.Sum256(bytes.Join(lines[first-1:last], nil))
	return hex.EncodeToString(sum[:8])
}

// take sets the self time and energy to a share of those of another.
func (c *Component) take(of *Component, share float64) {
	share = min(1, share)
	c.TimeMS, c.EnergyJ = share*of.TimeMS, make(Energy, len(of.EnergyJ))
	for domain, joules := range of.EnergyJ {
		c.EnergyJ[domain] = share * joules
	}
}
