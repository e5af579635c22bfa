package attribution

import (
	"slices"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A byteCost is what the meter counts for the bytes of a domain that depends on them, or whose energy
// is known of the program as a whole only. The zero value is of any other domain.
type byteCost struct {
	domain  spell.Domain // Disk, Net, or one that is not divided
	known   bool         // which function moved the bytes
	in, out float64      // joules for a byte that is read or received, and written or sent
}

// byteCosts are those of all domains; nil if there are none.
func byteCosts(m *Machine) []byteCost {
	if !slices.ContainsFunc(m.Domains, spell.Domain.OfBytes) && !slices.Contains(m.Whole, true) {
		return nil
	}
	list := make([]byteCost, len(m.Domains))
	for d, domain := range m.Domains {
		whole := m.Whole != nil && m.Whole[d]
		if !domain.OfBytes() && !whole {
			continue
		}
		list[d].domain = domain
		if m.PerByte != nil && !whole {
			list[d].known, list[d].in, list[d].out = true, m.PerByte[d][0], m.PerByte[d][1]
		}
	}
	return list
}

// joules is what the meter counts for what a row moved itself, and with callees.
func (c *byteCost) joules(m *probe.Moved) (own, below float64) {
	if c.domain == spell.Net {
		return c.in * float64(m.Wire), c.in * float64(m.BelowWire)
	}
	return c.in*float64(m.Fetched) + c.out*float64(m.Stored), c.in*float64(m.BelowFetched) + c.out*float64(m.BelowStored)
}

// ofBytes says whether the energy of a domain depends on bytes, or is not divided: not on CPU time.
func (w *Powers) ofBytes(domain int) bool { return w.bytes != nil && w.bytes[domain].domain != "" }

// Divides says whether the energy of a domain is divided among rows: not where the meter knows it of
// programs as a whole only, and where it depends on bytes, these must be known by function.
func (w *Powers) Divides(domain int) bool { return !w.ofBytes(domain) || w.bytes[domain].known }

// divideBytes divides the energy of the domains that depend on bytes. Each row gets what the
// meter counts for its bytes, all in proportion less where the counter gained less than that.
// What the counter gained beyond it was moved by no row: by child processes, C code, page
// faults, the kernel, or another program on the same network. It is a part of its own, as is
// all energy where bytes are known for the program as a whole only.
//
// So is all energy that the meter knows of programs as a whole only.
func (v *Interval) divideBytes(shares map[int]Share, parts map[record.Part]Amount, w *Powers) {
	left, unknown := Amount{Joules: make([]float64, w.domains)}, Amount{Joules: make([]float64, w.domains)}
	counted, uncounted := false, false
	for d := range w.bytes {
		if !w.ofBytes(d) {
			continue
		}
		gained := v.Joules[d] - parts[record.Idle].Joules[d]
		if !w.Divides(d) {
			unknown.Joules[d], uncounted = gained, true
			continue
		}
		left.Joules[d], counted = gained-v.divide(d, gained, shares, parts, w), true
	}
	if counted {
		parts[record.MovedByNone] = left
	}
	if uncounted {
		parts[record.NotByFunction] = unknown
	}
}

// divide divides the energy of one domain among rows, and returns how much of it they have.
func (v *Interval) divide(d int, gained float64, shares map[int]Share, parts map[record.Part]Amount, w *Powers) (divided float64) {
	cost := &w.bytes[d]
	var sum float64
	for _, row := range sortedRows(v.Counts) {
		c := v.Counts[row]
		own, _ := cost.joules(&c.Moved)
		sum += own
	}
	if sum == 0 {
		return 0
	}
	factor := min(1, gained/sum)
	for _, row := range sortedRows(v.Counts) {
		c := v.Counts[row]
		own, below := cost.joules(&c.Moved)
		if s, component := shares[row-1]; component {
			s.Joules[d], s.CumJoules[d] = own*factor, max(own, below)*factor
		} else if name := w.partOf(row); own > 0 {
			p := parts[name]
			if p.Joules == nil {
				p.Joules = make([]float64, w.domains)
			}
			p.Joules[d] += own * factor
			parts[name] = p
		}
	}
	return min(sum, gained)
}

// partOf is the part that a row belongs to which is no component.
func (w *Powers) partOf(row int) record.Part {
	switch row {
	case 0:
		return record.TestCode
	case probe.StraysRow(w.components):
		return record.Strays
	}
	return record.Collector
}
