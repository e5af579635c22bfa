package results

import (
	"cmp"
	"slices"
	"strings"

	"spell-lsp/spell/record"
)

// A Listing is a result with a choice of its components.
type Listing struct {
	*Result
	lists func(component int) bool
}

// Listed gives a result with all of its components, nothing for nil; or all results, each
// with the components that views show of it.
func (rs *Layers) Listed(r *Result, all bool) []Listing {
	switch {
	case all:
	case r == nil:
		return nil
	default:
		return []Listing{{r, func(int) bool { return true }}}
	}
	var taken map[standsIn]bool
	if len(rs.List) > 1 { // of a single result nothing is covered, and it may be large
		taken = map[standsIn]bool{}
	}
	var list []Listing
	for _, r := range rs.List {
		mine := rs.uncovered(r, taken)
		list = append(list, Listing{r, func(i int) bool { return mine[i] }})
	}
	return list
}

// standsIn identifies a component in its file, whatever result it is of.
type standsIn struct{ path, id string }

// uncovered tells of each component whether it is shown: it is not hidden, and no newer
// result has taken its place. It adds the places that it takes, unless taken is nil. A
// loaded result that shows nothing in any file is not hidden: only the ranking shows it.
func (rs *Layers) uncovered(r *Result, taken map[standsIn]bool) []bool {
	mine, paths := make([]bool, len(r.Run.Components)), map[string]string{}
	partly := r.Loaded() && !rs.Hidden(r) // some of it is marked
	for i := range r.Run.Components {
		c := &r.Run.Components[i]
		if r.hidden(i) || partly && rs.Hides(r, r.Path(c.File)) {
			continue
		}
		mine[i] = true
		if taken == nil {
			continue
		}
		path, ok := paths[c.File]
		if !ok {
			path = r.Path(c.File)
			paths[c.File] = path
		}
		at := standsIn{path, c.ID}
		mine[i], taken[at] = !taken[at], true
	}
	return mine
}

// Ranked lists the measured components whose ID or file contains a text, in any case, in an
// order. Ties are in the order of the ranking.
func (l Listing) Ranked(order func(a, b *record.Component) int, filter string) []int {
	filter = strings.ToLower(filter)
	has := func(text string) bool { return filter == "" || strings.Contains(strings.ToLower(text), filter) }
	var list []int
	for i := range l.Run.Components {
		c := &l.Run.Components[i]
		if l.measured[i] && l.lists(i) && (has(c.ID) || has(c.File)) {
			list = append(list, i)
		}
	}
	shown := l.Counted().Components
	slices.SortFunc(list, func(a, b int) int {
		x, y := &shown[a], &shown[b]
		return cmp.Or(order(x, y), cmp.Compare(x.Rank, y.Rank))
	})
	return list
}

// Placed reports whether a component was in a file in which the result may show something.
func (rs *Layers) Placed(r *Result, component int) bool {
	there := r.Run.Components[component].File != "" || r.packageFiles[component] != ""
	return there && !rs.Hides(r, r.File(component))
}
