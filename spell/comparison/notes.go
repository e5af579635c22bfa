package comparison

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// notes lists what a reader must know of two runs that may be compared.
func (p *pair) notes() []note.Note {
	base, head := p.base.run, p.head.run
	list := []note.Note{}
	add := func(condition bool, n note.Note) {
		if condition {
			list = append(list, n)
		}
	}
	differ := func(a, b string) bool { return a != b && a != "" && b != "" }
	add(base.ID != "" && base.ID == head.ID, note.SameRun(base.ID))
	add(base.Partial, note.BaseInterrupted())
	add(head.Partial, note.HeadInterrupted())
	add(differ(base.Workspace.Module, head.Workspace.Module), note.ModulesDiffer(base.Workspace.Module, head.Workspace.Module))
	add((base.Host == record.Host{}) != (head.Host == record.Host{}), note.HostUnknown())
	add(differ(base.Host.Go, head.Host.Go), note.CompilersDiffer(base.Host.Go, head.Host.Go))
	add(base.Meter.Name != head.Meter.Name && origin(base) == origin(head), note.MeterNamesDiffer(base.Meter.Name, head.Meter.Name))
	a, b := busyWatts(base), busyWatts(head)
	add(a > 0 && b > 0 && math.Abs(a/b-1) > sameWatts, note.EstimatesDiffer(a, b))
	add(base.Meter.Quality != head.Meter.Quality, note.ReadingsDiffer())
	add(differ(base.Mode, head.Mode), note.ModesDiffer(base.Mode, head.Mode))
	if p.machine.notable() {
		add(true, note.MachineChanged(*p.machine.slowdown))
	}
	if nodes, differ := p.pairing.note(); differ {
		add(true, nodes)
	}
	settings := p.settings()
	add(len(settings) > 0, note.SettingsDiffer(settings))
	add(!p.sameAnalysis(), note.AnalysesDiffer())
	return append(list, p.domainNotes()...)
}

// sameWatts is how far the watts of two estimates may be apart, relative, without a word on it.
const sameWatts = 0.01

// busyWatts are those that the energy of a run was estimated from; 0 if that is not known.
func busyWatts(r *record.Run) float64 {
	for _, n := range r.Meter.Notes {
		if w, ok := n.Args["busy_w"].(float64); ok && n.Code == note.EnergyEstimatedCode {
			return w
		}
	}
	return 0
}

// settings lists the settings that decide what is measured and differ between the runs.
func (p *pair) settings() []string {
	var differ []string
	a, b := p.base.run.Settings, p.head.run.Settings
	for _, key := range []string{"bench", "exclude", "library", "power", "run", "scenario", "subtests", "tags"} {
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

// domainsOnly lists the domains with energy that only one run has.
func (p *pair) domainsOnly() DomainsOnly {
	alone := func(r *record.Run) []spell.Domain {
		return slices.DeleteFunc(append([]spell.Domain{}, r.Meter.Domains...), p.has)
	}
	return DomainsOnly{Base: alone(p.base.run), Head: alone(p.head.run)}
}

// Notes say which energies are not compared.
func (d DomainsOnly) Notes() []note.Note {
	var list []note.Note
	if len(d.Base) > 0 {
		list = append(list, note.BaseDomainsOnly(spell.DomainNames(d.Base)))
	}
	if len(d.Head) > 0 {
		list = append(list, note.HeadDomainsOnly(spell.DomainNames(d.Head)))
	}
	return list
}

// byTestOnly says which run does not know the energy of the domains by component.
func (p *pair) byTestOnly(domains []spell.Domain) note.Note {
	lacks := func(r *record.Run) bool {
		return slices.ContainsFunc(domains, func(d spell.Domain) bool { return !slices.Contains(r.Matrix.Domains, d) })
	}
	names := spell.DomainNames(domains)
	switch base, head := lacks(p.base.run), lacks(p.head.run); {
	case base && head:
		return note.DomainsByTestInBoth(names)
	case base:
		return note.DomainsByTestInBase(names)
	}
	return note.DomainsByTestInHead(names)
}

// domainNotes say which energies are not compared, or not by component.
func (p *pair) domainNotes() []note.Note {
	if p.base.run.Meter.KnowsEnergy() != p.head.run.Meter.KnowsEnergy() {
		return []note.Note{note.EnergyOneSided()}
	}
	list := p.domainsOnly().Notes()
	if only := p.testOnly(); len(only) > 0 {
		list = append(list, p.byTestOnly(only))
	}
	if p.head.run.Meter.KnowsEnergy() && len(p.domains) == 0 {
		list = append(list, note.NoCommonEnergy())
	}
	return list
}
