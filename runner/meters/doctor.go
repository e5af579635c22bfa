package meters

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A Report says whether a meter works on this machine.
type Report struct {
	Name    string
	Auto    meter.Auto // what auto does with it
	Works   bool
	Why     string // limits of a meter that works; otherwise the reason why it does not
	Remedy  string // "" if the meter works or nothing helps
	Domains []spell.Domain
	// Separate are the names of counters that are read beside the domains.
	Separate []string
	Source   record.Source // "" for a meter that does not work
	Root     string        // as in meter.Info
}

// Doctor opens and reads every meter once, in the order of Drivers. It changes
// nothing and asks for no privilege.
func Doctor(o meter.Options) []Report { return doctor(Drivers(), realTime(), o) }

func doctor(drivers []meter.Driver, op opener, o meter.Options) []Report {
	var reports []Report
	for _, d := range drivers {
		reports = append(reports, examine(d, op, o))
	}
	return reports
}

// examine opens a meter and reads it once.
func examine(d meter.Driver, op opener, o meter.Options) Report {
	r := Report{Name: d.Name, Auto: d.Auto}
	m, err := op.open(d, o)
	if err != nil {
		r.Why, r.Remedy = err.Error(), d.Remedy(err)
		return r
	}
	info := m.Info()
	err = m.Read(meter.Usage{}, make([]float64, info.Values()))
	if closeErr := m.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		r.Why, r.Remedy = err.Error(), d.Remedy(err)
		return r
	}
	for _, s := range info.Separate {
		r.Separate = append(r.Separate, s.Name)
	}
	r.Works, r.Why, r.Domains, r.Source, r.Root = true, strings.Join(wording.Texts(info.Notes), "\n"), info.Domains, info.Source, info.Root
	return r
}

// WriteDoctor writes the reports as text for people, with the meter that auto takes.
func WriteDoctor(w io.Writer, reports []Report) error {
	var b strings.Builder
	for _, r := range reports {
		fmt.Fprintf(&b, "%-7s %s\n", r.Name, verdict(r))
		indent(&b, "        ", r.Why)
		if r.Remedy != "" {
			indent(&b, "        ", "To make it work, "+r.Remedy)
		}
	}
	fmt.Fprintf(&b, "\n%-7s takes %s\n", Auto, takes(reports))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report on the meters: %w", err)
	}
	return nil
}

// takes names what auto chooses among the meters that work.
func takes(reports []Report) string {
	i := slices.IndexFunc(reports, func(r Report) bool { return r.Works && r.Auto == meter.Tried })
	if i < 0 {
		return "nothing: no meter works here"
	}
	list := []string{reports[i].Name}
	for _, r := range reports {
		if r.Works && r.Auto == meter.Added && reports[i].Source == record.Measured {
			list = append(list, r.Name)
		}
	}
	return strings.Join(list, ",")
}

// verdict is the first line of a report, after the name.
func verdict(r Report) string {
	if !r.Works {
		return "does not work"
	}
	if r.Source == record.NoEnergy {
		return "works, without joules"
	}
	text := fmt.Sprintf("works: %s, %s%s", r.Source, spell.DomainWords(r.Domains), wording.CounterRoot(r.Root))
	if len(r.Separate) > 0 {
		text += "; beside them " + strings.Join(r.Separate, ", ")
	}
	if r.Auto == meter.Named {
		text += "; used only when named"
	}
	return text
}

func indent(b *strings.Builder, by, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		b.WriteString(by + strings.TrimRight(line, "\n") + "\n")
	}
}
