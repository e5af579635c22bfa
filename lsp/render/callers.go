package render

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// callShares returns a sentence that lists callers or callees with their shares.
func callShares(m *view.Mark, in *text, verb string, list []results.CallShare) string {
	if len(list) == 0 {
		return ""
	}
	var named []string
	for _, p := range list[:min(len(list), maxCallShares)] {
		named = append(named, relative(m, in, p.Component)+in.words(" "+share(p.Share)))
	}
	return fmt.Sprintf("%s: %s (of its %s with callees).", verb, andMore(named, len(list)), spent(m.Result))
}

// underCallers returns a sentence that lists the component's own energy under each of its callers,
// if the measurement tried to fit it.
func underCallers(m *view.Mark, in *text) string {
	list := m.Result.Calls().Under(m.Index)
	tried := slices.ContainsFunc(list, func(u calltree.Under) bool { return u.Fitted || u.ByTime != "" })
	if !m.Result.KnowsEnergy() || len(list) < 2 || !tried {
		return ""
	}
	var named []string
	for _, u := range list[:min(len(list), maxCallShares)] {
		named = append(named, relative(m, in, u.Component)+in.words(fmt.Sprintf(" %s (%s)", Energy(m.Result, u.EnergyJ), underHow(&u))))
	}
	return "Own energy under its callers: " + andMore(named, len(list)) + "."
}

// underHow says how the energy under a caller is known.
func underHow(u *calltree.Under) string {
	if !u.Fitted {
		return wording.ByTime(string(u.ByTime))
	}
	how := "fitted, " + units.Quantity(u.Watts(), "W")
	if u.CI[1] > 0 {
		how += ", " + units.Quantity(u.CI[0], "J") + " to " + units.Quantity(u.CI[1], "J")
	}
	return how
}

// relative names a caller or a callee.
func relative(m *view.Mark, in *text, component int) string {
	if component >= 0 {
		return in.name(m.Result.Run.Components[component].ID)
	}
	return in.words(wording.NotComponent(component == calltree.Unknown))
}

// andMore joins the first of so many items.
func andMore(first []string, all int) string {
	if more := all - len(first); more > 0 {
		first = append(first, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(first, ", ")
}
