package rendering

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/alternatives"
)

// sentences are the answer of a group.
func sentences(g *alternatives.Group) []string {
	if sizes := undecidedSizes(g); len(sizes) > 0 && len(sizes) < len(g.Sizes) {
		rest := *g
		rest.Sizes = slices.DeleteFunc(slices.Clone(g.Sizes), func(s alternatives.Size) bool { return s.RoundsNeeded > 0 })
		return append(answer(&rest), "Undecided at "+g.SizeKey+"="+strings.Join(sizes, ", ")+": too few rounds.")
	}
	return answer(g)
}

// undecidedSizes are those for which there are too few rounds.
func undecidedSizes(g *alternatives.Group) (sizes []string) {
	for i := range g.Sizes {
		if g.Sizes[i].RoundsNeeded > 0 {
			sizes = append(sizes, g.Sizes[i].Text)
		}
	}
	return sizes
}

func answer(g *alternatives.Group) []string {
	if needed := roundsNeeded(g); needed > 0 {
		return []string{fmt.Sprintf("undecided: there are too few rounds. Measure %d or more (--rounds %d).", needed, needed)}
	}
	if len(g.Crossings) > 0 {
		return crossings(g)
	}
	best := common(g)
	switch {
	case undecided(g):
		return []string{"no difference was found."}
	case len(g.Sizes) == 1 && len(best) > 1:
		return []string{tied(g, &g.Sizes[0])}
	case len(g.Sizes) == 1:
		return []string{best[0] + " is best" + at(g, &g.Sizes[0]) + "."}
	case len(best) == 0:
		return []string{"the best alternatives of some sizes were not measured with others."}
	case alone(g):
		return []string{best[0] + " is best for all sizes."}
	case len(best) == 1:
		return []string{best[0] + " is the only one that is among the best for all sizes."}
	}
	return []string{list(best, "and") + " are among the best for all sizes."}
}

// roundsNeeded is how many rounds it takes where there are too few for all sizes; 0 otherwise.
func roundsNeeded(g *alternatives.Group) (needed int) {
	for i := range g.Sizes {
		if g.Sizes[i].RoundsNeeded == 0 {
			return 0
		}
		needed = max(needed, g.Sizes[i].RoundsNeeded)
	}
	return needed
}

// list writes names: a, b or c.
func list(names []string, last string) string {
	n := len(names)
	if n == 1 {
		return names[0]
	}
	return strings.Join(names[:n-1], ", ") + " " + last + " " + names[n-1]
}

// common are the alternatives that are among the best for all sizes. Without crossings there is one, or some sizes have other alternatives.
func common(g *alternatives.Group) (names []string) {
	for _, name := range g.Sizes[0].Best {
		everywhere := true
		for i := range g.Sizes {
			everywhere = everywhere && slices.Contains(g.Sizes[i].Best, name)
		}
		if everywhere {
			names = append(names, name)
		}
	}
	return names
}

// undecided tells whether all are tied for all sizes, and none allocates least.
func undecided(g *alternatives.Group) bool {
	for i := range g.Sizes {
		if s := &g.Sizes[i]; len(s.Best) < len(s.Alternatives) || s.LeastBytes != "" {
			return false
		}
	}
	return true
}

// alone tells whether there is one best alternative for each size.
func alone(g *alternatives.Group) bool {
	return !slices.ContainsFunc(g.Sizes, func(s alternatives.Size) bool { return len(s.Best) > 1 })
}

// at names a size, if there are any: at n=64.
func at(g *alternatives.Group, s *alternatives.Size) string {
	if g.SizeKey == "" {
		return ""
	}
	return " at " + g.SizeKey + "=" + s.Text
}

// tied says which alternatives of a size are tied, and which of them allocates least.
func tied(g *alternatives.Group, s *alternatives.Size) string {
	text := list(s.Best, "and") + " are tied"
	if len(s.Best) == len(s.Alternatives) && len(s.Best) > 2 {
		text = "all are tied"
	}
	text += at(g, s)
	if s.LeastBytes != "" {
		text += "; " + s.LeastBytes + " allocates least"
	}
	return text + "."
}

// crossings says where the best change: slice is best below about n=40 (between 32 and 64), map above.
func crossings(g *alternatives.Group) (texts []string) {
	for i, c := range g.Crossings {
		where := fmt.Sprintf("somewhere between %s=%s and %s", g.SizeKey, number(c.Low), number(c.High))
		if c.At != nil {
			where = fmt.Sprintf("about %s=%s (between %s and %s)", g.SizeKey, rounded(*c.At), number(c.Low), number(c.High))
		}
		from := list(c.From, "or") + " is best below "
		if i > 0 {
			from = "Then the limit is "
		}
		texts = append(texts, from+where+", "+list(c.To, "or")+" above.")
	}
	return texts
}

// number writes a size without digits that are not needed.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded writes a size with two digits that count, as it is not known better.
func rounded(v float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64)
	if err != nil {
		short = v
	}
	return number(short)
}
