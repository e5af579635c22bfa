// Package rendering writes how costs grow with sizes: in words, as a page for the terminal, as Markdown, CSV and
// JSON. It decides nothing.
package rendering

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/jsonform"
	"spell-lsp/spell/page"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// JSON writes r as indented JSON that ends in a newline.
func JSON(w io.Writer, r *scaling.Result) error { return jsonform.Write(w, "the growths", r) }

// Text writes a page for the terminal of that many columns; 0 is page.LineWidth.
func Text(w io.Writer, r *scaling.Result, width int) error {
	if width <= 0 || width > page.LineWidth {
		width = page.LineWidth
	}
	var b bytes.Buffer
	for i, s := range sectionsOf(r) {
		if i > 0 {
			b.WriteByte('\n')
		}
		page.ParagraphOf(&b, width, "", page.Clean(s.title(r))+": "+Sentence(s.whole)+".")
		if !s.brief() {
			b.WriteByte('\n')
			points(r, s.whole).Write(&b, false)
		}
		if len(s.functions) > 0 {
			b.WriteByte('\n')
			functions(r, s.functions).Write(&b, false)
		}
	}
	b.WriteByte('\n')
	for _, text := range remarks(r) {
		page.ParagraphOf(&b, width, "", text)
	}
	return write(w, &b)
}

// Markdown writes a section for each series.
func Markdown(w io.Writer, r *scaling.Result) error {
	var b bytes.Buffer
	for _, s := range sectionsOf(r) {
		fmt.Fprintf(&b, "**%s**: %s.\n\n", page.EscapeMarkdown(s.title(r)), page.EscapeMarkdown(Sentence(s.whole)))
		if !s.brief() {
			points(r, s.whole).Markdown(&b)
			b.WriteByte('\n')
		}
		if len(s.functions) > 0 {
			functions(r, s.functions).Markdown(&b)
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "<sub>%s</sub>\n", page.EscapeMarkdown(strings.Join(remarks(r), " ")))
	return write(w, &b)
}

func write(w io.Writer, b *bytes.Buffer) error {
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the growths: %w", err)
	}
	return nil
}

// A section is a series with the functions that it called, or a function by its calls.
type section struct {
	whole     *scaling.Growth
	functions []*scaling.Growth
}

// sectionsOf are in the order of the steepest growth of each.
func sectionsOf(r *scaling.Result) []*section {
	var list []*section
	bySeries := make(map[string]*section)
	for i := range r.Growths {
		g := &r.Growths[i]
		s := bySeries[g.Series]
		if s == nil || g.Series == "" {
			s = &section{}
			list, bySeries[g.Series] = append(list, s), s
		}
		if g.Component && g.Origin == scaling.Benchmark {
			s.functions = append(s.functions, g)
		} else {
			s.whole = g
		}
	}
	for _, s := range list {
		s.promote()
	}
	return list
}

// Steepest says of the benchmarks of a run which grows most, and how, in one line; "" if there is none.
func Steepest(r *scaling.Result) string {
	list := slices.DeleteFunc(sectionsOf(r), func(s *section) bool { return s.whole.Origin != scaling.Benchmark })
	if len(list) == 0 {
		return ""
	}
	most := slices.MaxFunc(list, func(a, b *section) int { return cmp.Compare(a.whole.Low(), b.whole.Low()) })
	text := most.title(r) + " " + Sentence(most.whole)
	switch {
	case len(list) == 1:
	case most.whole.Reason != "":
		text += ". None of the " + units.Count(len(list)) + " has a formula"
	default:
		text += ", which is the steepest of " + units.Count(len(list))
	}
	return text + "."
}

// brief says that a section has no table: calls of too few sizes are no surprise.
func (s *section) brief() bool { return s.whole.Origin == scaling.Calls && s.whole.Reason != "" }

// promote puts the function after which the benchmark is named in the place of the benchmark, which may spend more on
// what the function works on.
func (s *section) promote() {
	for i, g := range s.functions {
		if g.Subject == s.whole.Function {
			s.whole, s.functions = g, slices.Delete(s.functions, i, i+1)
			return
		}
	}
}

// title is the name of a series without its import path if all are of one, or of a function.
func (s *section) title(r *scaling.Result) string {
	if s.whole.Component {
		_, names, _ := strings.Cut(s.whole.Series[max(0, strings.LastIndex(s.whole.Series, ".Benchmark")):], "/")
		return strings.TrimSuffix(short(s.whole.Subject)+"/"+names, "/")
	}
	pkg := packageOf(s.whole.Subject)
	for i := range r.Growths {
		if g := &r.Growths[i]; !g.Component && packageOf(g.Subject) != pkg {
			return s.whole.Series
		}
	}
	return strings.TrimPrefix(s.whole.Series, pkg+".")
}

func packageOf(benchmark string) string {
	return benchmark[:max(0, strings.LastIndex(benchmark, ".Benchmark"))]
}

// short is a component's ID without the folders of its package.
func short(id string) string { return id[strings.LastIndex(id, "/")+1:] }

// remarks are what must be known of all growths.
func remarks(r *scaling.Result) []string {
	list := []string{legend(r)}
	if len(r.LeftOut) > 0 {
		list = append(list, "Left out because they did not pass: "+strings.Join(shortlist.Of(alternatives.LeftOutNames(r.LeftOut)), ", ")+".")
	}
	if slices.ContainsFunc(r.Growths, func(g scaling.Growth) bool { return g.Reason == "" && len(shown(&g)) < len(g.Points) }) {
		list = append(list, "Where calls had many sizes, the table has one for each doubling; --format csv has all.")
	}
	if r.Partial {
		list = append(list, "PARTIAL: the measurement was interrupted.")
	}
	for _, doubt := range shortlist.Of(wording.CommandLine.Texts(r.Doubts)) {
		list = append(list, "Caveat: "+strings.TrimSuffix(doubt, ".")+".")
	}
	return list
}

// legend says what was fitted, and what the figures are.
func legend(r *scaling.Result) string {
	timed, self, calls := 0, false, false
	for i := range r.Growths {
		g := &r.Growths[i]
		self, calls = self || !g.Cumulative, calls || g.Origin == scaling.Calls
		if g.Quantity == alternatives.Time {
			timed++
		}
	}
	text := "Energy is fitted. "
	switch {
	case timed == len(r.Growths):
		text = "Time is fitted, because " + why(r) + ". "
	case timed > 0:
		text += "Where a time stands instead, the energy is below the resolution of the counter, or not known by function. "
	}
	per := "operation"
	if calls {
		per += " or call"
	}
	text += fmt.Sprintf("Values are those of one %s, without probes, of %s; ranges in parentheses are 95 %% intervals. ", per, units.Plural(r.Rounds, "round"))
	if self {
		text += "Values of functions are without what they called. "
	} else {
		text += "Values of functions include what they called. "
	}
	return text + "What is extrapolated lies outside of the sizes that were measured, and is right only if the formula still holds there."
}

// why says why time is fitted everywhere.
func why(r *scaling.Result) string {
	switch r.Growths[0].WhyTime {
	case alternatives.Estimated:
		return "the energy is ESTIMATED by the meter " + r.Meter + " and not measured"
	case alternatives.BelowResolution:
		return "the energy is below the resolution of the counter"
	default:
		return "no energy was measured"
	}
}
