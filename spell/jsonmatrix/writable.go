package jsonmatrix

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"spell-lsp/spell"
)

type textField struct{ name, value string }

type placeField struct {
	name  string
	value int
}

// textFields are the members of a component that hold text, except the id.
func textFields(c *spell.Component) [4]textField {
	return [...]textField{{"kind", string(c.Kind)}, {"package", c.Package}, {"file", c.File}, {"hash", c.Hash}}
}

func placeFields(c *spell.Component) [3]placeField {
	return [...]placeField{{"line", c.Line}, {"column", c.Column}, {"end_line", c.EndLine}}
}

// writable reports why Read would refuse what Write makes of m.
func writable(m *spell.Matrix) error {
	if err := m.Validate(); err != nil {
		return err
	}
	for _, d := range m.Domains {
		if !slices.Contains(spell.Domains(), d) {
			return fmt.Errorf("domain %q is not known, must be one of %s", d, alternatives(domainNames))
		}
	}
	for i, t := range m.Tests {
		if fault := nameFault(t); fault != "" {
			return fmt.Errorf("the name of test %d, %q, %s", i, t, fault)
		}
	}
	for i := range m.Components {
		if err := writableComponent(i, &m.Components[i]); err != nil {
			return err
		}
	}
	return nil
}

func writableComponent(i int, c *spell.Component) error {
	if fault := nameFault(c.ID); fault != "" {
		return fmt.Errorf("the name of component %d, %q, %s", i, c.ID, fault)
	}
	if c.Kind != "" && !slices.Contains(kinds, string(c.Kind)) {
		return fmt.Errorf("component %q is a %q, must be one of %s", c.ID, c.Kind, alternatives(kinds))
	}
	for _, f := range textFields(c) {
		if !utf8.ValidString(f.value) {
			return fmt.Errorf("the %s of component %q is %q, must be UTF-8", f.name, c.ID, f.value)
		}
	}
	for _, f := range placeFields(c) {
		if f.value < 0 || f.value > math.MaxInt32 {
			return fmt.Errorf("the %s of component %q is %d, must be from 0 to %d", f.name, c.ID, f.value, math.MaxInt32)
		}
	}
	return nil
}

func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty, must be a name"
	case !utf8.ValidString(name):
		return "is not UTF-8, must be"
	}
	return ""
}
