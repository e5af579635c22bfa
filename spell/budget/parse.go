package budget

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Examples of amounts.
const Examples = "25mJ/call, 2ms/call, 1200 calls/test"

// A SyntaxError says what is wrong with a budget, and where.
type SyntaxError struct {
	Text   string // all amounts
	Column int    // in Text, in characters from 1
	What   string // what is wrong, and what is wanted
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("column %d: %s; amounts are like %s", e.Column, e.What, Examples)
}

// A unit is one of those of an amount.
type unit struct {
	quantity Quantity
	size     float64 // in that of the quantity
}

var units = map[string]unit{
	"nJ": {Energy, 1e-9}, "uJ": {Energy, 1e-6}, "µJ": {Energy, 1e-6}, "μJ": {Energy, 1e-6}, // both signs for micro
	"mJ": {Energy, 1e-3}, "J": {Energy, 1}, "kJ": {Energy, 1e3}, "Wh": {Energy, 3600},
	"ns": {Time, 1e-6}, "us": {Time, 1e-3}, "µs": {Time, 1e-3}, "μs": {Time, 1e-3},
	"ms": {Time, 1}, "s": {Time, 1e3}, "min": {Time, 60e3},
	"call": {Calls, 1}, "calls": {Calls, 1},
}

// Parse reads amounts that are separated by commas: a number, a unit, and what it is per.
//
//	energy  25mJ/call  40 J/test     nJ, uJ, mJ, J, kJ, Wh
//	time    2ms/call   1.5 s/test    ns, us, ms, s, min
//	calls   1200 calls/test
//
// Blanks do not count. The error is a *SyntaxError, for the first fault.
func Parse(amounts string) ([]Limit, error) {
	if len(amounts) > maxAmounts {
		return nil, &SyntaxError{amounts, 1, fmt.Sprintf("the amounts are longer than %d bytes: divide them among several comments", maxAmounts)}
	}
	var list []Limit
	offset := 0
	for part := range strings.SplitSeq(amounts, ",") {
		limit, at, what := parse(part)
		if what != "" {
			return nil, &SyntaxError{amounts, utf8.RuneCountInString(amounts[:offset+at]) + 1, what}
		}
		list = append(list, limit)
		offset += len(part) + len(",")
	}
	return list, nil
}

// parse reads one amount. what says what is wrong at an offset; "" if nothing is.
func parse(text string) (l Limit, at int, what string) {
	rest := strings.TrimLeft(text, blanks)
	at = len(text) - len(rest)
	if rest == "" {
		return l, at, "an amount is wanted here"
	}
	number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return l, at, "a number is wanted here, of at least 0"
	}
	rest = strings.TrimLeft(rest[len(number):], blanks)
	at = len(text) - len(rest)
	name, per, both := strings.Cut(rest, "/")
	name = strings.TrimRight(name, blanks)
	u, ok := units[name]
	if !ok {
		return l, at, wantedUnit(name)
	}
	l = Limit{Quantity: u.quantity, Max: value * u.size, amount: number + " " + name}
	if !both {
		return l, at + len(rest), "/call or /test is wanted after the unit"
	}
	at += len(rest) - len(strings.TrimLeft(per, blanks))
	switch l.Per = Per(strings.Trim(per, blanks)); {
	case l.Per != Call && l.Per != Test:
		return l, at, fmt.Sprintf("call or test is wanted after /, not %q", string(l.Per))
	case l.Quantity == Calls && l.Per == Call:
		return l, at, "calls are limited per test: write calls/test"
	}
	return l, at, ""
}

// maxAmounts is how long the amounts of one comment may be, in bytes. Messages repeat parts of them, and
// no number of so many digits is infinite.
const maxAmounts = 300

const blanks = " \t"

// wantedUnit says what is wanted instead of a unit, whose case may be the fault.
func wantedUnit(got string) string {
	if got == "" {
		return "a unit is wanted after the number, such as mJ, ms or calls"
	}
	for _, near := range []string{"nJ", "uJ", "mJ", "J", "kJ", "Wh", "ns", "us", "ms", "s", "min", "calls"} {
		if strings.EqualFold(got, near) {
			return fmt.Sprintf("%q is no unit, write %s", got, near)
		}
	}
	return fmt.Sprintf("%q is no unit: it is one of nJ, uJ, mJ, J, kJ, Wh, ns, us, ms, s, min, calls", got)
}
