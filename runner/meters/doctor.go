package meters

import (
	"fmt"
	"io"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A Report says whether a meter works on this machine.
type Report struct {
	Name    string
	Works   bool
	Why     string // of a meter that works, what it cannot do; otherwise why it does not
	Remedy  string // "" where nothing is wrong or nothing helps
	Domains []spell.Domain
	Source  record.Source // "" for a meter that does not work
}

// Doctor tries every meter, in the order of Drivers. It changes nothing and
// asks for no privilege.
func Doctor(o meter.Options) []Report {
	var reports []Report
	for _, d := range Drivers() {
		reports = append(reports, examine(d, o))
	}
	return reports
}

// examine opens a meter and reads it once.
func examine(d meter.Driver, o meter.Options) Report {
	m, err := d.Open(o)
	if err != nil {
		return Report{Name: d.Name, Why: err.Error(), Remedy: d.Remedy(err)}
	}
	info := m.Info()
	err = m.Read(meter.Usage{}, make([]float64, len(info.Domains)))
	if closeErr := m.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return Report{Name: d.Name, Why: err.Error(), Remedy: d.Remedy(err)}
	}
	return Report{Name: d.Name, Works: true, Why: strings.Join(info.Warnings, "\n"), Domains: info.Domains, Source: info.Source}
}

// WriteDoctor writes the reports as text for people, and which meter auto takes.
func WriteDoctor(w io.Writer, reports []Report) error {
	var b strings.Builder
	auto := ""
	for _, r := range reports {
		if r.Works && auto == "" {
			auto = r.Name
		}
		fmt.Fprintf(&b, "%-8s%s\n", r.Name, verdict(r))
		indent(&b, "        ", r.Why)
		if r.Remedy != "" {
			indent(&b, "        ", "To make it work, "+r.Remedy)
		}
	}
	if auto == "" {
		auto = "nothing: no meter works here"
	}
	fmt.Fprintf(&b, "\n%-8stakes %s\n", Auto, auto)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report on the meters: %w", err)
	}
	return nil
}

// verdict is the first line of a report, after the name.
func verdict(r Report) string {
	if !r.Works {
		return "does not work"
	}
	if r.Source == record.NoEnergy {
		return "works, without joules"
	}
	domains := make([]string, len(r.Domains))
	for i, d := range r.Domains {
		domains[i] = string(d)
	}
	return fmt.Sprintf("works: %s, %s", r.Source, strings.Join(domains, " and "))
}

func indent(b *strings.Builder, by, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		b.WriteString(by + strings.TrimRight(line, "\n") + "\n")
	}
}
