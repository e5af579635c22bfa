package rendering

import (
	"slices"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/units"
)

// A list stands below the tables.
type list struct {
	title string
	items []string
}

// lists are all lists that have items.
func (c *view) lists(n names, o Options) []list {
	all := []list{
		{"Code:", c.codeItems(n)},
		{"In HEAD only:", c.onlyItems(c.Added, n)},
		{"In BASE only:", c.onlyItems(c.Removed, n)},
		{"Tests that count in HEAD only, not compared:", c.testItems(c.TestsOnly.Head, n)},
		{"Tests that count in BASE only, not compared:", c.testItems(c.TestsOnly.Base, n)},
		{"Tests that failed, not compared:", c.testItems(c.TestsOnly.Neither, n)},
	}
	for i := range all {
		all[i].items = cut(all[i].items, o)
	}
	all = append(all, list{"Not decided:", c.undecidedItems(n)}, list{"Warnings:", c.warnings()})
	return slices.DeleteFunc(all, func(l list) bool { return len(l.items) == 0 })
}

// warnings are the notes as sentences.
func (c *view) warnings() []string {
	var list []string
	for _, n := range c.Notes {
		list = append(list, c.Sentence(n))
	}
	return list
}

// cut shortens a list to the limit.
func cut(items []string, o Options) []string {
	most := o.limit(len(items))
	if most == len(items) {
		return items
	}
	return append(items[:most:most], "and "+units.Count(len(items)-most)+" more")
}

// codeItems say which components were renamed or moved and, for those with a verdict, whether
// their body changed.
func (c *view) codeItems(n names) []string {
	var items []string
	for i := range c.Components {
		if about := c.code(&c.Components[i], n); about != "" {
			items = append(items, n.of(c.Components[i].ID)+": "+about)
		}
	}
	return items
}

// code says what became of the code of a component; "" if there is nothing to say.
func (c *view) code(k *comparison.Component, n names) string {
	var parts []string
	if k.Match != comparison.ByID {
		parts = append(parts, k.Match+" from "+n.of(k.BaseID))
	}
	if k.BodyNote != nil && (k.Body == comparison.ChangedBody || c.Decisive(k).Verdict != comparison.Undecided) {
		parts = append(parts, c.Text(*k.BodyNote))
	}
	return strings.Join(parts, "; ")
}

func (c *view) onlyItems(only []comparison.Only, n names) []string {
	var items []string
	for _, o := range only {
		if c.Empty() {
			items = append(items, n.of(o.ID))
			continue
		}
		text := units.Duration(o.TimeMS)
		if c.KnowsComponents() {
			text = c.est() + units.Quantity(o.EnergyJ, "J") + ", " + text
		}
		items = append(items, n.of(o.ID)+": "+text)
	}
	return items
}

func (c *view) testItems(tests []string, n names) []string {
	var items []string
	for _, t := range tests {
		items = append(items, n.of(t))
	}
	return items
}

// undecidedItems has each reason once, with the first components that it applies to.
func (c *view) undecidedItems(n names) []string {
	const most = 3
	if c.Empty() {
		return nil // the headline says why
	}
	order, of := c.reasons()
	var items []string
	for _, reason := range order {
		if reason == c.reason(c.DecisiveTotal()) {
			continue // the headline says it
		}
		var some []string
		for _, id := range of[reason][:min(most, len(of[reason]))] {
			some = append(some, n.of(id))
		}
		text := strings.Join(some, ", ")
		if more := len(of[reason]) - len(some); more > 0 {
			text += " and " + units.Count(more) + " more"
		}
		items = append(items, text+": "+reason)
	}
	return items
}
