package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell/record"
)

// maxTests is how many tests a hover lists; a program may have thousands.
const maxTests = 10

// hover explains the measured function on whose name, where it is declared,
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
	s.mu.Lock()
	markdown := s.can.markdown
	s.mu.Unlock()
	return func(context.Context) (any, error) {
		v := s.view(path)
		if v == nil {
			return nil, nil
		}
		at := v.source.mapper().offset(params.Position)
		for i := range v.marks {
			m := &v.marks[i]
			if at < m.from || at > m.to {
				continue
			}
			span := v.source.mapper().span(m.from, m.to)
			return &protocol.Hover{Contents: m.explain(markdown), Range: &span}, nil
		}
		return nil, nil
	}, nil
}

func (m *mark) explain(markdown bool) *protocol.MarkupContent {
	c, run := m.of(), m.result.run
	t := text{markdown: markdown}
	t.add(fmt.Sprintf("%s: #%d of %d, psi %s, %s", t.name(c.ID), c.Rank, len(run.Components), share(c.Psi), c.Zone))
	if m.stale {
		t.add(t.strong("M" + staleness[1:] + ": the function has changed since, these values are of its former body."))
	}
	t.add(t.words(c.Explanation))
	t.table([]string{"", "energy", "time"}, [][]string{
		{"self", m.result.joules(c.EnergyJ), quantity(c.TimeMS/1000, "s")},
		{"with callees", m.result.joules(c.CumEnergyJ), quantity(c.CumTimeMS/1000, "s")},
	})
	t.add(t.words(m.figures()))
	t.table([]string{"test", "energy", "calls", "time"}, m.tests(&t))
	t.add(t.words(m.result.origin()))
	return t.content()
}

// figures is one line of numbers that stand in no table.
func (m *mark) figures() string {
	c := m.of()
	parts := []string{m.result.similarities(c.Phi), plural(c.N, "call")}
	if c.EPIJ > 0 {
		parts = append(parts, m.result.perCall(c))
	}
	if c.PsiCI[1] > 0 {
		interval := fmt.Sprintf("psi %s to %s (95 %%)", share(c.PsiCI[0]), share(c.PsiCI[1]))
		if c.Tied {
			interval += ", tied with a neighbour in the ranking"
		}
		parts = append(parts, interval)
	}
	if c.BelowResolution {
		parts = append(parts, unresolved+" of the meter")
	}
	return strings.Join(parts, ", ")
}

// tests lists the tests that ran the function, those in which it used most
// first.
func (m *mark) tests(in *text) [][]string {
	run := m.result.run
	cells := slices.Clone(m.result.cells[m.component])
	slices.SortFunc(cells, func(a, b int) int {
		x, y := &run.Matrix.Cells[a], &run.Matrix.Cells[b]
		return cmp.Or(
			cmp.Compare(run.Matrix.TotalJ(b), run.Matrix.TotalJ(a)), cmp.Compare(y.TimeMS, x.TimeMS),
			cmp.Compare(run.Tests[x.Test].Name, run.Tests[y.Test].Name))
	})
	var rows [][]string
	for i, cell := range cells {
		if i == maxTests {
			rows = append(rows, []string{fmt.Sprintf("and %d more", len(cells)-maxTests), "", "", ""})
			break
		}
		c := &run.Matrix.Cells[cell]
		t := &run.Tests[c.Test]
		name := in.name(t.Name)
		if t.Outcome != record.Pass {
			name += " (" + string(t.Outcome) + ")"
		}
		rows = append(rows, []string{name, m.result.joules(run.Matrix.Energy(cell)), count(c.N), quantity(c.TimeMS/1000, "s")})
	}
	return rows
}

// origin says where the numbers come from.
func (r *result) origin() string {
	run := r.run
	text := fmt.Sprintf("Meter %s, %s", run.Meter.Name, run.Meter.Source)
	if run.Meter.Source == record.NoEnergy {
		text = "No energy meter: the ranking rests on calls and running time"
	}
	text += fmt.Sprintf("; mean of %s, measured %s", plural(float64(run.Rounds), "round"), run.Started.UTC().Format("2006-01-02 15:04 UTC"))
	if run.Partial {
		text += "; interrupted, so not complete"
	}
	return text + "."
}
