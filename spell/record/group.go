package record

import (
	"cmp"
	"slices"

	"spell-lsp/spell"
)

// A Group is a part of what a program ran that cuts across its components: the goroutines that a
// function started (spell.KindGoroutine), or the goroutines while they had the same labels
// (spell.KindLabel).
type Group struct {
	Kind spell.Kind `json:"kind"`
	// ID of goroutines is the function with the go statement; "F via L" where library function L has
	// it, and F is the first component that the goroutine runs. That of labels is "key=value,
	// key=value". It is unique among the groups of the kind.
	ID      string `json:"id"`
	Package string `json:"package,omitempty"`
	File    string `json:"file,omitempty"` // with the go statement, as Component.File; "" if it is outside of the workspace
	Line    int    `json:"line,omitempty"`
}

// The groups that are no function and no set of labels.
const (
	MainGoroutine   = "main goroutine"
	TestGoroutine   = "test goroutine"   // those that package testing starts
	OtherGoroutines = "other goroutines" // it is not known who started them
	NoLabel         = "no label"
	OtherLabels     = "other labels" // sets that are too large, or beyond the number that a program's samples keep
	// NotSampled is the part of components of which no sample tells the group. A run that knows groups of
	// a kind has this one.
	NotSampled = "not sampled"
)

// A FunctionTime is the time that a group has of a component of the run by function.
type FunctionTime struct {
	ID     string  `json:"id"`
	TimeMS float64 `json:"time_ms"`
}

// MostFunctions is how many functions of a group are listed.
const MostFunctions = 3

// A GroupTime is the CPU time of a component's own code in a group in one test, as samples saw it.
type GroupTime struct {
	Test   int     `json:"t"` // index into Run.Tests
	Group  int     `json:"g"` // index into Run.Groups
	TimeMS float64 `json:"time_ms"`
}

// SumGroupTime adds up times of the same test and group, and sorts them by these. It may change list.
func SumGroupTime(list []GroupTime) []GroupTime {
	slices.SortStableFunc(list, func(a, b GroupTime) int {
		return cmp.Or(cmp.Compare(a.Test, b.Test), cmp.Compare(a.Group, b.Group))
	})
	var sums []GroupTime
	for _, t := range list {
		if n := len(sums); n > 0 && sums[n-1].Test == t.Test && sums[n-1].Group == t.Group {
			sums[n-1].TimeMS += t.TimeMS
			continue
		}
		sums = append(sums, t)
	}
	return sums
}
