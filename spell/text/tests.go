package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/record"
)

// outcomes is the order in which outcomes are counted.
var outcomes = []record.Outcome{record.Pass, record.Fail, record.Crash, record.Timeout, record.Skip}

// tests writes the rows of the matrix; of many, the costliest.
func (p *page) tests() {
	p.b.WriteByte('\n')
	if len(p.r.Tests) == 0 {
		p.paragraph("", "No test ran.")
		return
	}
	t := table{columns: []column{{head: "test", cap: 60}, {head: "outcome"}, {head: "rounds", right: true}, {head: "time", right: true}}}
	if p.energy {
		t.columns = append(t.columns, column{head: p.est + "energy", right: true})
	}
	shown := p.costliest()
	for _, i := range shown {
		test := &p.r.Tests[i]
		row := []cell{{text: p.names.tests[test.Name]}, outcome(test), {text: executions(test)}, {text: duration(test.TimeMS)}}
		if p.energy {
			row = append(row, cell{text: quantity(test.EnergyJ.Total(), "J")})
		}
		t.add(row...)
	}
	t.write(&p.b, p.o.Color)
	p.paragraph("", p.testCount(shown))
}

func outcome(t *record.Test) cell {
	c := cell{text: string(t.Outcome) + mark(t.BelowResolution, " ~")}
	if t.Outcome != record.Pass && t.Outcome != record.Skip {
		c.color = red
	}
	return c
}

// executions is the number of rounds, times that of executions within a round.
func executions(t *record.Test) string {
	if t.Repeats <= 1 {
		return strconv.Itoa(t.Rounds)
	}
	return strconv.Itoa(t.Rounds) + " × " + strings.TrimSuffix(strconv.FormatFloat(t.Repeats, 'f', 1, 64), ".0")
}

// costliest returns the tests that are shown, in the order of the run.
func (p *page) costliest() []int {
	order := make([]int, len(p.r.Tests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &p.r.Tests[i], &p.r.Tests[j]
		return cmp.Or(cmp.Compare(b.EnergyJ.Total(), a.EnergyJ.Total()), cmp.Compare(b.TimeMS, a.TimeMS))
	})
	order = order[:p.limit(len(order))]
	slices.Sort(order)
	return order
}

// testCount says how many tests ended how; time and energy of the table are
// per round.
func (p *page) testCount(shown []int) string {
	count := map[record.Outcome]int{}
	for i := range p.r.Tests {
		count[p.r.Tests[i].Outcome]++
	}
	var parts []string
	for _, o := range outcomes {
		if count[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[o], o))
		}
	}
	text := fmt.Sprintf("%s: %s.", plural(len(p.r.Tests), "test"), strings.Join(parts, ", "))
	if len(shown) < len(p.r.Tests) {
		text += fmt.Sprintf(" Shown are the %d that cost most.", len(shown))
	}
	has := func(set func(*record.Test) bool) bool {
		return slices.ContainsFunc(shown, func(i int) bool { return set(&p.r.Tests[i]) })
	}
	return text +
		mark(has(func(t *record.Test) bool { return t.Repeats > 1 }), " × is how often a test was executed within a round.") +
		mark(has(func(t *record.Test) bool { return t.BelowResolution }), " ~ is below resolution: too short for the meter.")
}

// notPassed names the tests that did not pass, why, and whether they count.
func (p *page) notPassed() {
	var failed []*record.Test
	for i := range p.r.Tests {
		if t := &p.r.Tests[i]; t.Outcome != record.Pass && t.Outcome != record.Skip {
			failed = append(failed, t)
		}
	}
	if len(failed) == 0 {
		return
	}
	title := "Left out of the ranking, as they did not pass:"
	if p.o.IncludeFailed {
		title = "Counted in the ranking although they did not pass:"
	}
	p.b.WriteString("\n" + title + "\n")
	shown := p.limit(len(failed))
	for _, t := range failed[:shown] {
		p.paragraph("  - ", p.names.tests[t.Name]+" ("+string(t.Outcome)+")"+reason(t.Output))
	}
	if more := len(failed) - shown; more > 0 {
		p.paragraph("  - ", "and "+plural(more, "other"))
	}
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
