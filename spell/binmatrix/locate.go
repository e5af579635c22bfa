package binmatrix

import (
	"errors"
	"fmt"
	"slices"

	"spell-lsp/spell"
)

// locate finds where in the file the fault is that Validate found; it is one of
// the cells, as the header was checked before.
func (in *reader) locate(err error) error {
	var two *spell.DuplicateError
	if errors.As(err, &two) {
		return &fault{in.layout.cell(two.Second), fmt.Sprintf("cell %d is for test %q and component %q like cell %d at byte %d: keep one, or add them up",
			two.Second, two.Test, two.Component, two.First, in.layout.cell(two.First))}
	}
	i := slices.IndexFunc(in.m.Cells, in.outOfRange)
	if i >= 0 {
		return &fault{in.layout.cell(i), fmt.Sprintf("cell %d is for test %d and component %d, must be from 0 for one of the %d tests and %d components",
			i, in.m.Cells[i].Test, in.m.Cells[i].Component, len(in.m.Tests), len(in.m.Components))}
	}
	for i := range in.m.Cells {
		if at, what := in.wrongValue(i); what != "" {
			return &fault{at, fmt.Sprintf("cell %d has %s, must be a number from 0 to %v", i, what, float64(spell.MaxValue))}
		}
	}
	return err
}

func (in *reader) outOfRange(c spell.Cell) bool {
	return c.Test < 0 || int(c.Test) >= len(in.m.Tests) || c.Component < 0 || int(c.Component) >= len(in.m.Components)
}

// wrongValue finds the first value of a cell that is none.
func (in *reader) wrongValue(i int) (at int64, what string) {
	c := in.m.Cells[i]
	switch {
	case !amount(c.N):
		return in.layout.cell(i) + 8, fmt.Sprintf("%v executions", c.N)
	case !amount(c.TimeMS):
		return in.layout.cell(i) + 16, fmt.Sprintf("%v milliseconds", c.TimeMS)
	}
	for d, v := range in.m.Joules(i) {
		if !amount(v) {
			return in.layout.joule(i, d), fmt.Sprintf("%v J of %s", v, in.m.Domains[d])
		}
	}
	return 0, ""
}

func amount(v float64) bool { return v >= 0 && v <= spell.MaxValue }
