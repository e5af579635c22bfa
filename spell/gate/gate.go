// Package gate checks a run against rules, so that a build can fail if a program wastes
// energy: limits of joules, of the increase since another run, of newly red components, or of how costs grow
// with the size of the input.
package gate

import (
	"fmt"
	"strings"

	"spell-lsp/spell/note"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/wording"
)

// A Quantity is what a rule limits.
type Quantity string

// The quantities. Energy and time of the program are sums over all components; the program
// has no psi.
const (
	Energy Quantity = "energy"  // joules
	Time   Quantity = "time"    // milliseconds of running time
	N      Quantity = "n"       // executions
	Psi    Quantity = "psi"     // global similarity, 0 to 1
	Red    Quantity = "red"     // no component may be red
	NewRed Quantity = "new-red" // no component may have become red
	Budget Quantity = "budget"  // no budget in the source may be broken
	Growth Quantity = "growth"  // exponent of the cost by the size of the input
)

// A Rule is one limit that HEAD must keep.
type Rule struct {
	Text      string // as it was given
	Quantity  Quantity
	Component string  // ID or the end of it, of Growth also a benchmark; "" = the whole program, Each = every component
	Relative  bool    // Limit is a change since BASE: 0.05 for +5%; of Growth a difference
	Limit     float64 // joules, milliseconds, executions, psi, a share, or an exponent; at least 0
}

// NeedsBase tells whether the rule is about a change.
func (r Rule) NeedsBase() bool { return r.Relative || r.Quantity == NewRed }

func (r Rule) String() string { return r.Text }

// Each stands for every component in Rule.Component.
const Each = "*"

// A Violation is a rule that HEAD breaks.
type Violation struct {
	Rule      string
	Component string    // in full; "" = the whole program
	Note      note.Note // a sentence
}

// A Report is the result of checking rules.
type Report struct {
	Violations []Violation // in the order of the rules
	// Remarks explain why rules hold although it may look otherwise: a change beyond the
	// limit is not significant, or is undecided.
	Remarks []Remark
}

// A Remark explains why a rule holds.
type Remark struct {
	Rule string
	Note note.Note // follows "holds: "
}

func (r Remark) String() string { return r.Rule + " holds: " + wording.Text(r.Note) }

// Err is a *Failure if a rule is broken, else nil.
func (r *Report) Err() error {
	if len(r.Violations) == 0 {
		return nil
	}
	return &Failure{r.Violations}
}

// A Failure is the error of rules that are broken.
type Failure struct {
	Violations []Violation // at least one
}

func (f *Failure) Error() string {
	if len(f.Violations) == 1 {
		return "a rule is broken: " + f.Violations[0].String()
	}
	lines := make([]string, len(f.Violations))
	for i, v := range f.Violations {
		lines[i] = v.String()
	}
	return fmt.Sprintf("%d rules are broken:\n  %s", len(lines), strings.Join(shortlist.Of(lines), "\n  "))
}

func (v Violation) String() string { return v.Rule + ": " + wording.Text(v.Note) }
