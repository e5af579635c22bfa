package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spell-lsp/spell/significance"
	"spell-lsp/spell/units"
)

// Advice is what advice found of known leaks, and what its rewrites saved.
type Advice struct {
	Leaks    []Known
	Pairs    []Rewritten
	Failures []string
}

// Known is a leak whose kind some rules describe, or none.
type Known struct {
	Name, Kind string
	Rules      []string // that describe the kind
	Found      []string // of findings in its functions that have a price
}

func (k *Known) found() bool {
	return slices.ContainsFunc(k.Found, func(rule string) bool { return slices.Contains(k.Rules, rule) })
}

// Rewritten is a program before and after its rewrites.
type Rewritten struct {
	Name          string
	Rules         []string
	Price         float64   // greatest share of all functions that a finding may save
	Before, After []float64 // CPU seconds, in turns
	Broken        string
}

// heavyPrice is the price from which on a rewrite must save something.
const heavyPrice = 0.1

// change is the median of the ratios of CPU time, less 1, with the p-value of its sign.
func (r *Rewritten) change() (change, p float64) {
	var logs []float64
	for i := range r.Before {
		logs = append(logs, math.Log(r.After[i]/r.Before[i]))
	}
	if len(logs) == 0 {
		return 0, 1
	}
	test := significance.SignedRank(logs)
	slices.Sort(logs)
	middle := (logs[(len(logs)-1)/2] + logs[len(logs)/2]) / 2
	return math.Exp(middle) - 1, test.P
}

// verdict is worse, broken, no change or better.
func (r *Rewritten) verdict() string {
	change, p := r.change()
	switch {
	case r.Broken != "":
		return "broken"
	case p > 0.05:
		return "no change"
	case change > 0:
		return "worse"
	}
	return "better"
}

// Tables writes what was lost first.
func (a *Advice) Tables() string {
	var b strings.Builder
	a.summary(&b)
	a.kinds(&b)
	a.pairs(&b)
	if len(a.Failures) > 0 {
		b.WriteString("\n## Not measured\n\n")
	}
	for _, f := range a.Failures {
		fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(f), " "))
	}
	return b.String()
}

func (a *Advice) summary(b *strings.Builder) {
	known, found := 0, 0
	for _, k := range a.Leaks {
		if len(k.Rules) > 0 {
			known++
			if k.found() {
				found++
			}
		}
	}
	verdicts, heavy, better := make(map[string]int), 0, 0
	for _, r := range a.Pairs {
		verdicts[r.verdict()]++
		if r.Price >= heavyPrice {
			heavy++
			if r.verdict() == "better" {
				better++
			}
		}
	}
	fmt.Fprintf(b, "- Of %s, rules describe the kind of %d, and found %d of these with a price.\n", units.Plural(len(a.Leaks), "leak"), known, found)
	fmt.Fprintf(b, "- %s: %d broken, %d worse, %d without a change that shows, %d better.\n", units.Plural(len(a.Pairs), "program")+" with rewrites", verdicts["broken"], verdicts["worse"], verdicts["no change"], verdicts["better"])
	fmt.Fprintf(b, "- Of %d whose greatest price is %s %% of the energy or more, better: %d.\n", heavy, units.Percent(heavyPrice), better)
}

// kinds has a row for each kind of leak, those with the most misses first.
func (a *Advice) kinds(b *strings.Builder) {
	type row struct {
		kind         string
		rules        []string
		leaks, found int
		missed       []string
	}
	var rows []*row
	for _, k := range a.Leaks {
		i := slices.IndexFunc(rows, func(r *row) bool { return r.kind == k.Kind })
		if i < 0 {
			i = len(rows)
			rows = append(rows, &row{kind: k.Kind, rules: k.Rules})
		}
		rows[i].leaks++
		if k.found() {
			rows[i].found++
		} else if len(k.Rules) > 0 {
			rows[i].missed = append(rows[i].missed, k.Name)
		}
	}
	slices.SortStableFunc(rows, func(x, y *row) int {
		return cmp.Or(cmp.Compare(min(1, len(y.rules)), min(1, len(x.rules))), cmp.Compare(len(y.missed), len(x.missed)), strings.Compare(x.kind, y.kind))
	})
	b.WriteString("\n## Leaks by kind\n")
	t := table{header: []string{"kind", "rules", "leaks", "found"}}
	for _, r := range rows {
		t.rows = append(t.rows, []string{r.kind, cmp.Or(strings.Join(r.rules, ", "), "none"), fmt.Sprint(r.leaks), fmt.Sprint(r.found)})
	}
	t.write(b)
	for _, r := range rows {
		for _, name := range r.missed {
			fmt.Fprintf(b, "\nNot found: %s, %s.\n", r.kind, name)
		}
	}
}

// pairs has a row for each program with rewrites, the losses first.
func (a *Advice) pairs(b *strings.Builder) {
	order := []string{"broken", "worse", "no change", "better"}
	list := slices.Clone(a.Pairs)
	slices.SortStableFunc(list, func(x, y Rewritten) int {
		cx, _ := x.change()
		cy, _ := y.change()
		return cmp.Or(cmp.Compare(slices.Index(order, x.verdict()), slices.Index(order, y.verdict())), cmp.Compare(cy, cx))
	})
	b.WriteString("\n## Rewrites\n")
	t := table{header: []string{"program", "rules", "price", "CPU time", "p", "verdict"}}
	for _, r := range list {
		change, p := r.change()
		row := []string{r.Name, strings.Join(r.Rules, ", "), units.Percent(r.Price) + " %", "", "", r.verdict()}
		if len(r.Before) > 0 {
			row[3], row[4] = fmt.Sprintf("%+.1f %%", 100*change), fmt.Sprintf("%.3f", p)
		}
		t.rows = append(t.rows, row)
	}
	t.write(b)
	for _, r := range list {
		if r.Broken != "" {
			fmt.Fprintf(b, "\n%s: %s\n", r.Name, strings.Join(strings.Fields(r.Broken), " "))
		}
	}
}
