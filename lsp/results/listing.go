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

// Listed returns a result with all its components, or nothing if r is nil. With all it returns
// all results, each with the components that views show.
func (rs *Layers) Listed(r *Result, all bool) []Listing {
	switch {
	case all:
	case r == nil:
		return nil
	default:
		return []Listing{{r, func(int) bool { return true }}}
	}
	var taken map[standsIn]bool
	if len(rs.List) > 1 { // a single result covers nothing, and may be large
		taken = map[standsIn]bool{}
	}
	var list []Listing
	for _, r := range rs.List {
		mine := rs.uncovered(r, taken)
		list = append(list, Listing{r, func(i int) bool { return mine[i] }})
	}
	return list
}

// standsIn identifies a component in its file, in any result.
type standsIn struct{ path, id string }

// uncovered reports for each component whether it is shown: it is not hidden, and no newer result
// shows the same component. It adds the shown components to taken, unless that is nil. A loaded
// result without marks in any file counts as shown, because the ranking shows it.
func (rs *Layers) uncovered(r *Result, taken map[standsIn]bool) []bool {
	mine, paths := make([]bool, len(r.Run.Components)), map[string]string{}
	partly := r.Loaded() && !rs.Hidden(r) // some of its components have marks
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
