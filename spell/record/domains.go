package record

import (
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// componentDomains are the domains of the meter that a component or a cell has energy of;
// all of them if there are neither components nor cells.
func componentDomains(domains []spell.Domain, components []Component, cells []Cell) []spell.Domain {
	if len(components) == 0 && len(cells) == 0 {
		return domains
	}
	known := make([]spell.Domain, 0, len(domains))
	for _, d := range domains {
		has := func(e Energy) bool { _, ok := e[d]; return ok }
		if slices.ContainsFunc(components, func(c Component) bool { return has(c.EnergyJ) }) ||
			slices.ContainsFunc(cells, func(c Cell) bool { return has(c.EnergyJ) }) {
			known = append(known, d)
		}
	}
	return known
}

// CellDomains are the domains of a matrix with these cells: those of the meter that a
// cell or a component has energy of.
func (r *Run) CellDomains(cells []Cell) []spell.Domain {
	return componentDomains(r.Meter.Domains, r.Components, cells)
}

// SetDomains sets the domains of the matrix from its cells and components: all the
// meter's if EnergyJ has that many columns, else those that components have energy of.
func (r *Run) SetDomains() {
	m := &r.Matrix
	m.Domains = slices.Clone(r.Meter.Domains)
	if n := len(m.Cells); n == 0 || len(m.EnergyJ) != n*len(m.Domains) {
		m.Domains = slices.Clone(componentDomains(r.Meter.Domains, r.Components, nil))
	}
}

// TestOnly lists the domains whose energy is known by test, but not by component: all of
// that energy is unattributed.
func (r *Run) TestOnly() []spell.Domain {
	if len(r.Components) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Meter.Domains), func(d spell.Domain) bool { return slices.Contains(r.Matrix.Domains, d) })
}

// HostsShare says whether the counter is one that the host of a virtual machine fills with a share of
// its own energy.
func (m Meter) HostsShare() bool {
	return slices.ContainsFunc(m.Notes, func(n note.Note) bool { return n.Code == note.HostsShareCode })
}

// sharedByTime lists the domains whose energy an older version divided among functions by
// CPU time, although it depends on the bytes that a function moved: it counted none.
func (r *Run) sharedByTime() []spell.Domain {
	if len(r.Components) == 0 || r.Meter.OfMatrix() {
		return nil
	}
	meters := strings.Split(r.Meter.Name, ",") // meters of bytes are called as their domains
	return slices.DeleteFunc(slices.Clone(r.Matrix.Domains), func(d spell.Domain) bool {
		return !d.OfBytes() || !slices.Contains(meters, string(d)) || r.dividedByBytes(d)
	})
}

// dividedByBytes says whether the components that have energy of disks, or of the network, moved
// bytes.
func (r *Run) dividedByBytes(d spell.Domain) bool {
	return !slices.ContainsFunc(r.Components, func(c Component) bool {
		moved := c.ReadBytes + c.WrittenBytes
		if d == spell.Net {
			moved = c.ReceivedBytes + c.SentBytes
		}
		return c.EnergyJ[d] > 0 && moved == 0
	})
}

// DomainNotes say which energy components lack and why, and which of theirs means
// nothing.
func (r *Run) DomainNotes() []note.Note {
	var list []note.Note
	if domains := r.TestOnly(); len(domains) > 0 {
		reason := ""
		if !slices.ContainsFunc(domains, func(d spell.Domain) bool { return !d.OfBytes() }) {
			reason = "as bytes are not counted by function"
		}
		if r.Meter.HostsShare() {
			reason = "as it is a share of what the host used"
		}
		list = append(list, note.EnergyByTestOnly(spell.DomainNames(domains), r.Unit(), reason))
	}
	if domains := r.sharedByTime(); len(domains) > 0 {
		list = append(list, note.EnergySharedByTime(spell.DomainNames(domains), r.Unit()))
	}
	return list
}

// Unit is the kind of the components, as a word.
func (r *Run) Unit() string {
	if r.Granularity == "" {
		return string(spell.KindFunction)
	}
	return string(r.Granularity)
}
