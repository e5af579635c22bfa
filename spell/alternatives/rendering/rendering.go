// Package rendering writes which of several alternatives is best: as a page for the terminal, as Markdown and
// as JSON. It decides nothing.
package rendering

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/jsonform"
	"spell-lsp/spell/page"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// JSON writes r as indented JSON that ends in a newline.
func JSON(w io.Writer, r *alternatives.Result) error {
	return jsonform.Write(w, "the result", r)
}

// Text writes a page for the terminal of that many columns; 0 is page.LineWidth.
func Text(w io.Writer, r *alternatives.Result, width int) error {
	if width <= 0 || width > page.LineWidth {
		width = page.LineWidth
	}
	var b bytes.Buffer
	for i := range r.Groups {
		g := &r.Groups[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		page.ParagraphOf(&b, width, page.Clean(title(r, g))+": ", strings.Join(sentences(g), " "))
		b.WriteByte('\n')
		grid(r, g).Write(&b, false)
	}
	b.WriteByte('\n')
	for _, text := range remarks(r) {
		page.ParagraphOf(&b, width, "", text)
	}
	return write(w, &b)
}

// Markdown writes a section for each group, and below them in small print what must be known of all.
func Markdown(w io.Writer, r *alternatives.Result) error {
	var b bytes.Buffer
	sections(&b, r)
	fmt.Fprintf(&b, "<sub>%s</sub>\n", page.EscapeMarkdown(strings.Join(remarks(r), " ")))
	return write(w, &b)
}

// Hover is the same without HTML, for editors that do not render it.
func Hover(r *alternatives.Result) string {
	var b bytes.Buffer
	sections(&b, r)
	b.WriteString(page.EscapeMarkdown(strings.Join(remarks(r), " ")))
	return b.String()
}

func sections(b *bytes.Buffer, r *alternatives.Result) {
	for i := range r.Groups {
		g := &r.Groups[i]
		fmt.Fprintf(b, "**%s**: %s\n\n", page.EscapeMarkdown(title(r, g)), page.EscapeMarkdown(strings.Join(sentences(g), " ")))
		grid(r, g).Markdown(b)
		b.WriteByte('\n')
	}
}

func write(w io.Writer, b *bytes.Buffer) error {
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// title is the name of a benchmark without the word Benchmark, and without its package if all are of one.
func title(r *alternatives.Result, g *alternatives.Group) string {
	short := strings.TrimPrefix(g.Name, "Benchmark")
	if slices.ContainsFunc(r.Groups, func(other alternatives.Group) bool { return other.Package != g.Package }) {
		return strings.TrimSpace(g.Package + " " + short)
	}
	return short
}

// remarks are what must be known of all groups.
func remarks(r *alternatives.Result) []string {
	list := []string{legend(r)}
	if len(r.LeftOut) > 0 {
		list = append(list, "Left out because they did not pass: "+strings.Join(shortlist.Of(alternatives.LeftOutNames(r.LeftOut)), ", ")+".")
	}
	if r.Partial {
		list = append(list, "PARTIAL: the measurement was interrupted.")
	}
	for _, doubt := range shortlist.Of(wording.CommandLine.Texts(r.Doubts)) {
		list = append(list, "Caveat: "+strings.TrimSuffix(doubt, ".")+".")
	}
	if text := tooFew(r); text != "" {
		list = append(list, text)
	}
	if text := probes(r); text != "" {
		list = append(list, text)
	}
	return list
}

// legend says what decides, and how.
func legend(r *alternatives.Result) string {
	text := "Energy decides. "
	switch why := whyTime(r); why {
	case alternatives.Estimated:
		text = fmt.Sprintf("Time decides, because the energy (est.) is ESTIMATED by the meter %s and not measured. ", r.Meter)
	case alternatives.NoCounter:
		text = "Time decides, because no energy was measured. "
	case alternatives.BelowResolution:
		text = "Energy decides, but time where the rank has a t: the energy of an alternative is below the resolution of the counter. "
	}
	text += fmt.Sprintf("Values are those of one operation, ± half of the 95 %% interval, of %s. ", units.Plural(r.Rounds, "round"))
	return text + fmt.Sprintf("Alternatives are tied unless the ratio of their rounds differs from 1 by %s %% or more, and significantly (Wilcoxon's signed-rank test with Holm's correction, %s %%). "+
		"The rank is one more than the number of those that are better. The last column is the ratio to the first line, with its 95 %% interval.",
		strconv.FormatFloat(100*r.MinChange, 'g', -1, 64), strconv.FormatFloat(100*r.Level, 'g', -1, 64))
}

// whyTime is why time decides, somewhere; "" if it does nowhere.
func whyTime(r *alternatives.Result) (why alternatives.Reason) {
	for i := range r.Groups {
		for k := range r.Groups[i].Sizes {
			why = cmp.Or(why, r.Groups[i].Sizes[k].WhyTime)
		}
	}
	return why
}

// tooFew says that there are too few rounds.
func tooFew(r *alternatives.Result) string {
	needed, missing := 0, false
	for i := range r.Groups {
		for k := range r.Groups[i].Sizes {
			s := &r.Groups[i].Sizes[k]
			needed, missing = max(needed, s.RoundsNeeded), missing || !s.Compared
		}
	}
	switch {
	case needed > 0:
		return fmt.Sprintf("Alternatives with the rank ? are undecided: with %s no difference can be significant. Measure %d rounds or more (--rounds %d).", units.Plural(r.Rounds, "round"), needed, needed)
	case missing:
		return "Some alternatives could not be tested, and are shown as tied: their values by round are missing, because they did not run in all rounds or an older version measured the run."
	}
	return ""
}

// disturbing is the part of the time from which on probes are mentioned.
const disturbing = 0.02

// probes says which alternative had most of its time taken by probes.
func probes(r *alternatives.Result) string {
	var worst *alternatives.Alternative
	for i := range r.Groups {
		for k := range r.Groups[i].Sizes {
			list := r.Groups[i].Sizes[k].Alternatives
			for j := range list {
				if worst == nil || list[j].ProbeShare > worst.ProbeShare {
					worst = &list[j]
				}
			}
		}
	}
	if worst == nil || worst.ProbeShare < disturbing {
		return ""
	}
	return fmt.Sprintf("Probes took up to %s %% of the time (%s), which may change the order: choose --bench measures without them.", units.Percent(worst.ProbeShare), worst.Test)
}
