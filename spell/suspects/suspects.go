// Package suspects ranks the components of a pass/fail spectrum by how likely they caused the
// failures, and writes the ranking for the terminal, as Markdown, as CSV and as JSON.
//
// The pages show an ambiguity group, components that the tests cannot tell apart, in one row,
// because they have the same score by any coefficient. They leave out components that no
// failed test ran. CSV and JSON have a row for every component.
package suspects

import (
	"spell-lsp/spell"
	"spell-lsp/spell/page"
)

// A Result is a ranked spectrum.
type Result struct {
	Name           string // of the file, "" if it has none
	Coefficient    spell.Coefficient
	Components     []spell.Component
	Tests          []string
	Failed         int             // tests that failed
	Suspects       []spell.Suspect // every component, in the order of [spell.Suspects]
	Diagnosability spell.Diagnosability
}

// New ranks the components of m, which must be valid. failed says which tests failed, by
// index; it may be shorter than the list of tests. Unknown coefficients are replaced by
// Ochiai.
func New(name string, m *spell.Matrix, failed []bool, c spell.Coefficient) Result {
	r := Result{
		Name: name, Coefficient: spell.Ochiai, Components: m.Components, Tests: m.Tests,
		Suspects: spell.Suspects(m, failed, c), Diagnosability: spell.Diagnose(m),
	}
	for _, known := range spell.Coefficients() {
		if c == known {
			r.Coefficient = c
		}
	}
	for t := range min(len(failed), len(m.Tests)) {
		if failed[t] {
			r.Failed++
		}
	}
	return r
}

// Options say what a page shows. The zero value is the default page, without colours.
type Options struct {
	Top   int  // rows; 0 = 20, negative = all
	Color bool // ANSI colours; Markdown has none
}

// limit returns how many of n rows are shown.
func (o Options) limit(n int) int { return page.Shown(o.Top, n) }
