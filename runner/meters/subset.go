package meters

import (
	"fmt"
	"slices"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// subset is a meter without some of its domains.
type subset struct {
	meter.Meter
	info meter.Info
	kept []int     // indices of its values in those of the whole meter
	all  []float64 // buffer for one reading of the whole meter
}

// subsetOf is a meter of the domains that are kept, and a note for each of the others.
func subsetOf(m meter.Meter, keep []bool, left func(spell.Domain) note.Note) *subset {
	whole := m.Info()
	f := &subset{Meter: m, info: whole, all: make([]float64, whole.Values())}
	f.info.Domains, f.info.IdleW, f.info.Resolutions, f.info.Whole = nil, nil, nil, nil
	f.info.PerCPUSecond, f.info.PerByte = nil, nil
	f.info.Notes = slices.Clone(whole.Notes)
	for i, d := range whole.Domains {
		if !keep[i] {
			f.info.Notes = append(f.info.Notes, left(d))
			continue
		}
		f.kept = append(f.kept, i)
		f.info.Domains = append(f.info.Domains, d)
		if whole.IdleW != nil {
			f.info.IdleW = append(f.info.IdleW, whole.IdleW[i])
		}
		if whole.Whole != nil {
			f.info.Whole = append(f.info.Whole, whole.Whole[i])
		}
		if whole.PerCPUSecond != nil {
			f.info.PerCPUSecond = append(f.info.PerCPUSecond, whole.PerCPUSecond[i])
		}
		if whole.PerByte != nil {
			f.info.PerByte = append(f.info.PerByte, whole.PerByte[i])
		}
		if whole.Resolutions != nil {
			f.info.Resolutions = append(f.info.Resolutions, whole.Resolutions[i])
		}
	}
	for i := range whole.Separate {
		f.kept = append(f.kept, len(whole.Domains)+i)
	}
	return f
}

func (f *subset) Info() meter.Info { return f.info }

func (f *subset) Read(u meter.Usage, joules []float64) error {
	if len(joules) != len(f.kept) {
		return fmt.Errorf("reading %s: there is room for %d values, the meter has %d", f.info.Name, len(joules), len(f.kept))
	}
	if err := f.Meter.Read(u, f.all); err != nil {
		return err
	}
	for i, k := range f.kept {
		joules[i] = f.all[k]
	}
	return nil
}
