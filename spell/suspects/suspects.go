// Package suspects shows which components of a pass/fail spectrum are suspicious
// of what made tests fail: as a page for the terminal, as Markdown, as CSV and as
// JSON.
//
// The pages show components that the tests cannot tell apart in one row, because
// they have the same score whatever the coefficient is, and leave out those that
// no failed test ran. CSV and JSON have every component in a row of its own.
package suspects

import (
	"spell-lsp/spell"
	"spell-lsp/spell/page"
)

// A Result is a spectrum that was ranked.
type Result struct {
	Name           string // of the file, "" if it has none
	Coefficient    spell.Coefficient
	Components     []spell.Component
	Tests          []string
	Failed         int             // tests that failed
	Suspects       []spell.Suspect // every component, in the order of [spell.Suspects]
	Diagnosability spell.Diagnosability
}

// New ranks the components of m, which must be valid. failed says which tests
// failed, by index; those behind its end passed. A coefficient that is not one of
// [spell.Coefficients] is Ochiai.
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

// Options say what a page shows. The zero value is the usual page without
// colours.
type Options struct {
	Top   int  // at most so many rows; 0 = 20, below 0 = all
	Color bool // ANSI colours; Markdown has none
}

// limit is how many of n rows are shown.
func (o Options) limit(n int) int { return page.Shown(o.Top, n) }
