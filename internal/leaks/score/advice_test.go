package score

import (
	"slices"
	"strings"
	"testing"
)

// times are n CPU times around a value, none like another.
func times(n int, around float64) (list []float64) {
	for i := range n {
		list = append(list, around+float64(i)/1000)
	}
	return list
}

// Losses come first, and what is not significant is neither better nor worse.
func TestAdviceTables(t *testing.T) {
	noisy := times(12, 1)
	slices.Reverse(noisy)
	a := Advice{
		Leaks: []Known{
			{Name: "m.Sort", Kind: "sort", Rules: []string{"sort-in-loop"}, Found: []string{"formatting", "sort-in-loop"}},
			{Name: "m.Other", Kind: "sort", Rules: []string{"sort-in-loop"}, Found: []string{"formatting"}},
			{Name: "m.Cache", Kind: "cache"},
		},
		Pairs: []Rewritten{
			{Name: "faster", Rules: []string{"a"}, Price: 0.5, Before: times(12, 1), After: times(12, 0.5)},
			{Name: "same", Rules: []string{"a"}, Price: 0.1, Before: times(12, 1), After: noisy},
			{Name: "slower", Rules: []string{"b"}, Price: 0.01, Before: times(12, 1), After: times(12, 1.5)},
			{Name: "fails", Rules: []string{"b"}, Price: 0.2, Broken: "the tests end differently"},
		},
		Failures: []string{"x: it does not\nbuild"},
	}
	page := a.Tables()
	at := 0
	for _, text := range []string{
		"Of 3 leaks, rules describe the kind of 2, and found 1 of these", "4 programs with rewrites: 1 broken, 1 worse, 1 without a change that shows, 1 better",
		"Of 3 whose greatest price is 10.0 % of the energy or more, better: 1.",
		"| sort ", "|     2 |     1 |", "| cache ", " none |", "Not found: sort, m.Other.",
		"| fails ", "| slower ", "+49.7 %", "| same ", "| faster ", "-49.7 %", "fails: the tests end differently", "- x: it does not build",
	} {
		i := strings.Index(page[at:], text)
		if i < 0 {
			t.Fatalf("there is no %q behind %q in\n%s", text, page[:at], page)
		}
		at += i
	}
}
