package text

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// localization says how well the tests tell components apart: a sentence, and the groups of
// components that they cannot tell apart.
func (p *sheet) localization() []string {
	m := p.r.SpellMatrix(p.a.IncludeFailed)
	if len(m.Cells) == 0 || len(m.Components) < 2 || p.rowWord == record.ProgramRow { // nothing to tell apart, or nothing that could
		return nil
	}
	component := func(i int) string { return p.names.components[i] }
	test := func(i int) string { return p.names.tests[m.Tests[i]] }
	return wording.TestSuite(p.rowWord, spell.Diagnose(m), component, test, min(p.limit(mostGroups), mostGroups))
}

// mostGroups is how many ambiguity groups a page shows.
const mostGroups = 5

// unattributed says how much energy of the tests in the analysis is not attributed.
func (p *sheet) unattributed() string {
	if !p.energy || p.r.Meter.OfMatrix() {
		return ""
	}
	parts, left, all := p.r.Unattributed()
	switch {
	case left == 0 && all == 0:
		return ""
	case left == 0:
		return fmt.Sprintf("Not attributed: nothing of the %s%s per round.", p.est, units.Quantity(all, "J"))
	}
	return fmt.Sprintf("Not attributed: %s%s per round, %s %% of the %s of %s. It belongs to no component: %s.",
		p.est, units.Quantity(left, "J"), units.Percent(left/max(left, all)), units.Quantity(all, "J"), wording.TheseRows(p.rowWord), p.made(parts))
}

// made lists the parts of unattributed energy, the largest first.
func (p *sheet) made(parts map[record.Part]float64) string {
	if len(parts) == 0 {
		return "idle machine, other processes, the Go runtime, the test framework, the tests' own code, the probes"
	}
	names := slices.SortedFunc(maps.Keys(parts), func(a, b record.Part) int {
		return cmp.Or(cmp.Compare(parts[b], parts[a]), cmp.Compare(a, b))
	})
	var list []string
	for _, name := range names {
		if parts[name] > 0 {
			list = append(list, fmt.Sprintf("%s %s%s", name, p.est, units.Quantity(parts[name], "J")))
		}
	}
	return strings.Join(list, ", ")
}

// probes says how much of the tests' time the probes took, which is in no component.
func (p *sheet) probes() string {
	var took, all float64
	for i := range p.r.Tests {
		took += p.r.Tests[i].ProbeMS
		all += p.r.Tests[i].TimeMS
	}
	if took == 0 {
		return ""
	}
	return fmt.Sprintf("The probes took %s of the %s that the %s ran for, %s %%; they are taken out of the functions' times.",
		units.Duration(took), units.Duration(all), wording.Rows(p.rowWord), units.Percent(took/max(took, all)))
}

// below writes what stands below the ranking: how far it can be trusted.
func (p *sheet) below() {
	for i, line := range p.localization() {
		if i == 0 {
			p.b.WriteByte('\n')
			p.paragraph("", line)
		} else {
			p.paragraph("  - ", line)
		}
	}
	if line := p.unattributed(); line != "" {
		p.b.WriteByte('\n')
		p.paragraph("", line)
	}
	p.paragraph("", p.collecting())
	p.paragraph("", p.probes())
	p.structure()
}

// structure says how far energy goes with the structure of functions.
func (p *sheet) structure() {
	list := wording.StructureAndEnergy(ranking.StructureAndEnergy(p.r))
	if len(list) == 0 {
		return
	}
	p.b.WriteString("\nStructure and energy (rho is Spearman's, r Pearson's; neither tells a cause):\n")
	for _, line := range list {
		p.paragraph("  - ", line)
	}
}

// warnings are all notes of the run, each once.
func (p *sheet) warnings() []string { return wording.Texts(ranking.Notes(p.r)) }

// advice says what to fix first and why.
func (p *sheet) advice() {
	title, first := p.fixFirst()
	if len(first) == 0 {
		return
	}
	p.b.WriteString("\n" + title + "\n")
	for _, i := range first {
		p.paragraph(fmt.Sprintf("  %d. ", p.r.Components[i].Rank), p.names.components[i]+where(&p.r.Components[i])+". "+p.r.Components[i].Explanation)
	}
	p.paragraph("", p.deeper(first[0]))
}

// fixFirst lists the first red components or, if there is none, the first component; none if
// every score is 0.
func (p *sheet) fixFirst() (title string, first []int) {
	const most = 3
	byRank := slices.Clone(p.order)
	slices.SortStableFunc(byRank, func(i, j int) int { return p.r.Components[i].Rank - p.r.Components[j].Rank })
	for _, i := range byRank {
		if p.r.Components[i].Zone == spell.Red && len(first) < most {
			first = append(first, i)
		}
	}
	title = "Fix first:"
	if len(first) == 0 && len(byRank) > 0 {
		first, title = byRank[:1], "No component is red. First in the ranking:"
		if p.o.Within != "" {
			title = "None of those shown is red. First of them:"
		}
	}
	if len(first) == 0 || p.scores[first[0]] == 0 {
		return "", nil
	}
	return title, first
}

// advising is the command that says what to change in the run of which a command prints the page: it takes few of that one's flags.
func advising(command string) string {
	advise := strings.Replace(command, "report --full", "advise", 1)
	return ofPages.ReplaceAllStringFunc(advise, func(flag string) string {
		if strings.HasPrefix(flag, " --include-failed=") {
			return flag
		}
		return ""
	})
}

// ofPages are flags with their values, quoted for a shell or not.
var ofPages = regexp.MustCompile(` --(compare |[a-z-]+=)('[^']*'|\\'|[^\s'])*`)

// deeper says how to look inside of a component that has something inside.
func (p *sheet) deeper(i int) string {
	c := &p.r.Components[i]
	switch {
	case c.Kind == spell.KindPackage || c.Kind == spell.KindFile || c.Kind == spell.KindType:
		return "To look inside, rank a run by function with --within " + p.names.components[i] + "."
	case c.Kind == spell.KindFunction && len(c.Lines) > 1 && p.o.Within == "" && !p.a.Inclusive:
		command := cmp.Or(p.o.Command, "spell-lsp report --full")
		return "To see its lines: " + strings.Replace(command, "--full", "--within '"+p.names.components[i]+"'", 1) +
			"\nWhat to change: " + advising(command)
	case c.Kind == spell.KindFunction && p.r.Mode == "instrument" && p.o.Source.hasBlocks(c) && !mostlyCallee(c) && !p.divided(i):
		return "To look inside, measure with --block '" + p.names.components[i] + "'."
	}
	return ""
}

// mostlyCallee tells whether most of the time of a function is in one callee without a probe, which
// its blocks say nothing of.
func mostlyCallee(c *record.Component) bool {
	return slices.ContainsFunc(c.Callees, func(callee record.Callee) bool { return callee.TimeMS > c.TimeMS/2 })
}

func where(c *record.Component) string {
	if at := location(c); at != "" {
		return " at " + at + mark(c.Tied, " (tied)")
	}
	return mark(c.Tied, " (tied)")
}
