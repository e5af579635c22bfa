package suspects

import (
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
)

// A row is a component or an ambiguity group.
type row struct {
	spell.Suspect                       // of the first of the group
	group         *spell.AmbiguityGroup // nil for a component of its own
	members       []int                 // of the group, in the order of the ranking
	mark          string                // of the group: A, B, ...
	tied          bool                  // another row has the same score
}

// rows returns the components that some failed test ran, in the order of the ranking.
func (r *Result) rows() []row {
	groups := r.groupOf()
	of := map[*spell.AmbiguityGroup]int{} // index of its row
	var list []row
	for _, s := range r.Suspects {
		if s.Score == 0 {
			break
		}
		next := row{Suspect: s, group: groups[s.Component]}
		if next.group != nil {
			if i, seen := of[next.group]; seen {
				list[i].members = append(list[i].members, s.Component)
				continue
			}
			next.members, next.mark = []int{s.Component}, letters(len(of))
			of[next.group] = len(list)
		}
		if last := len(list) - 1; last >= 0 && list[last].Score == s.Score {
			next.tied, list[last].tied = true, true
		}
		list = append(list, next)
	}
	return list
}

// groupOf returns the ambiguity group of each component; nil = none.
func (r *Result) groupOf() []*spell.AmbiguityGroup {
	of := make([]*spell.AmbiguityGroup, len(r.Components))
	for i := range r.Diagnosability.Groups {
		g := &r.Diagnosability.Groups[i]
		for _, j := range g.Components {
			of[j] = g
		}
	}
	return of
}

// letters returns the n-th mark: A to Z, AA, AB, ...
func letters(n int) string {
	text := ""
	for n++; n > 0; n = (n - 1) / 26 {
		text = string(rune('A'+(n-1)%26)) + text
	}
	return text
}

// columns returns the columns that are not empty in all rows.
func (r *Result) columns(rows []row) []column {
	list := []column{
		{page.Column{Head: "#", Right: true}, func(w row) page.Cell { return page.Cell{Text: strconv.Itoa(w.Rank)} }},
		{page.Column{Head: ""}, func(w row) page.Cell { return page.Cell{Text: mark(w.tied, "=")} }},
		{page.Column{Head: "score", Right: true}, score},
		{page.Column{Over: "failed", Head: "ran it", Right: true}, count(func(w row) int { return w.ExecutedFailed })},
		{page.Column{Over: "failed", Head: "did not", Right: true}, count(func(w row) int { return w.NotExecutedFailed })},
		{page.Column{Over: "passed", Head: "ran it", Right: true}, count(func(w row) int { return w.ExecutedPassed })},
		{page.Column{Over: "passed", Head: "did not", Right: true}, count(func(w row) int { return w.NotExecutedPassed })},
		{page.Column{Head: "group"}, func(w row) page.Cell { return page.Cell{Text: w.mark} }},
		{page.Column{Head: "component", Cap: 60}, func(w row) page.Cell { return page.Cell{Text: r.title(w)} }},
		{page.Column{Head: "place"}, func(w row) page.Cell { return page.Cell{Text: r.place(w)} }},
	}
	var used []column
	for _, c := range list {
		for _, w := range rows {
			if c.cell(w).Text != "" {
				used = append(used, c)
				break
			}
		}
	}
	return used
}

// A column makes a cell from a row.
type column struct {
	page.Column
	cell func(row) page.Cell
}

func count(of func(row) int) func(row) page.Cell {
	return func(w row) page.Cell { return page.Cell{Text: strconv.Itoa(of(w))} }
}

// score is red for the most suspicious rows.
func score(w row) page.Cell {
	cell := page.Cell{Text: units.Similarity(w.Score)}
	if w.Rank == 1 {
		cell.Color = page.Red
	}
	return cell
}

func (r *Result) title(w row) string {
	name := r.component(w.Component)
	if w.group == nil {
		return name
	}
	return name + " and " + strconv.Itoa(len(w.members)-1) + " more"
}

// place returns where a component is; "" for a group.
func (r *Result) place(w row) string {
	c := &r.Components[w.Component]
	switch {
	case w.group != nil || c.File == "":
		return ""
	case c.Line < 1:
		return c.File
	}
	return c.File + ":" + strconv.Itoa(c.Line)
}

func (r *Result) component(j int) string { return r.Components[j].ID }

func (r *Result) test(t int) string { return r.Tests[t] }

// names lists the first members of a group.
func (r *Result) names(w row) string {
	const most = 5
	var names []string
	for _, j := range w.members[:min(most, len(w.members))] {
		names = append(names, r.component(j))
	}
	if more := len(w.members) - len(names); more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func mark(set bool, text string) string {
	if set {
		return text
	}
	return ""
}
