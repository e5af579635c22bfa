package contest

import (
	"errors"
	"slices"

	"github.com/google/pprof/profile"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
)

// A charge says which of the functions on a stack a sample counts for. The stack has rows
// of components, the innermost first; -1 stands for a function that is none.
type charge func(stack []int) []int

// flat charges the innermost function, if it is a component: what it spent in the standard
// library is not its own.
func flat(stack []int) []int {
	if len(stack) == 0 || stack[0] < 0 {
		return nil
	}
	return stack[:1]
}

// nearest charges the innermost component.
func nearest(stack []int) []int {
	if i := slices.IndexFunc(stack, func(row int) bool { return row >= 0 }); i >= 0 {
		return stack[i : i+1]
	}
	return nil
}

// cumulative charges each component on the stack once.
func cumulative(stack []int) []int {
	var all []int
	for _, row := range stack {
		if row >= 0 && !slices.Contains(all, row) {
			all = append(all, row)
		}
	}
	return all
}

func cpuProfile(c charge) func(*Evidence) (Order, error) {
	return func(e *Evidence) (Order, error) { return fromProfile(e.Leaky, e.CPU, "cpu", c) }
}

func memoryProfile(c charge) func(*Evidence) (Order, error) {
	return func(e *Evidence) (Order, error) { return fromProfile(e.Leaky, e.Memory, "alloc_space", c) }
}

// fromProfile orders the components of r by the values of samples.
func fromProfile(r *record.Run, p *profile.Profile, sampleType string, c charge) (Order, error) {
	scores, err := valuesOf(r, p, sampleType, c)
	if err != nil {
		return nil, err
	}
	return newOrder(r, scores), nil
}

// valuesOf are the values of samples by component of r.
func valuesOf(r *record.Run, p *profile.Profile, sampleType string, c charge) ([]float64, error) {
	if p == nil {
		return nil, errors.New("there is no profile")
	}
	value := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == sampleType })
	if value < 0 {
		return nil, errors.New("the profile has no values of type " + sampleType)
	}
	index := indexOf(r)
	scores := make([]float64, len(r.Components))
	for _, s := range p.Sample {
		for _, row := range c(stack(s, index)) {
			scores[row] += float64(s.Value[value])
		}
	}
	return scores, nil
}

// indexOf finds components by the names of functions in a profile. Literals, deferred calls
// and method values belong to the function that declares them.
func indexOf(r *record.Run) probe.Index {
	names := make([]string, len(r.Components))
	for i, c := range r.Components {
		names[i] = gosource.RuntimeName(c.Package, c.ID)
	}
	return probe.NewIndex(probe.NamedRows{Components: names})
}

// stack lists the components on the stack of a sample, the innermost first; -1 for
// functions that are none.
func stack(s *profile.Sample, index probe.Index) []int {
	var rows []int
	for _, l := range s.Location {
		for _, line := range l.Line { // the innermost of inlined functions first
			row, ok := index.Row(line.Function.Name)
			if !ok {
				row = 0
			}
			rows = append(rows, row-1)
		}
	}
	return rows
}
