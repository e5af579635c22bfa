package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/suggestion"
)

// anyShare has scaling list all functions, as one that is named may be cheap.
const anyShare = math.SmallestNonzeroFloat64

// growth checks the exponents of a benchmark or function, or of all.
func (k *checker) growth(r Rule) error {
	share := anyShare
	if r.Component == Each {
		share = scaling.DefaultShare
	}
	list, err := growthsOf(k.head, share)
	if err != nil {
		return err
	}
	if r.Component != Each {
		if list, err = named(r.Component, list); err != nil {
			return err
		}
	}
	all := len(list)
	first := string(list[0].Reason)
	list = slices.DeleteFunc(list, func(g scaling.Growth) bool { return g.Reason != "" })
	if len(list) == 0 {
		return fmt.Errorf("there is no formula (%s): see spell-lsp grow", first)
	}
	base := map[string]*scaling.Growth{}
	if r.Relative {
		if base, err = k.baseGrowths(); err != nil {
			return err
		}
	}
	k.growths(r, list, base)
	if unknown := all - len(list); unknown > 0 {
		k.remark(r, note.GrowthsUnknown(unknown))
	}
	return nil
}

func growthsOf(run *record.Run, share float64) ([]scaling.Growth, error) {
	result, err := scaling.Of(run, scaling.Options{Share: share})
	if err != nil {
		return nil, err
	}
	return result.Growths, nil
}

// named are the growths of the benchmark or function that a name means.
func named(name string, list []scaling.Growth) ([]scaling.Growth, error) {
	var subjects []string
	for i := range list {
		subjects = append(subjects, list[i].Subject)
	}
	slices.Sort(subjects)
	subjects = slices.Compact(subjects)
	found, near := suggestion.Match(name, subjects, 1)
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("%q is the end of %s and of %s; write more of it", name, subjects[found[0]], subjects[found[1]])
	case len(found) == 0 && len(near) > 0:
		return nil, fmt.Errorf("no benchmark with sizes in its name is %q, nor a function that one called; did you mean %s?", name, subjects[near[0]])
	case len(found) == 0:
		return nil, fmt.Errorf("no benchmark with sizes in its name is %q, nor a function that one called", name)
	}
	return slices.DeleteFunc(list, func(g scaling.Growth) bool { return g.Subject != subjects[found[0]] }), nil
}

// baseGrowths are those of BASE that have a formula.
func (k *checker) baseGrowths() (map[string]*scaling.Growth, error) {
	list, err := growthsOf(k.base, anyShare)
	if none := new(scaling.NoneError); errors.As(err, &none) {
		return nil, fmt.Errorf("there is nothing to compare with: %w", err)
	}
	all := make(map[string]*scaling.Growth, len(list))
	for i := range list {
		if g := &list[i]; g.Reason == "" {
			all[identity(g)] = g
		}
	}
	return all, err
}

// identity is the same in two runs for one subject in one series, if the same quantity is fitted.
func identity(g *scaling.Growth) string {
	return fmt.Sprintf("%s %s %s %q", g.Subject, g.Series, g.Quantity, g.Sizes)
}

// growths checks each growth. Of all those that may be beyond the limit, or cannot be compared, remarks give the
// numbers.
func (k *checker) growths(r Rule, list []scaling.Growth, base map[string]*scaling.Growth) {
	uncertain, alone, broken := 0, 0, len(k.report.Violations)
	for i := range list {
		g := &list[i]
		before := base[identity(g)]
		if r.Relative && before == nil {
			alone++
			continue
		}
		x := beyondMost(g, before, r.Limit)
		switch {
		case x.low > r.Limit+rounding:
			k.broken(r, g.Subject, x.broken())
		case x.value > r.Limit+rounding && r.Component != Each:
			k.remark(r, x.uncertain())
		case x.value > r.Limit+rounding:
			uncertain++
		}
	}
	if uncertain > 0 {
		k.remark(r, note.GrowthsUncertain(uncertain))
	}
	if alone > 0 {
		k.remark(r, note.GrowthsNotInBase(alone))
	}
	if len(k.report.Violations) == broken {
		k.partly(r)
	}
}

// An excess is an exponent that a rule limits, or its difference from that in BASE: with the lower end of its 95 %
// interval.
type excess struct {
	value, low float64
	growth     *scaling.Growth
	head, base scaling.Exponent
	relative   bool
}

// beyondMost is the exponent of the size that is the furthest beyond a limit; before is nil unless the limit is one of
// a difference. The errors of two runs are independent, so the squares of their half intervals add up.
func beyondMost(g, before *scaling.Growth, limit float64) excess {
	most := excess{value: math.Inf(-1), low: math.Inf(-1)}
	for i, e := range g.Exponents {
		x := excess{value: e.Value, low: e.CI[0], growth: g, head: e}
		if before != nil {
			x.base, x.relative = before.Exponents[i], true
			x.value -= x.base.Value
			x.low = x.value - math.Hypot(e.Value-e.CI[0], x.base.CI[1]-x.base.Value)
		}
		if x.low > most.low || most.low <= limit && x.low <= limit && x.value > most.value {
			most = x
		}
	}
	return most
}

// subject is the series of a benchmark, or a function and the series in which it ran.
func (x *excess) subject() (subject, series string) {
	if g := x.growth; g.Component {
		return g.Subject, g.Series
	}
	return x.growth.Series, ""
}

func (x *excess) broken() note.Note {
	subject, series := x.subject()
	if x.relative {
		return note.MoreGrowth(subject, series, x.head.Value, x.head.CI[0], x.head.CI[1], x.base.Value, x.base.CI[0], x.base.CI[1])
	}
	return note.GrowthBeyond(subject, series, x.head.Value, x.head.CI[0], x.head.CI[1])
}

func (x *excess) uncertain() note.Note {
	subject, series := x.subject()
	if x.relative {
		return note.MoreGrowthUncertain(subject, series, x.head.Value, x.base.Value, x.low)
	}
	return note.GrowthUncertain(subject, series, x.head.Value, x.head.CI[0], x.head.CI[1])
}
