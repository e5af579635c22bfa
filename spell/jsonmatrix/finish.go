package jsonmatrix

import (
	"errors"
	"fmt"

	"spell-lsp/spell"
)

// finish checks what is only known at the end of the file.
func (in *reader) finish() error {
	if !in.schema {
		return &fault{0, fmt.Sprintf("schema is missing, must be %q", Schema)}
	}
	if !in.known {
		if err := in.arrange(); err != nil {
			return err
		}
	}
	if len(in.m.Energy) == 0 {
		in.m.Energy = nil
	}
	err := in.m.Validate()
	if err == nil {
		return nil
	}
	if where := in.locate(err); where != nil {
		return where
	}
	return err
}

// locate finds the place of the fault that Validate found; nil if it is not found.
func (in *reader) locate(err error) error {
	if f := twice("tests", in.m.Tests, func(t string) string { return t }, &in.tests); f != nil {
		return f
	}
	if f := twice("components", in.m.Components, func(c spell.Component) string { return c.ID }, &in.components); f != nil {
		return f
	}
	if f := in.outOfRange(); f != nil {
		return f
	}
	var two *spell.DuplicateError
	if errors.As(err, &two) {
		return &fault{in.cells.at(two.Second), fmt.Sprintf("cells[%d] is for test %q and component %q like cells[%d], must be one cell: keep one, or add them up",
			two.Second, two.Test, two.Component, two.First)}
	}
	return nil
}

// twice finds the first item that has the name of an earlier one. It returns an error
// rather than a *fault, because a nil *fault would be a non-nil error.
func twice[T any](list string, items []T, name func(T) string, begin *offsets) error {
	seen := make(map[string]int, len(items))
	for i, item := range items {
		before, ok := seen[name(item)]
		if ok {
			return &fault{begin.at(i), fmt.Sprintf("%s[%d] is %q like %s[%d], must be unique", list, i, name(item), list, before)}
		}
		seen[name(item)] = i
	}
	return nil
}

// outOfRange finds the first cell whose test or component does not exist.
func (in *reader) outOfRange() error {
	for i, c := range in.m.Cells {
		field, index, length, list := "t", c.Test, len(in.m.Tests), "tests"
		if int(c.Test) < length {
			field, index, length, list = "c", c.Component, len(in.m.Components), "components"
		}
		if int(index) >= length {
			return &fault{in.cells.at(i), fmt.Sprintf("cells[%d].%s is %d, must be the index of one of the %d %s, from 0", i, field, index, length, list)}
		}
	}
	return nil
}
