package meters

import (
	"fmt"
	"slices"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// subset is a meter without some of its domains and separate counters.
type subset struct {
	meter.Meter
	info meter.Info
	kept []int     // indices of its values in those of the whole meter
	all  []float64 // buffer for one reading of the whole meter
}

// subsetOf is a meter without those of its domains and separate counters that left has a note for; the meter itself if
// these are none. left is called with the index and the name of each.
func subsetOf(m meter.Meter, left func(i int, name string) *note.Note) meter.Meter {
	whole := m.Info()
	f := &subset{Meter: m, info: whole, all: make([]float64, whole.Values())}
	f.info.Notes = slices.Clone(whole.Notes)
	for i, name := range whole.Counts() {
		if why := left(i, name); why != nil {
			f.info.Notes = append(f.info.Notes, *why)
			continue
		}
		f.kept = append(f.kept, i)
	}
	if len(f.kept) == whole.Values() {
		return m
	}
	f.info.Domains, f.info.IdleW = selected(whole.Domains, f.kept, 0), selected(whole.IdleW, f.kept, 0)
	f.info.Resolutions, f.info.Whole = selected(whole.Resolutions, f.kept, 0), selected(whole.Whole, f.kept, 0)
	f.info.PerCPUSecond, f.info.PerByte = selected(whole.PerCPUSecond, f.kept, 0), selected(whole.PerByte, f.kept, 0)
	f.info.Separate = selected(whole.Separate, f.kept, len(whole.Domains))
	if !slices.Contains(f.info.Domains, spell.CPU) {
		f.info.Includes, f.info.CoreCPUs = nil, nil
	}
	return f
}

// selected are the values of a list that are kept; the list begins at that index of all values. It is nil for a list without values.
func selected[T any](list []T, kept []int, begin int) []T {
	var of []T
	for _, k := range kept {
		if i := k - begin; i >= 0 && i < len(list) {
			of = append(of, list[i])
		}
	}
	return of
}

func (f *subset) Info() meter.Info { return f.info }

// ReadCores reads those of the whole meter, which are parts of the domain cpu.
func (f *subset) ReadCores(joules []float64) { meter.ReadCores(f.Meter, joules) }

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
