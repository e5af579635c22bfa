package jsonmatrix

import (
	"math"
	"strconv"

	"spell-lsp/spell"
)

// fields are the members of a component.
var fields = []string{"id", "kind", "package", "file", "hash", "line", "column", "end_line"}

var kinds = namesOf(spell.Kinds())

func namesOf(kinds []spell.Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return names
}

const idOfComponent = "the unique name of a component"

// component reads a component: an object, or its name.
func (in *reader) component() (err error) {
	begin := in.start
	var c spell.Component
	switch in.kind {
	case '"':
		c.ID, err = in.uniqueName(idOfComponent)
	case '{':
		err = in.object(fields, func(i int, _ string) error { return in.field(&c, i) })
		if err == nil && c.ID == "" {
			in.path.field = "id"
			err = &fault{begin, in.path.String() + " is missing, must be " + idOfComponent}
		}
	default:
		err = in.wrong(in.described(), "an object, or the name of a component")
	}
	in.m.Components = append(in.m.Components, c)
	return err
}

func (in *reader) field(c *spell.Component, i int) (err error) {
	if i < 0 {
		return in.skip()
	}
	in.path.field = fields[i]
	switch fields[i] {
	case "id":
		c.ID, err = in.uniqueName(idOfComponent)
	case "kind":
		err = in.oneOf(append([]string{""}, kinds...)...)
		c.Kind = spell.Kind(in.text)
	case "package":
		c.Package, err = in.anyString()
	case "file":
		c.File, err = in.anyString()
	case "hash":
		c.Hash, err = in.anyString()
	case "line":
		c.Line, err = in.place()
	case "column":
		c.Column, err = in.place()
	default:
		c.EndLine, err = in.place()
	}
	return err
}

func (in *reader) anyString() (string, error) {
	err := in.want('"', "a string")
	return string(in.text), err
}

// place returns the token, which must be the number of a line or column.
func (in *reader) place() (int, error) {
	const what = "a whole number from 1, or 0 if it is not known"
	n, err := in.whole(what)
	return int(n), err
}

// whole returns the token, which must be a whole number from 0 to the largest int32.
func (in *reader) whole(what string) (int32, error) {
	if err := in.want('0', what); err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(in.text), 10, 31)
	if err != nil {
		return 0, in.wrong(clipped(in.text), what)
	}
	return int32(n), nil
}

// real returns the token, which must be a number from 0 to spell.MaxValue.
func (in *reader) real() (float64, error) {
	const what = "a number from 0 to 1e+60"
	if err := in.want('0', what); err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(string(in.text), 64)
	if err != nil || v < 0 || v > spell.MaxValue || math.IsNaN(v) {
		return 0, in.wrong(clipped(in.text), what)
	}
	return v, nil
}
