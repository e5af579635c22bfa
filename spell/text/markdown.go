package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// Markdown writes a run as GitHub and GitLab show it in a job's summary or a comment: the
// comparison with another run if there is one (c may be nil), then what the first screen has,
// and folded below that everything else. Names are escaped: none can change the page.
func Markdown(w io.Writer, r *record.Run, c *comparison.Comparison, o Options) error {
	p := newSheet(r, o)
	var err error
	if p.order, err = p.sorted(); err != nil {
		return err
	}
	p.summarize()
	m := &markdown{sheet: p}
	if c != nil {
		m.b.WriteString("### Change\n\n")
		if err := rendering.Markdown(&m.b, c, rendering.Options{Top: o.Top}); err != nil {
			return err
		}
		m.title("Energy")
	}
	m.first()
	m.ranking()
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

// first has what the first screen of a terminal has.
func (m *markdown) first() {
	fmt.Fprintf(&m.b, "**%s**\n", page.EscapeMarkdown(wording.Headline(m.summary, m.component)))
	if totals := wording.Totals(m.summary); totals != "" {
		fmt.Fprintf(&m.b, "\n%s\n", page.EscapeMarkdown(totals))
	}
	if m.summary.Leading.Count > 0 {
		t := m.leaderTable(true)
		t.Append(page.Column{Head: "why"}, func(k int) page.Cell {
			item := m.summary.Items[k]
			return page.Cell{Text: m.reason(item.Component, wording.Reason(&item, m.component))}
		})
		m.b.WriteByte('\n')
		t.Markdown(&m.b)
	}
	if all := m.allKept(); all != "" {
		fmt.Fprintf(&m.b, "\n%s\n", page.EscapeMarkdown(all))
	}
	m.items(budgetTitle, m.notKept(len(m.budgets)))
	title, failed := m.failed(m.limit(len(m.r.Tests)))
	m.items(title, failed)
	m.items(doubtful, wording.Texts(m.summary.Doubts))
}

// items is a list below a title; nothing without items.
func (m *markdown) items(title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(&m.b, "\n%s\n\n", title)
	for _, text := range list {
		m.item(text)
	}
}

func (m *markdown) title(text string) { fmt.Fprintf(&m.b, "\n### %s\n\n", text) }

// item is an entry of a list.
func (m *markdown) item(text string) {
	fmt.Fprintf(&m.b, "- %s\n", page.EscapeMarkdown(strings.Join(strings.Fields(text), " ")))
}

func (m *markdown) ranking() {
	shown := m.order[:m.limit(len(m.order))]
	if len(shown) == 0 {
		return
	}
	m.fold(units.Plural(len(m.order), m.r.Unit()), func() {
		with := m.known(shown)
		m.table(shown, with).Markdown(&m.b)
		fmt.Fprintf(&m.b, "\n<sub>%s</sub>\n", page.EscapeMarkdown(strings.Join(m.legend(shown, with), " ")))
		m.advice()
	})
}

// fold writes what is shown when the reader opens the title.
func (m *markdown) fold(title string, content func()) {
	fmt.Fprintf(&m.b, "\n<details><summary>%s</summary>\n\n", page.EscapeMarkdown(title))
	content()
	m.b.WriteString("\n</details>\n")
}

func (m *markdown) advice() {
	title, first := m.fixFirst()
	var list []string
	for _, i := range first {
		c := &m.r.Components[i]
		list = append(list, fmt.Sprintf("#%d %s%s. %s", c.Rank, m.names.components[i], where(c), c.Explanation))
	}
	m.items(title, list)
}

// remarks say how far the ranking can be trusted.
func (m *markdown) remarks() {
	m.fold("What it rests on", func() {
		for _, f := range m.facts() {
			m.item(f.Label + ": " + f.Text)
		}
		for _, line := range append([]string{m.unattributed(), m.probes()}, m.localization()...) {
			if line != "" {
				m.item(line)
			}
		}
		m.items("Notes:", wording.Texts(m.summary.Notes))
	})
}

func (m *markdown) tests() {
	if len(m.r.Tests) == 0 {
		m.b.WriteString("\nNo test ran.\n")
		return
	}
	shown := m.costliest()
	summary, rest, _ := strings.Cut(m.testCount(shown), ". ")
	m.fold(strings.TrimSuffix(summary, "."), func() {
		m.testTable(shown).Markdown(&m.b)
		if rest != "" {
			fmt.Fprintf(&m.b, "\n<sub>%s</sub>\n", page.EscapeMarkdown(rest))
		}
	})
}
