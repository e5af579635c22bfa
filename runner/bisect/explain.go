package bisect

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/runner/git"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/regularfile"
)

// explainRounds are the rounds of the two runs from which the function is found.
const explainRounds = 10

// explain finds the function that got dearer most from the parent to the commit, and the line.
func (m *meter) explain(ctx context.Context, r *bisection.Result, parent, commit string) error {
	var runs [2]*record.Run
	for i, hash := range []string{parent, commit} {
		run, err := m.measure(ctx, hash, explainRounds)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Explanation = firstLines(err.Error())
			return nil
		}
		ranking.Analyze(run, m.p.Measure.Analysis, m.p.Measure.IncludeFailed)
		runs[i] = run
	}
	c, err := comparison.Compare(runs[0], runs[1], comparison.Options{})
	if err != nil {
		r.Explanation = err.Error()
		return nil //nolint:nilerr // the commit is known; the result says why nothing else is
	}
	if r.Function = dearest(c); r.Function == nil {
		r.Explanation = "no function alone got dearer by more than two runs of the same code may differ"
		return nil
	}
	m.line(ctx, r.Function, runs, parent, commit)
	return nil
}

// dearest is the function whose cost grew most: significantly, or because it is new and costs more
// than any that grew.
func dearest(c *comparison.Comparison) (most *bisection.Function) {
	quantity, energy := bisection.Time, c.KnowsComponents()
	if energy {
		quantity = bisection.Energy
	}
	grown := 0.0
	for i := range c.Components {
		part := &c.Components[i]
		q := c.Decisive(part)
		if growth := q.Head - q.Base; q.Verdict == comparison.Worse && growth > grown {
			grown = growth
			most = &bisection.Function{ID: part.ID, File: part.File, Line: part.Line, Quantity: quantity, Base: q.Base, Head: q.Head, Change: q.Change, CI: q.ChangeCI}
		}
	}
	if c.DecisiveTotal().Verdict != comparison.Worse {
		return most
	}
	for _, part := range c.Added {
		cost := part.TimeMS
		if energy {
			cost = part.EnergyJ
		}
		if cost > grown {
			grown = cost
			most = &bisection.Function{ID: part.ID, File: part.File, Line: part.Line, Quantity: quantity, Head: cost, New: true}
		}
	}
	return most
}

// line finds the line of the function: the costliest of those that the commit changed, or else the
// one that grew most. The work tree is that of the commit.
func (m *meter) line(ctx context.Context, f *bisection.Function, runs [2]*record.Run, parent, commit string) {
	before, after := componentOf(runs[0], f.ID), componentOf(runs[1], f.ID)
	if after == nil || len(after.Lines) == 0 {
		return
	}
	root := filepath.Join(m.dir(), filepath.FromSlash(m.h.repo.Prefix), filepath.FromSlash(runs[1].Workspace.Root))
	file := filepath.Join(root, filepath.FromSlash(f.File))
	inTree, err := filepath.Rel(m.dir(), file)
	if err != nil {
		return
	}
	changed, err := git.ChangedLines(ctx, m.dir(), parent, commit, filepath.ToSlash(inTree))
	if err != nil {
		changed = nil // then the line that grew most is the best guess
	}
	line, found := chooseLine(before, after, changed)
	f.Costly = &bisection.CostlyLine{Line: line.Line, Share: line.TimeMS / after.TimeMS, Changed: found, Text: textOf(file, line.Line)}
}

// chooseLine returns a line of after, which has some. changed tells whether it is one of the lines.
func chooseLine(before, after *record.Component, lines []int) (line record.Line, changed bool) {
	for _, l := range after.Lines { // the costliest first
		if slices.Contains(lines, l.Line) {
			return l, true
		}
	}
	most, grown := after.Lines[0], 0.0
	if before == nil || before.Hash != after.Hash {
		return most, false
	}
	was := make(map[int]float64)
	moved := before.MovedTo(after.Line)
	for _, l := range moved.Lines {
		was[l.Line] = l.TimeMS
	}
	for _, l := range after.Lines {
		if growth := l.TimeMS - was[l.Line]; growth > grown {
			most, grown = l, growth
		}
	}
	return most, false
}

func componentOf(run *record.Run, id string) *record.Component {
	i := slices.IndexFunc(run.Components, func(c record.Component) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &run.Components[i]
}

// textOf is a line of a file without blanks at its ends; "" if there is none.
func textOf(file string, line int) string {
	text, err := regularfile.Read(file, regularfile.MaxSource)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}
