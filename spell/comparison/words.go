package comparison

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spell-lsp/spell/page"
)

func plural(n int, noun string) string { return page.Plural(n, noun) }

// probability writes p with two digits: 0.032, 0.00013; <0.0001 below that.
func probability(p float64) string {
	switch {
	case p < 0.0001:
		return "<0.0001"
	case p >= 0.995:
		return "1"
	}
	digits := max(2, 1-int(math.Floor(math.Log10(p))))
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(p, 'f', digits, 64), "0"), ".")
}

// percent writes a share of at least 0 as a person says it: 34, 3.4, 0.34.
func percent(share float64) string {
	switch v := 100 * share; {
	case v >= 99.5 && v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 9.95 && v < 1e6:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1e6:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case v >= 0.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v > 0 && v < 0.01:
		return "<0.01"
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// signed writes a relative change: +12 %, -34 %, 0 %; new where there was nothing.
func signed(a Amount) string {
	switch {
	case a.Change == nil:
		return "new"
	case *a.Change == 0:
		return "0 %"
	case *a.Change < 0:
		return "-" + percent(-*a.Change) + " %"
	}
	return "+" + percent(*a.Change) + " %"
}

// Than is the change in words, of what is named or, where that is "", of a number
// that was named before: "34 % less energy than BASE", "3.10 times as much as in BASE".
func (a Amount) Than(what string) string {
	base := "in BASE"
	if what != "" {
		what, base = " "+what, "BASE"
	}
	switch {
	case a.Change == nil && a.Base == 0 && what == "":
		return "where BASE has none"
	case a.Change == nil && a.Base == 0:
		return "some" + what + ", where BASE uses none"
	case a.Change == nil:
		return "out of all proportion more" + what + " than " + base
	case *a.Change == 0:
		return "exactly as much" + what + " as " + base
	case *a.Change < 0:
		return percent(-*a.Change) + " % less" + what + " than " + base
	case *a.Change >= 2:
		return factor(1+*a.Change) + " times as much" + what + " as " + base
	}
	return percent(*a.Change) + " % more" + what + " than " + base
}

func factor(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// interval writes the interval of a change in the direction of the change: 31 to 37 %.
func interval(q *Quantity) string {
	if q.ChangeCI == nil || q.Change == nil {
		return ""
	}
	low, high := q.ChangeCI[0], q.ChangeCI[1]
	switch {
	case low < 0 && high > 0:
		return fmt.Sprintf("-%s to +%s %%", percent(-low), percent(high))
	case *q.Change < 0:
		return fmt.Sprintf("%s to %s %%", percent(max(0, -high)), percent(max(0, -low)))
	case *q.Change >= 2:
		return fmt.Sprintf("%s to %s times", factor(1+low), factor(1+high))
	default:
		return fmt.Sprintf("%s to %s %%", percent(max(0, low)), percent(max(0, high)))
	}
}
