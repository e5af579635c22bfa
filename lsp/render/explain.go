package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calmness"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

const (
	// maxTests is how many tests a hover lists; a program may have thousands.
	maxTests = 10
	// maxCallShares is how many callers and callees it lists.
	maxCallShares = 5
)

// HoverOptions say how a client shows a hover. The zero value is plain text on its own.
type HoverOptions struct {
	Markdown bool
	// SpacedTables is for a client that renders tables without a gap between the columns.
	SpacedTables bool
	// DiagnosticsShown says that the client shows the diagnostics of the place above the hover:
	// the hover does not repeat them.
	DiagnosticsShown bool
}

// Hover explains a component of a view: its rank, its cost and the reason, its energy and time, its
// bytes, callers, callees with and without a probe, lines and tests, and the origin of the numbers.
func Hover(v *view.View, m *view.Mark, o HoverOptions, now time.Time) *protocol.MarkupContent {
	c, run := m.Component(), m.Result.Run
	editor := wording.Editor(results.TheBaseline)
	t := text{markdown: o.Markdown, spaced: o.SpacedTables}
	t.add(t.name(c.ID) + t.words(fmt.Sprintf(": #%d of %d, %s. %s", c.Rank, len(run.Components), c.Zone, Used(m.Result, m.Counted())+".")))
	for _, n := range m.Notes() {
		t.add(since(m, &t, n))
	}
	if _, diagnosed := severities[Level(m)]; !diagnosed || !o.DiagnosticsShown {
		t.add(t.words(c.Explanation))
	}
	t.addAdvice(v, m)
	t.add(t.words(budgetLine(m)))
	t.table([]string{"", "energy", "time"}, usedRows(m))
	t.add(t.words(figures(m)))
	t.add(t.words(growths(m)))
	t.add(t.words(wording.Moved(c.ReadBytes, c.WrittenBytes, c.ReceivedBytes, c.SentBytes)))
	t.add(t.words(allocates(m)))
	t.add(t.words(explainedChange(m)))
	t.add(callShares(m, &t, "Called by", m.Result.Callers(m.Index)))
	t.add(callShares(m, &t, "Calls", m.Result.Callees(m.Index)))
	t.add(underCallers(m, &t))
	t.add(t.words(unmeasuredCallees(m.Component())))
	t.table([]string{"line", "self time", "energy", "mostly in"}, lineRows(v, m, &t))
	t.table([]string{"test", "energy", "calls", "time"}, testRows(m, &t))
	t.add(t.words(besides(m, record.Children, "Child processes of these tests")))
	t.add(t.words(besides(m, record.Strays, "Goroutines of ended tests")))
	t.add(t.words(strings.Join(editor.Texts(run.DomainNotes()), " ")))
	t.add(t.words(origin(m.Result, now)))
	if line := calmness.Text(run); line != "" {
		t.add(t.words("Calmness: " + line + "."))
	}
	return t.content()
}

// Used says what a component used in the tests that count: its share, where that is one number,
// the amount and the calls.
func Used(r *results.Result, c *record.Component) string {
	var parts []string
	switch domains := r.Run.Matrix.Domains; {
	case !r.KnowsEnergy():
		parts = append(parts, share(c.Phi["time"])+" of the running time", units.Duration(c.TimeMS))
	case len(domains) == 1:
		parts = append(parts, share(c.Phi[string(domains[0])])+" of the energy", Joules(r, c.EnergyJ))
	default:
		parts = append(parts, Joules(r, c.EnergyJ))
	}
	if r.Run.CallsCounted() {
		parts = append(parts, units.Plural(c.N, "call"))
	}
	return strings.Join(parts, ", ")
}

// since returns a paragraph that says how the component changed since it was measured.
func since(m *view.Mark, in *text, n note.Note) string {
	if n.Code == note.BodyEditedCode {
		return in.strong(wording.Upper(wording.Text(n)) + ": the " + staleSubject(m) + " has changed since, these values are for the old code.")
	}
	return in.words(wording.CommandLine.Sentence(n))
}

// staleSubject names what has changed: the file, if the component is known by its line.
func staleSubject(m *view.Mark) string {
	c := m.Component()
	if c.Kind == spell.KindFunction && !m.IsGoFunction() || c.Kind.AcrossFunctions() {
		return string(spell.KindFile)
	}
	return string(c.Kind)
}

// usedRows returns the rows of self and cumulative values. Cumulative values are known only for
// functions, and not from the files of every tool.
func usedRows(m *view.Mark) [][]string {
	c := m.Counted()
	rows := [][]string{{"self", Joules(m.Result, c.EnergyJ), units.Duration(c.TimeMS)}}
	if c.Kind != spell.KindFunction || c.CumTimeMS == 0 && c.CumEnergyJ.Total() == 0 {
		return rows
	}
	return append(rows, []string{"with callees", Joules(m.Result, c.CumEnergyJ), units.Duration(c.CumTimeMS)})
}

// figures returns the line of the numbers that are in no table.
func figures(m *view.Mark) string {
	c := m.Counted()
	parts := []string{"psi " + units.Similarity(c.Psi), similarities(m.Result, c.Phi)}
	if c.EPIJ > 0 {
		parts = append(parts, perCall(m.Result, c))
	}
	parts = append(parts, power(m)...)
	parts = append(parts, intervals(m)...)
	if c.BelowResolution {
		parts = append(parts, unresolved+" of the meter")
	}
	return strings.Join(parts, ", ")
}

// power is what the component draws while it runs, where components differ in that.
func power(m *view.Mark) []string {
	powers := m.Result.Powers()
	if powers == nil || powers[m.Index].Watts == 0 {
		return nil
	}
	p := powers[m.Index]
	text := units.Quantity(p.Watts, "W") + " while it runs"
	if p.High > 0 {
		text += fmt.Sprintf(" (%s to %s, 95 %%)", units.Quantity(p.Low, "W"), units.Quantity(p.High, "W"))
	}
	return []string{text + fmt.Sprintf(", %s times the program's mean", units.Factor(p.Ratio))}
}

// intervals says how well energy, psi and rank are known.
func intervals(m *view.Mark) []string {
	c := m.Counted()
	var parts []string
	for _, d := range m.Result.Run.Matrix.Domains {
		if ci, ok := c.EnergyCI[d]; ok && ci[1] > 0 {
			parts = append(parts, fmt.Sprintf("energy of %s %s to %s (95 %%)", d, units.Quantity(ci[0], "J"), Energy(m.Result, ci[1])))
		}
	}
	if c.PsiCI[1] > 0 {
		parts = append(parts, fmt.Sprintf("psi %s to %s (95 %%)", units.Similarity(c.PsiCI[0]), units.Similarity(c.PsiCI[1])))
	}
	if c.RankCI[1] > c.RankCI[0] {
		parts = append(parts, fmt.Sprintf("rank %d to %d (95 %%)", c.RankCI[0], c.RankCI[1]))
	}
	if c.Tied {
		parts = append(parts, "tied with a neighbour in the ranking")
	}
	return parts
}

// unmeasuredCallees returns a sentence that lists the callees without a probe with their shares
// of the component's own time.
func unmeasuredCallees(c *record.Component) string {
	if len(c.Callees) == 0 || c.TimeMS == 0 {
		return ""
	}
	return fmt.Sprintf("Self time in callees that are not measured: %s.", wording.Callees(ranking.Callees(c.Callees, c.TimeMS)))
}

// testRows returns the tests that ran the component, the costliest first.
func testRows(m *view.Mark, in *text) [][]string {
	run := m.Result.Run
	cells := m.Result.Cells(m.Index)
	var rows [][]string
	for _, cell := range largest(cells, maxTests, func(a, b int) int { return mostUsed(m.Result, a, b) }) {
		c := &run.Matrix.Cells[cell]
		t := &run.Tests[c.Test]
		name := in.name(t.Name)
		if t.PerOperation {
			name += ", per operation"
		}
		if t.Outcome != record.Pass {
			name += " (" + string(t.Outcome) + ")"
		}
		rows = append(rows, []string{name, Joules(m.Result, run.Matrix.Energy(cell)), callsIn(run, c), units.Duration(c.TimeMS)})
	}
	if more := len(cells) - maxTests; more > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more", more), "", "", ""})
	}
	return rows
}

// callsIn is how often a component ran in a test; nothing where that was not counted.
func callsIn(r *record.Run, c *spell.Cell) string {
	if !r.CallsCounted() {
		return ""
	}
	return units.Count(c.N)
}

// besides reports the CPU time and energy of a part of the component's tests that belongs to
// no component, when it reaches 5 % of those tests' total.
func besides(m *view.Mark, name record.Part, subject string) string {
	const minShare = 0.05
	run := m.Result.Run
	var joules, ms, allJoules, allMS float64
	for _, cell := range m.Result.Cells(m.Index) {
		t := &run.Tests[run.Matrix.Cells[cell].Test]
		part := t.Unattributed[name]
		joules, ms = joules+part.EnergyJ.Total(), ms+part.TimeMS
		allJoules, allMS = allJoules+t.EnergyJ.Total(), allMS+t.TimeMS
	}
	much := allJoules > 0 && joules >= minShare*allJoules || ms >= minShare*allMS
	if ms == 0 || !much {
		return ""
	}
	used := units.Duration(ms) + " of CPU time"
	if m.Result.KnowsEnergy() {
		used = Energy(m.Result, joules) + " in " + used
	}
	return subject + " used " + used + ", which is in no function."
}

// mostUsed orders cells of the matrix by energy or time, the largest first.
func mostUsed(r *results.Result, a, b int) int {
	m := &r.Run.Matrix
	x, y := &m.Cells[a], &m.Cells[b]
	return cmp.Or(
		cmp.Compare(m.TotalJ(b), m.TotalJ(a)), cmp.Compare(y.TimeMS, x.TimeMS),
		cmp.Compare(r.Run.Tests[x.Test].Name, r.Run.Tests[y.Test].Name))
}

// origin says where the numbers come from, and how old they are.
func origin(r *results.Result, now time.Time) string {
	run := r.Run
	text := fmt.Sprintf("Meter %s, %s%s", run.Meter.Name, run.Meter.Source, wording.CounterRoot(run.Meter.Root))
	switch {
	case run.Meter.Source == record.NoEnergy:
		text = "No energy meter: only calls and running time are known"
	case run.Meter.Origin() == "":
		text = "Energy of a file that does not say whether it was measured or estimated"
	case run.Meter.OfMatrix():
		text = fmt.Sprintf("Energy of a file, %s as it says", run.Meter.Source)
	}
	verb := "read"
	if !run.Meter.OfMatrix() {
		text += "; mean of " + units.Plural(run.Rounds, "round") + On(run)
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

// On is " on lab" for a run that the user's machine lab measured; "" for one of the machine that built it.
func On(run *record.Run) string {
	if name, _ := run.Settings["machine"].(string); name != "" {
		return " on " + name
	}
	return ""
}

// largest returns the first n elements of list in the order of compare, without sorting all of it.
func largest[T any](list []T, n int, compare func(a, b T) int) []T {
	var first []T
	for _, x := range list {
		if len(first) == n && compare(first[n-1], x) <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, x, func(a, b T) int {
			if compare(a, b) <= 0 {
				return -1
			}
			return 1
		})
		if first = slices.Insert(first, at, x); len(first) > n {
			first = first[:n]
		}
	}
	return first
}
