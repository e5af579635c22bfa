package text

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// outcomes is the order in which outcomes are counted.
var outcomes = []record.Outcome{record.Pass, record.Fail, record.Crash, record.Timeout, record.Skip}

// tests writes the rows of the matrix; of many, the costliest.
func (p *sheet) tests() {
	p.b.WriteByte('\n')
	if len(p.r.Tests) == 0 {
		p.paragraph("", "No test ran.")
		return
	}
	shown := p.costliest()
	p.testTable(shown).Write(&p.b, p.o.Color)
	p.paragraph("", p.testCount(shown))
}

func (p *sheet) testTable(shown []int) *page.Table {
	t := &page.Table{Columns: []page.Column{{Head: p.rowWord, Cap: 60}, {Head: "outcome"}, {Head: "rounds", Right: true}, {Head: "time", Right: true}}}
	if p.energy {
		t.Columns = append(t.Columns, page.Column{Head: p.est + "energy", Right: true})
	}
	for _, i := range shown {
		test := &p.r.Tests[i]
		row := []page.Cell{{Text: p.names.tests[test.Name]}, outcome(test), {Text: executions(test)}, {Text: units.Duration(test.TimeMS)}}
		if p.energy {
			row = append(row, page.Cell{Text: units.Quantity(test.EnergyJ.Total(), "J")})
		}
		t.Add(row...)
	}
	return t
}

func outcome(t *record.Test) page.Cell {
	c := page.Cell{Text: ended(t) + mark(t.BelowResolution, " ~")}
	if t.Outcome != record.Pass && t.Outcome != record.Skip {
		c.Color = page.Red
	}
	return c
}

// ended is the outcome, with the exit code of a program if it is not 0.
func ended(t *record.Test) string {
	if t.ExitCode == nil || *t.ExitCode == 0 {
		return string(t.Outcome)
	}
	return fmt.Sprintf("%s, exit code %d", t.Outcome, *t.ExitCode)
}

// executions is the number of rounds, times that of executions, or operations, within a round.
func executions(t *record.Test) string {
	if t.Repeats <= 1 {
		return strconv.Itoa(t.Rounds)
	}
	return strconv.Itoa(t.Rounds) + " × " + units.Count(math.Round(t.Repeats*10)/10)
}

// costliest returns the tests that are shown, the costliest first.
func (p *sheet) costliest() []int {
	order := make([]int, len(p.r.Tests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &p.r.Tests[i], &p.r.Tests[j]
		return cmp.Or(cmp.Compare(b.EnergyJ.Total(), a.EnergyJ.Total()), cmp.Compare(b.TimeMS, a.TimeMS))
	})
	return order[:p.limit(len(order))]
}

// testCount says how many tests ended how; time and energy of the table are
// per round.
func (p *sheet) testCount(shown []int) string {
	count := map[record.Outcome]int{}
	for i := range p.r.Tests {
		count[p.r.Tests[i].Outcome]++
	}
	var parts []string
	for _, o := range outcomes {
		if count[o] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", units.Count(count[o]), o))
		}
	}
	text := fmt.Sprintf("%s: %s.", units.Plural(len(p.r.Tests), p.rowWord), strings.Join(parts, ", "))
	if len(shown) < len(p.r.Tests) {
		text += " Only those that cost most are shown, " + units.Count(len(shown)) + "."
	}
	has := func(set func(*record.Test) bool) bool {
		return slices.ContainsFunc(shown, func(i int) bool { return set(&p.r.Tests[i]) })
	}
	return text +
		mark(has(func(t *record.Test) bool { return t.Repeats > 1 }), " × is how often a "+p.rowWord+" was executed within a round.") +
		mark(has(func(t *record.Test) bool { return t.PerOperation }), " Values of a benchmark are those of one operation, and × is how many it did within a round.") +
		mark(has(func(t *record.Test) bool { return t.BelowResolution }), " ~ is below resolution: too short for the meter, so its energy is too uncertain to rely on.")
}

// notPassed names the tests that did not pass, why, and whether they count.
func (p *sheet) notPassed() {
	title, list := p.failed(p.limit(len(p.r.Tests)))
	p.list(title, list)
}

// failed lists the first of the tests that did not pass, each with the reason.
func (p *sheet) failed(most int) (title string, list []string) {
	var failed []*record.Test
	for i := range p.r.Tests {
		if t := &p.r.Tests[i]; t.Outcome != record.Pass && t.Outcome != record.Skip {
			failed = append(failed, t)
		}
	}
	title = "Left out of the ranking, as they did not pass:"
	if p.a.IncludeFailed {
		title = "Counted in the ranking although they did not pass:"
	}
	shown := min(most, len(failed))
	for _, t := range failed[:shown] {
		list = append(list, p.names.tests[t.Name]+" ("+ended(t)+")"+reason(t.Output))
	}
	if more := len(failed) - shown; more > 0 {
		list = append(list, "and "+units.Plural(more, "other"))
	}
	return title, list
}

// reason is the first thing that a test printed under its name, or the panic
// that ended it.
func reason(output string) string {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--- ") {
			return ": " + line
		}
	}
	return ""
}
