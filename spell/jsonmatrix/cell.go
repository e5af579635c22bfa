package jsonmatrix

import (
	"fmt"

	"spell-lsp/spell"
)

// values are the members of a cell.
var values = []string{"t", "c", "n", "time_ms", "energy_j"}

// cell reads a cell. Its indices are checked at the end, because tests and components may
// come later in the file.
func (in *reader) cell() error {
	begin := in.start
	if err := in.want('{', "an object, such as "+`{"t": 0, "c": 0, "n": 1, "time_ms": 2.5, "energy_j": {"cpu": 0.1}}`); err != nil {
		return err
	}
	if len(in.m.Cells) == in.most {
		return &fault{begin, fmt.Sprintf("there are more than %d cells: divide the tests among several files", in.most)}
	}
	c := spell.Cell{Test: -1, Component: -1}
	clear(in.energy)
	if err := in.object(values, func(i int, _ string) error { return in.value(&c, i) }); err != nil {
		return err
	}
	if c.Test < 0 || c.Component < 0 {
		field, what := "t", indexOfTest
		if c.Test >= 0 {
			field, what = "c", indexOfComponent
		}
		in.path.field, in.path.domain = field, ""
		return &fault{begin, in.path.String() + " is missing, must be " + what}
	}
	in.m.Add(c, in.energy...)
	return nil
}

const (
	indexOfTest      = "the index of one of the tests, from 0"
	indexOfComponent = "the index of one of the components, from 0"
)

func (in *reader) value(c *spell.Cell, i int) (err error) {
	if i < 0 {
		return in.skip()
	}
	in.path.field = values[i]
	switch values[i] {
	case "t":
		c.Test, err = in.whole(indexOfTest)
	case "c":
		c.Component, err = in.whole(indexOfComponent)
	case "n":
		c.N, err = in.real()
	case "time_ms":
		c.TimeMS, err = in.real()
	default:
		if err = in.want('{', "an object of joules by domain"); err == nil {
			err = in.object(domainNames, in.joules)
		}
		in.path.domain = ""
	}
	return err
}

var domainNames = func() (names []string) {
	for _, d := range spell.Domains() {
		names = append(names, string(d))
	}
	return names
}()

// joules reads the energy of the domain with index i in spell.Domains, or of one with a name that is not there.
func (in *reader) joules(i int, name string) error {
	if i < 0 {
		in.path.domain = name
		return &fault{in.start, in.path.String() + " is no domain, must be one that domains lists: " + alternatives(domainNames)}
	}
	in.path.domain = domainNames[i]
	if in.column[i] < 0 {
		return in.unlisted(in.start, i)
	}
	if !in.known && in.mentioned[i] == 0 {
		in.mentioned[i] = in.start
	}
	joules, err := in.real()
	in.energy[in.column[i]] = joules
	return err
}

func (in *reader) unlisted(at int64, domain int) error {
	return &fault{at, "there is energy of " + domainNames[domain] + ", which domains does not list"}
}
