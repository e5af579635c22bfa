package validation

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
)

// WriteText writes the page for people.
func (r *Result) WriteText(w io.Writer, color bool) error {
	var b bytes.Buffer
	mark := map[bool]string{true: page.Green, false: page.Red}[r.Verdict == Validated]
	head := strings.ToUpper(string(r.Verdict))
	if color {
		head = mark + head + "\x1b[0m"
	}
	fmt.Fprintf(&b, "%s\n", head)
	page.Paragraph(&b, "", r.Why)
	for line := range strings.Lines(r.Detail) {
		b.WriteString("    " + page.Clean(strings.TrimRight(line, "\n")) + "\n")
	}
	b.WriteString("\n")
	r.writeMachine(&b)
	if r.Verdict.Figures() {
		b.WriteString("\n")
		r.table().Write(&b, color)
		b.WriteString("\n")
		r.writePhases(&b)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the validation: %w", err)
	}
	return nil
}

// writeMachine writes what is known of the machine and the meter.
func (r *Result) writeMachine(b *bytes.Buffer) {
	m := r.Machine
	var facts []string
	add := func(format, text string) {
		if text != "" {
			facts = append(facts, fmt.Sprintf(format, page.Clean(text)))
		}
	}
	add("%s", m.CPU)
	add("%s", units.Plural(m.Cores, "processor"))
	add("%s", strings.Trim(m.OS+" "+m.Kernel, " "))
	add("%s", m.Arch)
	add("governor %s", m.Governor)
	if m.Virtual {
		add("%s", strings.TrimRight("virtual machine "+m.Hypervisor, " "))
	}
	add("%s", m.Go)
	add("spell-lsp %s", r.Version)
	page.Paragraph(b, "Machine  ", strings.Join(facts, ", "))
	if c := r.Meter; c.Name != "" {
		text := c.Name + ": " + spell.DomainWords(c.Domains)
		if c.Simulated {
			text += ", in a folder that was named, not the system's own: simulated, or a copy"
		}
		if c.UpdateMS > 0 {
			text += fmt.Sprintf("; changes every %s, 99 of 100 readings within %s; reading it kept %s of a processor busy", units.Duration(c.UpdateMS), units.Duration(c.GapP99MS), percent(c.SamplerCPU))
		}
		page.Paragraph(b, "Counter  ", text)
	}
	if r.Seconds > 0 {
		text := fmt.Sprintf("%.0f s on %s", r.Seconds, r.Date)
		if r.Verdict.Figures() {
			text += fmt.Sprintf("; other processes used %s of the processors while workloads ran alone; %s measured again", percent(r.Others), units.Plural(r.Dropped, "round"))
		}
		if r.OtherWorkloads {
			text += "; the workloads were not the built-in ones"
		}
		page.Paragraph(b, "Took     ", text)
	}
}

// table has a row for each workload.
func (r *Result) table() *page.Table {
	right := func(over, head string) page.Column { return page.Column{Over: over, Head: head, Right: true} }
	t := &page.Table{Columns: []page.Column{
		{Head: "workload"}, right("power", "alone"), right("", "±"), right("", "start"), right("", "end"),
		right("mixed", "error"), right("", "±"), right("", "spread"), right("at once", "error"), right("", "±"), right("", "spread"),
	}}
	watts := func(v float64) string { return fmt.Sprintf("%.2f W", v) }
	for i, w := range r.Workloads {
		row := []string{Workloads[i].About, watts(w.AloneW.Value), watts(w.AloneW.Half), watts(w.StartW.Value), watts(w.EndW.Value)}
		if w.Name == Waiting {
			row = []string{Workloads[i].About + " (share)", "", "", "", ""}
		}
		for _, d := range []*Difference{w.Mixed, w.Concurrent} {
			switch {
			case d == nil:
				row = append(row, "", "", "")
			case w.Name == Waiting:
				row = append(row, percent(d.Error.Value), "", "")
			default:
				half := percent(d.Error.Half)
				if d.Unknown {
					half = "?"
				}
				row = append(row, signed(d.Error.Value), half, percent(d.Spread))
			}
		}
		cells := make([]page.Cell, len(row))
		for k, text := range row {
			cells[k].Text = text
		}
		t.Add(cells...)
	}
	return t
}

// signed writes a relative difference with its sign.
func signed(v float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f %%", 100*v), "-0.0", "+0.0", 1)
}

// writePhases says what the table has no room for.
func (r *Result) writePhases(b *bytes.Buffer) {
	j := func(v float64) string { return units.Quantity(v, "J") }
	for i, p := range []*Phase{r.Mixed, r.Concurrent} {
		if p == nil {
			continue
		}
		text := fmt.Sprintf("%s, each on its own. A round: counter %s, less idle %s and other parts %s, is %s; the powers alone make %s: %s ± %s. Median error %s, worst %s.",
			units.Plural(p.Measurements, "measurement"), j(p.CounterJ), j(p.IdleJ), j(p.RestJ), j(p.CounterJ-p.IdleJ-p.RestJ), j(p.ReferencesJ), signed(p.Additivity.Value), percent(p.Additivity.Half), percent(p.MedianError), percent(p.WorstError))
		if i == 1 {
			text += " Two at once share parts of the processor, so their powers need not add up: the errors are those of the division between them."
		}
		page.Paragraph(b, []string{"Mixed    ", "At once  "}[i], text)
	}
	page.Paragraph(b, "Idle     ", units.Quantity(r.IdleW, "W")+" while the workload waited")
	for _, s := range r.Sources {
		what := "reads the same energy"
		if s.Whole {
			what = "covers the whole machine"
		}
		if s.Failed != "" {
			page.Paragraph(b, "Source   ", fmt.Sprintf("%s was left out: %s", s.Name, page.Clean(s.Failed)))
			continue
		}
		page.Paragraph(b, "Source   ", fmt.Sprintf("%s %s: it gained %s, the counter %s", s.Name, what, j(s.SourceJ), j(s.CounterJ)))
	}
	why := "there is none here"
	switch {
	case slices.ContainsFunc(r.Sources, func(s Source) bool { return s.Failed == "" }):
		return
	case len(r.Sources) > 0:
		why = "none could be compared"
	case r.Unsought:
		why = "none was looked for on another machine, or beside counters in a folder that was named"
	}
	page.Paragraph(b, "Not seen ", "a factor by which all values of the counter are wrong: that needs a second source, and "+why)
}
