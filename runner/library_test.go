package runner

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
)

// sorting is a module whose time is the standard library's.
var sorting = map[string]string{
	"m.go": `package m

import "slices"

//go:noinline
func Sort(n int) int {
	list := make([]int, 20_000)
	for k := range n {
		for i := range list {
			list[i] = (i*7919 + k) % 20_011
		}
		slices.Sort(list)
	}
	return list[0]
}
`,
	"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestSort(t *testing.T) { Sort(300) }\n",
}

// A function of the standard library is a component with its own time and energy, which its caller then
// lacks; parts still add up to the counter. (This one draws the same whatever runs: what functions have of
// it is noise.) It is one of its package, too, and under its callers.
func TestLibraryIsRanked(t *testing.T) {
	root := simulate(t, powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 30}}})
	dir := module(t, sorting)
	for _, c := range []struct {
		library     spell.Library
		granularity spell.Kind
		first       string // is in the ID of the component that has most of the time
	}{
		{spell.Library{}, spell.KindFunction, "example.com/m.Sort"},
		{spell.Library{Own: true}, spell.KindFunction, "slices."},
		{spell.Library{Own: true}, spell.KindPackage, "slices"},
		{spell.Library{Own: true, Callers: 2}, spell.KindFunction, "slices.pdqsortOrdered > slices."},
	} {
		p := Params{Dir: dir, Meter: "rapl", Mode: ModeSample, Rounds: 1, Counts: c.library.Own, Library: c.library, Granularity: c.granularity, Settings: map[string]any{"library": "caller"}}
		p.Meters.PowercapRoot = root
		run, err := Measure(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if err := validity.Run(run); err != nil {
			t.Errorf("%v: %v", c.library, err)
		}
		if worst := run.Imbalance(); worst > 0.005 {
			t.Errorf("%v: components and parts differ from the counter by %g", c.library, worst)
		}
		top := slices.MaxFunc(run.Components, func(a, b record.Component) int { return cmp.Compare(a.TimeMS, b.TimeMS) })
		if !strings.Contains(top.ID, c.first) || (top.File == "") != c.library.Own {
			t.Errorf("%v by %s: first is %+v, want %s", c.library, c.granularity, top, c.first)
		}
		if run.CallsCounted() {
			t.Errorf("%v: calls were counted, but not those of the standard library", c.library)
		}
		if run.Settings["library"] != c.library.String() {
			t.Errorf("%v: the record has the setting %v", c.library, run.Settings["library"])
		}
		if c.library.Own {
			hasNote(t, run, note.LibraryKeptCode, c.library.String())
		}
	}
}
