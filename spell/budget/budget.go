// Package budget reads the budgets that stand in comments of Go source, and decides whether a
// measured value keeps one. A budget is the most that a function or a test may cost:
//
//	//spell:budget 25mJ/call, 2ms/call
//	//spell:budget 1200 calls/test
//	func Parse(text string) *Tree {
package budget

import (
	"strings"
	"unicode"
)

// Directive is how a comment with budgets begins.
const Directive = "//spell:budget"

// Misplaced is why a directive is ignored that stands elsewhere.
const Misplaced = "it is not directly above a function with a body, where it must stand"

// A Quantity is what a budget limits.
type Quantity string

// The quantities, and the units of the values.
const (
	Energy Quantity = "energy" // joules
	Time   Quantity = "time"   // milliseconds
	Calls  Quantity = "calls"
)

// A Per is what the values of a budget are counted by.
type Per string

// The execution of a function, or of a test.
const (
	Call Per = "call"
	Test Per = "test"
)

// A Limit is one amount of a budget.
type Limit struct {
	Quantity Quantity
	Per      Per
	Max      float64 // joules, milliseconds or calls; at least 0
	amount   string  // with its unit, as it was written
}

// String is the limit in words: "25 mJ per call".
func (l Limit) String() string { return l.amount + " per " + string(l.Per) }

// Amounts returns the amounts of a comment that is a directive, and the offset in the comment at
// which they begin. ok is false for other comments. What follows a second // is a remark.
func Amounts(comment string) (amounts string, offset int, ok bool) {
	rest, ok := strings.CutPrefix(comment, Directive)
	if !ok || rest != "" && !unicode.IsSpace(rune(rest[0])) {
		return "", 0, false
	}
	rest, _, _ = strings.Cut(rest, "//")
	amounts = strings.TrimSpace(rest)
	return amounts, len(Directive) + max(0, strings.Index(rest, amounts)), true
}
