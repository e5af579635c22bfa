package instrument

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
)

// allSized chooses all functions that have sizes.
func allSized(b *Build) (list []int) {
	for i, sizes := range b.Sizes {
		if len(sizes) > 0 {
			list = append(list, i)
		}
	}
	return list
}

// See the archive: the calls of each function in each test by its sizes.
func TestCallsBySize(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/sizes.txtar")})
	at := 0
	for i, pkg := range b.Tests {
		if strings.HasSuffix(pkg.Path, "/sizes") {
			at = i
		}
	}
	_, log := b.runProbed(t, b.Tests[at], probe.Setup{Defers: b.Defers, Sized: allSized(b.Build)})
	got := make(map[string]string)
	took := make(map[string][2]uint64) // cumulative and own time of calls by their first size
	for test, list := range log.Sizes {
		for _, s := range list {
			name := test + " " + strings.TrimPrefix(b.Components[s.Row-1].ID, "example.com/sizes.")
			if s.Size == 0 {
				took[name] = [2]uint64{took[name][0] + s.CumNS, took[name][1] + s.SelfNS}
			}
			if s.SelfNS > s.CumNS {
				t.Errorf("%s has %+v: more time of its own than with callees", name, s)
			}
			sizes := fmt.Sprint(s.Low)
			if s.High > s.Low {
				sizes += fmt.Sprintf("-%d (%g)", s.High, s.Mean)
			} else if s.Mean != float64(s.Low) {
				t.Errorf("%s has %+v: all have the same size", name, s)
			}
			name += " " + b.Sizes[s.Row-1][s.Size]
			got[name] += fmt.Sprintf(" %s:%d", sizes, s.N)
		}
	}
	want := map[string]string{
		"TestLists Lists len(cars)":               " 0:1 1:2 63:1 64-71 (67.5):2 72-79 (72):1 960-1023 (1000):1",
		"TestLists Lists len(by)":                 " 0:3 6:2 7:2 96-103 (100):1",
		"TestRecurses Recurses n":                 " 0:1 5:2",
		"TestRecurses Ping n":                     " 4:1",
		"TestRecurses Pong n":                     " 3:1",
		"TestPanics Panics n":                     " 7:1",
		"TestNegative Sums len(numbers)":          " 0:1 3:1",
		"TestNegative Park.Opens len(p.cars)":     " 9:1",
		"TestNegative Park.Opens len(p.names)":    " 0:1",
		"TestNegative (*Park).Sweeps len(p.cars)": " 5:1",
		"TestNegative Cars.Parks len(c)":          " 2:1",
		"TestNegative Sorts len(s)":               " 1:1 4:1",
		"TestNegative Sends len":                  " 1:1",
		"TestGoroutines Locks len(seen)":          "",
		"TestGoroutines Locks n":                  " 3:8",
		"TestGoroutines Recurses n":               " 2:8",
	}
	for name := range got { // Spins is only there to take time, and how many have been seen is chance
		if strings.HasSuffix(name, " Spins n") {
			delete(got, name)
		} else if strings.HasSuffix(name, "len(seen)") {
			got[name] = ""
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls by size (-want +got):\n%s", diff)
	}
	// What calls of all sizes took is what the probe counted of the function in that test.
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			if row == 0 || row > len(b.Components) {
				continue
			}
			name := w.Test + " " + strings.TrimPrefix(b.Components[row-1].ID, "example.com/sizes.")
			if ns, noted := took[name]; noted && (!same(ns[0], c.CumNS) || !same(ns[1], c.SelfNS)) {
				t.Errorf("%s ran for %d ns, %d of its own: its calls by size have %d and %d", name, c.CumNS, c.SelfNS, ns[0], ns[1])
			}
		}
	}
}

// same allows for what is charged between two readings of the clock, and rounding.
func same(a, b uint64) bool {
	return math.Abs(float64(a)-float64(b)) <= 2000+0.02*float64(b)
}

// See the archive.
func TestSizesInOldLanguage(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/old.txtar")})
	got := make(map[string][]string)
	for i, c := range b.Components {
		got[strings.TrimPrefix(c.ID, "example.com/old.")] = b.Sizes[i]
	}
	want := map[string][]string{"Sum": {"n"}, "Values": {"len(names)"}, "(*Park).Count": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sizes of functions (-want +got):\n%s", diff)
	}
}
