package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// Markdown writes what [Write] does as GitHub and GitLab show it in a job's summary or
// a comment: the headline, the comparison with another run if there is one (c may be
// nil), the ranking, what must be known of it, and what can be folded. Names are
// escaped: none can change the page.
func Markdown(w io.Writer, r *record.Run, c *comparison.Comparison, o Options) error {
	p := newSheet(r, o)
	var err error
	if p.order, err = p.sorted(); err != nil {
		return err
	}
	m := &markdown{sheet: p}
	m.headline()
	if c != nil {
		m.title("Change")
		if err := rendering.Markdown(&m.b, c, rendering.Options{Top: o.Top}); err != nil {
			return err
		}
	}
	m.title("Ranking")
	m.ranking()
	m.advice()
	m.remarks()
	m.tests()
	if _, err := w.Write(m.b.Bytes()); err != nil {
		return fmt.Errorf("writing the ranking as Markdown: %w", err)
	}
	return nil
}

// A markdown is a sheet whose text goes to b.
type markdown struct {
	*sheet
	b bytes.Buffer
}

// headline has the result in a line, and caveats.
func (m *markdown) headline() {
	var marks []string
	if m.r.Partial {
		marks = append(marks, "PARTIAL: the measurement was interrupted.")
	}
	switch origin := m.r.Meter.Origin(); {
	case !m.energy:
		marks = append(marks, "NO ENERGY is known: only executions and running time.")
	case origin == "":
		marks = append(marks, "The energy is that of a file, which does not say whether it was MEASURED OR ESTIMATED.")
	case origin == record.Estimated:
		marks = append(marks, "The energy is ESTIMATED by a model, not measured.")
	case m.r.Meter.Root != "":
		marks = append(marks, "The energy was measured"+page.EscapeMarkdown(wording.CounterRoot(m.r.Meter.Root))+".")
	}
	for _, text := range marks {
		fmt.Fprintf(&m.b, "> **Caveat:** %s\n\n", text)
	}
	fmt.Fprintf(&m.b, "**%s**\n", page.EscapeMarkdown(m.first()))
}

// first counts the zones and names the first component.
func (m *markdown) first() string {
	count := make(map[spell.Zone]int)
	first := -1
	for _, i := range m.order {
		c := &m.r.Components[i]
		count[c.Zone]++
		if first < 0 || c.Rank < m.r.Components[first].Rank {
			first = i
		}
	}
	if first < 0 {
		return "Nothing to rank: no component ran in these tests."
	}
	c := &m.r.Components[first]
	text := fmt.Sprintf("%d red, %d yellow, %d green. First is %s%s: psi %s",
		count[spell.Red], count[spell.Yellow], count[spell.Green], m.names.components[first], where(c), units.Similarity(c.Psi))
	if m.byComponent {
		text += fmt.Sprintf(", %s%s a round, %s %% of what all components used", m.est, units.Quantity(m.total[first], "J"), units.Percent(m.share(first)))
	}
	return text + "."
}

func (m *markdown) title(text string) { fmt.Fprintf(&m.b, "\n### %s\n\n", text) }

// item is an entry of a list.
func (m *markdown) item(text string) {
	fmt.Fprintf(&m.b, "- %s\n", page.EscapeMarkdown(strings.Join(strings.Fields(text), " ")))
}

func (m *markdown) ranking() {
	shown := m.order[:m.limit(len(m.order))]
	if len(shown) == 0 {
		m.b.WriteString("No component ran in these tests.\n")
		return
	}
	with := m.known(shown)
	m.table(shown, with).Markdown(&m.b)
	fmt.Fprintf(&m.b, "\n<sub>%s</sub>\n", page.EscapeMarkdown(strings.Join(m.legend(shown, with), " ")))
}

func (m *markdown) advice() {
	title, first := m.fixFirst()
	if len(first) == 0 {
		return
	}
	fmt.Fprintf(&m.b, "\n%s\n\n", title)
	for _, i := range first {
		c := &m.r.Components[i]
		m.item(fmt.Sprintf("#%d %s%s. %s", c.Rank, m.names.components[i], where(c), c.Explanation))
	}
}

// remarks say how far the ranking can be trusted.
func (m *markdown) remarks() {
	m.title("What it rests on")
	for _, f := range m.facts() {
		m.item(f.Label + ": " + f.Text)
	}
	for _, line := range append([]string{m.unattributed(), m.probes()}, m.localization()...) {
		if line != "" {
			m.item(line)
		}
	}
	if warnings := m.warnings(); len(warnings) > 0 {
		m.title("Warnings")
		for _, w := range warnings {
			m.item(w)
		}
	}
}

func (m *markdown) tests() {
	m.title("Tests")
	if len(m.r.Tests) == 0 {
		m.b.WriteString("No test ran.\n")
		return
	}
	if title, failed := m.failed(); len(failed) > 0 {
		fmt.Fprintf(&m.b, "%s\n\n", title)
		for _, text := range failed {
			m.item(text)
		}
		m.b.WriteByte('\n')
	}
	shown := m.costliest()
	count := m.testCount(shown)
	summary, rest, _ := strings.Cut(count, ". ")
	fmt.Fprintf(&m.b, "<details><summary>%s</summary>\n\n", page.EscapeMarkdown(strings.TrimSuffix(summary, ".")))
	m.testTable(shown).Markdown(&m.b)
	if rest != "" {
		fmt.Fprintf(&m.b, "\n<sub>%s</sub>\n", page.EscapeMarkdown(rest))
	}
	m.b.WriteString("\n</details>\n")
}
