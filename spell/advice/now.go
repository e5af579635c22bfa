package advice

import (
	"slices"

	"spell-lsp/spell/record"
)

// PriceNow prices findings in the source as it is now, like [Price]. lineOf returns the line on which a
// function of the run begins now; false says that it was edited since the run. Such a function has
// no advice; edited lists those whose lines are known.
func PriceNow(r *record.Run, findings []Finding, lineOf func(*record.Component) (line int, ok bool)) (list []Advice, edited []int) {
	now := *r
	now.Components = slices.Clone(r.Components)
	for i := range now.Components {
		c := &now.Components[i]
		if len(c.Lines) == 0 {
			continue
		}
		line, ok := lineOf(c)
		if !ok {
			edited = append(edited, i)
			c.Lines = nil
			continue
		}
		*c = c.MovedTo(line)
	}
	return Price(&now, findings), edited
}
