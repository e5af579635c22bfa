package csvmatrix

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/csvtext"
)

// row adds the cell of one row to the matrix.
func (in *reader) row(fields []string) error {
	if len(fields) != in.width {
		return in.errorAt(in.at(min(in.width, len(fields)-1)), fmt.Sprintf("the row has %d fields, the header has %d", len(fields), in.width),
			"give each row one field for each column, and put names with a comma into quotes")
	}
	if len(in.m.Cells) == in.most {
		return in.errorAt(in.at(0), fmt.Sprintf("there are more than %d cells", in.most), "divide the tests among several files")
	}
	cell, err := in.place(fields)
	if err != nil {
		return err
	}
	c := &in.columns
	if cell.N, err = in.number(fields, c.n, unit{times: 1, over: 1}); err != nil {
		return err
	}
	if cell.TimeMS, err = in.number(fields, c.time, c.timeUnit); err != nil {
		return err
	}
	in.m.Cells = append(in.m.Cells, cell)
	in.lines = append(in.lines, in.at(0).line)
	for d := range c.energy {
		joules, err := in.joules(fields, &c.energy[d])
		if err != nil {
			return err
		}
		in.m.Energy = append(in.m.Energy, joules)
	}
	return nil
}

// place returns a cell of the row's test and component, which it adds to the
// matrix if they are new.
func (in *reader) place(fields []string) (spell.Cell, error) {
	for _, field := range []int{in.columns.test, in.columns.component} {
		fields[field] = csvtext.Decode(fields[field])
		if what := spell.NameFault(fields[field]); what != "" {
			return spell.Cell{}, in.errorAt(in.at(field), "the name "+what, "name every test and component, each on one line of UTF-8 text")
		}
	}
	test := fields[in.columns.test]
	t, ok := in.tests[test]
	if !ok {
		test = strings.Clone(test) // without this a field keeps its whole row in memory
		t = int32(len(in.m.Tests))
		in.tests[test] = t
		in.m.Tests = append(in.m.Tests, test)
	}
	j, err := in.component(fields)
	return spell.Cell{Test: t, Component: j}, err
}

func (in *reader) component(fields []string) (int32, error) {
	file, line, err := in.source(fields)
	if err != nil {
		return 0, err
	}
	id := fields[in.columns.component]
	if j, ok := in.components[id]; ok {
		if c := in.m.Components[j]; c.File != file || c.Line != line {
			return 0, in.errorAt(in.at(in.columns.component),
				fmt.Sprintf("component %q is at %s:%d here and at %s:%d before", id, file, line, c.File, c.Line),
				"give a component one place, or two components two names")
		}
		return j, nil
	}
	id = strings.Clone(id)
	j := int32(len(in.m.Components))
	in.components[id] = j
	in.m.Components = append(in.m.Components, spell.Component{ID: id, File: strings.Clone(file), Line: line})
	return j, nil
}

// lineBits is the largest number of bits of a line number.
const lineBits = 31

// source returns the file and line of the row, "" and 0 where it has none.
func (in *reader) source(fields []string) (file string, line int, err error) {
	if in.columns.file >= 0 {
		file = csvtext.Decode(fields[in.columns.file])
		if what := spell.TextFault(file); what != "" {
			return "", 0, in.errorAt(in.at(in.columns.file), "the file name "+what, "write it on one line of UTF-8 text")
		}
	}
	if in.columns.line < 0 {
		return file, 0, nil
	}
	text := strings.TrimSpace(fields[in.columns.line])
	if text == "" {
		return file, 0, nil
	}
	n, err := strconv.ParseUint(text, 10, lineBits)
	if err != nil {
		return "", 0, in.errorAt(in.at(in.columns.line), fmt.Sprintf("line is %q", text), "write a whole number from 1, or nothing if it is not known")
	}
	return file, int(n), nil
}

// joules returns the energy in a field. An empty field is 0, and is counted for
// dropUnknown.
func (in *reader) joules(fields []string, e *energyColumn) (float64, error) {
	if strings.TrimSpace(fields[e.field]) != "" {
		return in.number(fields, e.field, e.unit)
	}
	if e.empty == 0 {
		e.first = in.at(e.field)
	}
	e.empty++
	return 0, nil
}

// number reads a field, and converts it to joules or milliseconds.
func (in *reader) number(fields []string, field int, u unit) (float64, error) {
	text := strings.TrimSpace(fields[field])
	v, err := strconv.ParseFloat(text, 64)
	v = u.convert(v)
	var what string
	switch {
	case text == "":
		return 0, in.errorAt(in.at(field), "a number is missing", "write 0 for none, or leave the row out if the test did not run the component")
	case errors.Is(err, strconv.ErrRange) || v > spell.MaxValue:
		what = "is too large or not finite"
	case err != nil || strings.Trim(text, "0123456789.+-eE") != "":
		what = "is not a number"
	case v < 0:
		what = "is negative"
	default:
		return v + 0, nil // + 0 makes -0 a 0
	}
	return 0, in.errorAt(in.at(field), fmt.Sprintf("%q %s", text, what), "write a number of at least 0 with a decimal point, such as 0.5 or 5e-1")
}
