package bisect

import (
	"cmp"
	"context"
	"fmt"
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

// explainTurns are as many turns as are needed for the function.
const explainTurns = 5

// explain finds the function whose cost grew most from the parent to the commit, and the line. Turns
// that are missing, since their rounds are those of an earlier start, are measured.
func (m *meter) explain(ctx context.Context, r *bisection.Result, parent, commit string) error {
	list, err := m.takeTurns(ctx, parent, commit)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.Explanation = firstLines(err.Error())
		return nil
	}
	last := list[len(list)-1]
	for _, run := range last {
		ranking.Analyze(run, m.p.Measure.Analysis, m.p.Measure.IncludeFailed)
	}
	c, err := comparison.Compare(last[0], last[1], comparison.Options{})
	if err != nil {
		r.Explanation = err.Error()
		return nil //nolint:nilerr // the commit is known; the result says why nothing else is
	}
	var baseID string
	if r.Function, baseID = dearest(c, list); r.Function == nil {
		r.Explanation = fmt.Sprintf("no function of the measured packages alone became more expensive beyond chance in %d turns of the two commits", len(list))
		return nil
	}
	if err := git.Checkout(ctx, m.dir(), commit); err != nil {
		return ctx.Err() // the line is not told without its text
	}
	m.line(ctx, r.Function, baseID, list, parent, commit)
	return nil
}

// takeTurns has turns of two commits: those that were measured to compare them, or others.
func (m *meter) takeTurns(ctx context.Context, parent, commit string) ([]turn, error) {
	if m.p.Turns != nil {
		return m.turnsOnNodes(ctx, parent, commit)
	}
	for len(m.turns.of(parent, commit)) < explainTurns {
		order := []string{parent, commit}
		if len(m.turns.of(parent, commit))%2 == 1 {
			slices.Reverse(order)
		}
		var runs []*record.Run
		for _, hash := range order {
			run, err := m.measure(ctx, hash, bisection.BlockRounds)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
		m.turns.add(order, runs)
	}
	return m.turns.of(parent, commit), nil
}

// leastShare is the part of all energy or time from which on a function may be the one.
const leastShare = 0.005

// dearest is the function whose cost grew most: beyond chance, or because it is new and costs more
// than any that grew. c has the functions, the turns what they cost. baseID is its ID in the parent.
func dearest(c *comparison.Comparison, list []turn) (most *bisection.Function, baseID string) {
	quantity, energy := bisection.Time, c.KnowsComponents()
	if energy {
		quantity = bisection.Energy
	}
	total := c.DecisiveTotal()
	tested := slices.DeleteFunc(slices.Clone(c.Components), func(part comparison.Component) bool {
		q := c.Decisive(&part)
		return part.BelowResolution || max(q.Base, q.Head) < leastShare*max(total.Base, total.Head)
	})
	grown := 0.0
	for i := range tested {
		part := &tested[i]
		id := cmp.Or(part.BaseID, part.ID)
		growth, sure := bisection.Grown(costs(list, 0, id, energy), costs(list, 1, part.ID, energy), len(tested))
		if by := growth.Head - growth.Base; sure && by > grown {
			grown, baseID = by, id
			most = &bisection.Function{ID: part.ID, File: part.File, Line: part.Line, Quantity: quantity, Base: growth.Base, Head: growth.Head, Change: growth.Change, CI: growth.CI}
		}
	}
	for _, part := range c.Added {
		if cost := mean(costs(list, 1, part.ID, energy)); cost > max(grown, leastShare*total.Head) {
			grown, baseID = cost, ""
			most = &bisection.Function{ID: part.ID, File: part.File, Line: part.Line, Quantity: quantity, Head: cost, New: true}
		}
	}
	return most, baseID
}

// costs are the self energy or time of a function in each turn, per round; 0 where it did not run.
func costs(list []turn, of int, id string, energy bool) (values []float64) {
	for _, t := range list {
		value := 0.0
		if c := componentOf(t[of], id); c != nil && energy {
			value = c.EnergyJ.Total()
		} else if c != nil {
			value = c.TimeMS
		}
		values = append(values, value)
	}
	return values
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// line finds the line of the function: the costliest of those that the commit changed, or else the
// one that grew most. The work tree is that of the commit.
func (m *meter) line(ctx context.Context, f *bisection.Function, baseID string, list []turn, parent, commit string) {
	before, after := withLines(list, 0, baseID), withLines(list, 1, f.ID)
	if after == nil || len(after.Lines) == 0 {
		return
	}
	root := filepath.Join(m.dir(), filepath.FromSlash(m.h.repo.Prefix), filepath.FromSlash(list[0][1].Workspace.Root))
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
