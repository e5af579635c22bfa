package lsp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

const (
	// maxTests is how many tests a hover lists; a program may have thousands.
	maxTests = 10
	// maxParts is how many callers and callees it lists.
	maxParts = 5
)

// hover explains the measured component on whose name, where it is declared,
// the mouse rests.
func (s *session) hover(raw jsonrpc2.RawMessage) (work, error) {
	params, err := decode[protocol.HoverParams](raw)
	if err != nil {
		return nil, err
	}
	path, err := s.pathOf(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	markdown := s.client.capable(func(c *capabilities) *bool { return &c.markdown })
	return func(context.Context) (any, error) {
		v := s.views.of(path)
		if v == nil {
			return nil, nil
		}
		m := v.named(v.source.Mapper().Offset(params.Position))
		if m == nil {
			return nil, nil
		}
		span := v.source.Mapper().Span(m.From, m.To)
		return &protocol.Hover{Contents: m.explain(markdown, time.Now()), Range: &span}, nil
	}, nil
}

// named finds the component whose name is at an offset, the one with the
// shortest if there are several, or nil.
func (v *view) named(at int) *mark {
	var found *mark
	for _, m := range v.visible() {
		if m.From <= at && at <= m.To && (found == nil || m.To-m.From < found.To-found.From) {
			found = m
		}
	}
	return found
}

func (m *mark) explain(markdown bool, now time.Time) *protocol.MarkupContent {
	c, run := m.of(), m.result.run
	t := text{markdown: markdown}
	t.add(fmt.Sprintf("%s: #%d of %d, psi %s, %s", t.name(c.ID), c.Rank, len(run.Components), share(c.Psi), c.Zone))
	if m.renamed() {
		t.add(t.words("That is what it was called when it was measured."))
	}
	if m.stale {
		t.add(t.strong("M" + staleness[1:] + ": the " + m.what() + " has changed since, these values are of what it was."))
	}
	t.add(t.words(c.Explanation))
	t.table([]string{"", "energy", "time"}, m.used())
	t.add(t.words(m.figures()))
	t.add(t.words(m.explained()))
	t.add(m.parts(&t, "Called by", m.result.callers(m.component)))
	t.add(m.parts(&t, "Calls", m.result.callees(m.component)))
	t.table([]string{"test", "energy", "calls", "time"}, m.tests(&t))
	t.add(t.words(m.childProcesses()))
	t.add(t.words(strings.Join(wording.Texts(run.DomainNotes()), " ")))
	t.add(t.words(m.result.origin(now)))
	return t.content()
}

// what names what is stale: of a component that is known by its line, the file.
func (m *mark) what() string {
	c := m.of()
	if c.Kind == spell.KindFunction && !m.goFunction() {
		return string(spell.KindFile)
	}
	return string(c.Kind)
}

// used are the rows of self and cumulative values. The latter are known of
// functions only, and not from every file.
func (m *mark) used() [][]string {
	c := m.counted()
	rows := [][]string{{"self", m.result.joules(c.EnergyJ), units.Duration(c.TimeMS)}}
	if c.Kind != spell.KindFunction || c.CumTimeMS == 0 && c.CumEnergyJ.Total() == 0 {
		return rows
	}
	return append(rows, []string{"with callees", m.result.joules(c.CumEnergyJ), units.Duration(c.CumTimeMS)})
}

// figures is one line of numbers that stand in no table.
func (m *mark) figures() string {
	c := m.counted()
	parts := []string{m.result.similarities(c.Phi), plural(c.N, "call")}
	if c.EPIJ > 0 {
		parts = append(parts, m.result.perCall(c))
	}
	parts = append(parts, m.intervals()...)
	if c.BelowResolution {
		parts = append(parts, unresolved+" of the meter")
	}
	return strings.Join(parts, ", ")
}

// intervals says how well energy, psi and rank are known.
func (m *mark) intervals() []string {
	c := m.counted()
	var parts []string
	for _, d := range m.result.run.Matrix.Domains {
		if ci, ok := c.EnergyCI[d]; ok && ci[1] > 0 {
			parts = append(parts, fmt.Sprintf("energy of %s %s to %s (95 %%)", d, units.Quantity(ci[0], "J"), m.result.energy(ci[1])))
		}
	}
	if c.PsiCI[1] > 0 {
		parts = append(parts, fmt.Sprintf("psi %s to %s (95 %%)", share(c.PsiCI[0]), share(c.PsiCI[1])))
	}
	if c.RankCI[1] > c.RankCI[0] {
		parts = append(parts, fmt.Sprintf("rank %d to %d (95 %%)", c.RankCI[0], c.RankCI[1]))
	}
	if c.Tied {
		parts = append(parts, "tied with a neighbour in the ranking")
	}
	return parts
}

// parts is a sentence that lists callers or callees with their shares.
func (m *mark) parts(in *text, verb string, list []part) string {
	if len(list) == 0 {
		return ""
	}
	var named []string
	for _, p := range list[:min(len(list), maxParts)] {
		name := in.words("tests and what is not measured")
		if p.component >= 0 {
			name = in.name(m.result.run.Components[p.component].ID)
		}
		named = append(named, name+" "+in.words(percent(p.share)))
	}
	if more := len(list) - maxParts; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%s: %s (of its %s with callees).", verb, strings.Join(named, ", "), m.result.spent())
}

// tests lists the tests that ran the function, those in which it used most
// first.
func (m *mark) tests(in *text) [][]string {
	run := m.result.run
	cells := m.result.cells[m.component]
	var rows [][]string
	for _, cell := range largest(cells, maxTests, m.result.mostUsed) {
		c := &run.Matrix.Cells[cell]
		t := &run.Tests[c.Test]
		name := in.name(t.Name)
		if t.Outcome != record.Pass {
			name += " (" + string(t.Outcome) + ")"
		}
		rows = append(rows, []string{name, m.result.joules(run.Matrix.Energy(cell)), count(c.N), units.Duration(c.TimeMS)})
	}
	if more := len(cells) - maxTests; more > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more", more), "", "", ""})
	}
	return rows
}

// childProcesses reports the CPU time and energy of child processes in the component's
// tests, when they reach 5 % of those tests' total: the component may have started them.
func (m *mark) childProcesses() string {
	const least = 0.05
	run := m.result.run
	var joules, ms, allJoules, allMS float64
	for _, cell := range m.result.cells[m.component] {
		t := &run.Tests[run.Matrix.Cells[cell].Test]
		part := t.Unattributed[record.Children]
		joules, ms = joules+part.EnergyJ.Total(), ms+part.TimeMS
		allJoules, allMS = allJoules+t.EnergyJ.Total(), allMS+t.TimeMS
	}
	much := allJoules > 0 && joules >= least*allJoules || ms >= least*allMS
	if ms == 0 || !much {
		return ""
	}
	used := units.Quantity(ms/1000, "s") + " of CPU time"
	if m.result.knowsEnergy() {
		used = m.result.energy(joules) + " in " + used
	}
	return "Child processes of these tests used " + used + ", which is in no function."
}

// mostUsed orders cells of the matrix by what was used.
func (r *result) mostUsed(a, b int) int {
	m := &r.run.Matrix
	x, y := &m.Cells[a], &m.Cells[b]
	return cmp.Or(
		cmp.Compare(m.TotalJ(b), m.TotalJ(a)), cmp.Compare(y.TimeMS, x.TimeMS),
		cmp.Compare(r.run.Tests[x.Test].Name, r.run.Tests[y.Test].Name))
}

// origin says where the numbers come from, and how old they are.
func (r *result) origin(now time.Time) string {
	run := r.run
	text := fmt.Sprintf("Meter %s, %s%s", run.Meter.Name, run.Meter.Source, record.Elsewhere(run.Meter.Root))
	switch {
	case run.Meter.Source == record.NoEnergy:
		text = "No energy meter: the ranking rests on calls and running time"
	case run.Meter.Origin() == "":
		text = "Energy of a file that does not say whether it was measured or estimated"
	case run.Meter.OfMatrix():
		text = fmt.Sprintf("Energy of a file, %s as it says", run.Meter.Source)
	}
	verb := "read"
	if !run.Meter.OfMatrix() {
		text += "; mean of " + plural(float64(run.Rounds), "round")
		verb = "measured"
	}
	if !run.Started.IsZero() {
		text += fmt.Sprintf(", %s %s%s", verb, run.Started.UTC().Format("2006-01-02 15:04 UTC"), ago(now.Sub(run.Started)))
	}
	if run.Partial {
		text += "; interrupted, so not complete"
	}
	return text + "."
}
