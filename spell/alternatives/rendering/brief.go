package rendering

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell/alternatives"
)

// briefGroups is how many groups of one benchmark Brief has.
const briefGroups = 2

// Brief says in a line what was found for a function of a package: a benchmark or test with alternatives, or one
// of the functions that are alternatives, named as in its file. It is "" for others.
func Brief(r *alternatives.Result, pkg, function string) string {
	var texts []string
	for i := range r.Groups {
		if text := brief(&r.Groups[i], pkg, function); text != "" {
			texts = append(texts, text)
		}
	}
	if more := len(texts) - briefGroups; more > 0 {
		texts = append(texts[:briefGroups], fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}

// About returns the comparisons that Brief looks at.
func About(r *alternatives.Result, pkg, function string) *alternatives.Result {
	about := *r
	about.Groups = nil
	for i := range r.Groups {
		if brief(&r.Groups[i], pkg, function) != "" {
			about.Groups = append(about.Groups, r.Groups[i])
		}
	}
	return &about
}

// brief is what Brief says of one group.
func brief(g *alternatives.Group, pkg, function string) string {
	name, rest, _ := strings.Cut(g.Name, "/")
	var text string
	if g.Package == "" {
		text = standing(g, pkg, function)
	} else if g.Package == pkg && name == function {
		text = strings.TrimSuffix(strings.Join(sentences(g), " "), ".")
	}
	if text != "" && rest != "" {
		text = rest + ": " + text
	}
	return text
}

// standing says how a function compares with the other alternatives.
func standing(g *alternatives.Group, pkg, function string) string {
	name := nameOf(g, pkg, function)
	if name == "" {
		return ""
	}
	var first, alone []string // decided sizes where it has rank 1, and where no other has
	for i := range g.Sizes {
		if s := &g.Sizes[i]; s.RoundsNeeded == 0 && slices.Contains(s.Best, name) {
			first = append(first, s.Text)
			if len(s.Best) == 1 {
				alone = append(alone, s.Text)
			}
		}
	}
	last := &g.Sizes[len(g.Sizes)-1]
	if last.RoundsNeeded > 0 {
		return fmt.Sprintf("undecided: %d rounds or more are needed", last.RoundsNeeded)
	}
	best := fmt.Sprintf("best of %d", len(last.Alternatives))
	if len(alone) < len(first) {
		best = "among the " + best
	}
	if len(first) == len(g.Sizes) {
		return best
	}
	if len(first) > 0 {
		best += fmt.Sprintf(" at %s=%s", g.SizeKey, strings.Join(first, ", "))
	}
	worse := ""
	if p := last.Pair(last.Best[0], name); p != nil && !slices.Contains(last.Best, name) {
		worse = fmt.Sprintf("%.2f times the %s of %s", p.Ratio, last.Decides, last.Best[0])
		if g.SizeKey != "" {
			worse += fmt.Sprintf(" at %s=%s", g.SizeKey, last.Text)
		}
	}
	switch {
	case len(first) == 0:
		return worse
	case worse == "":
		return best
	}
	return best + "; " + worse
}

// nameOf is the name that a function has as an alternative; "" if it is none.
func nameOf(g *alternatives.Group, pkg, function string) string {
	bare := strings.NewReplacer("(*", "", ")", "").Replace(function)
	benchmark := pkg + "." + alternatives.Generated + strings.ReplaceAll(bare, ".", "_")
	for i := range g.Sizes {
		for _, a := range g.Sizes[i].Alternatives {
			row, _, _ := strings.Cut(a.Test, "/func=")
			if strings.TrimRight(row, "0123456789") == strings.TrimRight(benchmark, "0123456789") && (a.Name == bare || strings.HasSuffix(a.Name, "."+bare)) {
				return a.Name
			}
		}
	}
	return ""
}
