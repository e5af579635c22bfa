package comparison

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// warnings lists what a reader must know of two runs that may be compared.
func warnings(p *pair) []string {
	base, head := p.base.run, p.head.run
	list := []string{}
	add := func(condition bool, format string, args ...any) {
		if condition {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(base.ID != "" && base.ID == head.ID, "BASE and HEAD are the same run, %s.", base.ID)
	add(base.Partial, "BASE was interrupted: only what was measured until then is compared.")
	add(head.Partial, "HEAD was interrupted: only what was measured until then is compared.")
	add(base.Workspace.Module != head.Workspace.Module && base.Workspace.Module != "" && head.Workspace.Module != "",
		"BASE is of the module %s, HEAD of %s.", base.Workspace.Module, head.Workspace.Module)
	add((base.Host == record.Host{}) != (head.Host == record.Host{}), "One of the runs does not say on which machine it was measured.")
	add(base.Host.Go != head.Host.Go && base.Host.Go != "" && head.Host.Go != "",
		"BASE was built by %s, HEAD by %s: what differs may be the compiler's work.", base.Host.Go, head.Host.Go)
	add(base.Meter.Name != head.Meter.Name && origin(base) == origin(head), "BASE was metered by %s, HEAD by %s.", base.Meter.Name, head.Meter.Name)
	add(base.Meter.Quality != head.Meter.Quality, "The readings of one meter came too late too often, those of the other did not.")
	add(base.Mode != head.Mode && base.Mode != "" && head.Mode != "", "BASE was measured in mode %s, HEAD in mode %s.", base.Mode, head.Mode)
	if p.machine.notable() {
		add(true, "The machine was not the same: %s. Changes that this may explain, or hide, are not decided: measure both in a row, on a quiet machine.", p.machine)
	}
	if differ := p.settings(); len(differ) > 0 {
		add(true, "The runs were measured with different settings: %s.", strings.Join(differ, ", "))
	}
	add(!p.sameAnalysis(), "The runs were analysed differently (oracle, weights or tests that count): their psi, ranks and zones are not comparable.")
	return append(list, p.domainWarnings()...)
}

// settings lists those in which the runs differ, of the ones that decide what is
// measured.
func (p *pair) settings() []string {
	var differ []string
	a, b := p.base.run.Settings, p.head.run.Settings
	for _, key := range []string{"bench", "exclude", "run", "scenario", "subtests", "tags"} {
		va, known := a[key]
		vb, alsoKnown := b[key]
		if known && alsoKnown && !reflect.DeepEqual(va, vb) && fmt.Sprint(va) != fmt.Sprint(vb) {
			differ = append(differ, key)
		}
	}
	return differ
}

func (p *pair) sameAnalysis() bool {
	a, b := p.base.run.Analysis, p.head.run.Analysis
	if a == nil || b == nil {
		return a == b
	}
	same := a.Oracle == b.Oracle && a.IncludeFailed == b.IncludeFailed && a.Inclusive == b.Inclusive
	for _, d := range p.attributed {
		same = same && a.Weights[d] == b.Weights[d]
	}
	return same
}

// domainsOnly lists the domains with energy that are not compared.
func (p *pair) domainsOnly() DomainsOnly {
	alone := func(r *record.Run) []spell.Domain {
		return slices.DeleteFunc(append([]spell.Domain{}, r.Meter.Domains...), p.has)
	}
	return DomainsOnly{Base: alone(p.base.run), Head: alone(p.head.run)}
}

// Phrases say which energies have no counterpart: "only HEAD has energy of disk,
// which is not compared".
func (d DomainsOnly) Phrases() []string {
	var list []string
	for _, side := range []struct {
		name    string
		domains []spell.Domain
	}{{"BASE", d.Base}, {"HEAD", d.Head}} {
		var names []string
		for _, domain := range side.domains {
			names = append(names, string(domain))
		}
		if len(names) > 0 {
			list = append(list, fmt.Sprintf("only %s has energy of %s, which is not compared", side.name, strings.Join(names, ", ")))
		}
	}
	return list
}

// whoLacks says which of the runs does not know the energy of some domains by
// component.
func (p *pair) whoLacks(domains []spell.Domain) string {
	lacks := func(r *record.Run) bool {
		return slices.ContainsFunc(domains, func(d spell.Domain) bool { return !slices.Contains(r.Matrix.Domains, d) })
	}
	const which = " does not know which component used it"
	switch base, head := lacks(p.base.run), lacks(p.head.run); {
	case base && head:
		return "neither run knows which component used it"
	case base:
		return "BASE" + which + ", and what components of HEAD have of it is left out"
	}
	return "HEAD" + which + ", and what components of BASE have of it is left out"
}

// domainWarnings say which energies have no counterpart.
func (p *pair) domainWarnings() []string {
	var list []string
	if hasEnergy(p.base.run) != hasEnergy(p.head.run) {
		return append(list, "Only one of the runs knows energy: executions and time are compared.")
	}
	for _, alone := range p.domainsOnly().Phrases() {
		list = append(list, upper(alone)+".")
	}
	if only := p.testOnly(); len(only) > 0 {
		list = append(list, fmt.Sprintf("The energy of %s is compared by test and in total only: %s.", spell.DomainWords(only), p.whoLacks(only)))
	}
	if hasEnergy(p.head.run) && len(p.domains) == 0 {
		list = append(list, "The runs have no energy of the same kind: executions and time are compared.")
	}
	return list
}
