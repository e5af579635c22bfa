package rapl

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Zones are recognised by name among the entries of the class folder, and their numbers
// are hexadecimal: intel-rapl:a comes after intel-rapl:9.
func TestParsePlace(t *testing.T) {
	tests := []struct {
		folder string
		want   place
		ok     bool
	}{
		{"intel-rapl:0", place{"intel-rapl", []uint64{0}}, true},
		{"intel-rapl:a", place{"intel-rapl", []uint64{10}}, true},
		{"intel-rapl:1f:b", place{"intel-rapl", []uint64{31, 11}}, true},
		{"intel-rapl-mmio:0", place{"intel-rapl-mmio", []uint64{0}}, true},
		{"amd-rapl:0:1", place{"amd-rapl", []uint64{0, 1}}, true},
		{"intel-rapl", place{}, false},
		{"intel-rapl:", place{}, false},
		{"intel-rapl:g", place{}, false},
		{"intel-rapl:-1", place{}, false},
		{"intel-rapl:0:", place{}, false},
		{"dtpm:0", place{}, false},
		{"power", place{}, false},
		{"subsystem", place{}, false},
	}
	for _, tt := range tests {
		got, ok := parsePlace(tt.folder)
		if ok != tt.ok || !cmp.Equal(got, tt.want, cmp.AllowUnexported(place{})) {
			t.Errorf("parsePlace(%q) = %v, %t; want %v, %t", tt.folder, got, ok, tt.want, tt.ok)
		}
		if ok && got.String() != tt.folder {
			t.Errorf("parsePlace(%q).String() = %q", tt.folder, got)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	for _, seed := range []string{"intel-rapl:0", "intel-rapl:a:ff", "intel-rapl-mmio:00", "rapl", "x:0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, folder string) {
		p, ok := parsePlace(folder)
		if !ok {
			return
		}
		again, ok := parsePlace(p.String())
		if !ok || comparePlaces(p, again) != 0 {
			t.Errorf("parsePlace(%q) = %v, and its String() %q is parsed as %v, %t", folder, p, p.String(), again, ok)
		}
	})
}

func TestComparePlaces(t *testing.T) {
	want := []string{"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:2", "intel-rapl:9", "intel-rapl:a", "intel-rapl:10", "a-rapl-mmio:0"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int {
		p, _ := parsePlace(a)
		q, _ := parsePlace(b)
		return comparePlaces(p, q)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("zones in order (-want +got):\n%s", diff)
	}
}

func TestParseName(t *testing.T) {
	tests := []struct {
		name   string
		kind   kind
		number string
		die    bool
	}{
		{"package-0", pkg, "0", false},
		{"package-12", pkg, "12", false},
		{"package-1-die-3", pkg, "1", true},
		{"core", part, "", false},
		{"uncore", part, "", false},
		{"dram", dram, "", false},
		{"psys", psys, "", false},
		{"psys-1", psys, "", false},
		{"psys-", unknown, "", false},
		{"package", unknown, "", false},
		{"package-x", unknown, "", false},
		{"package-0-die", unknown, "", false},
		{"gpu", unknown, "", false},
		{"", unknown, "", false},
	}
	for _, tt := range tests {
		kind, number, die := parseName(tt.name)
		if kind != tt.kind || number != tt.number || die != tt.die {
			t.Errorf("parseName(%q) = %v, %q, %t; want %v, %q, %t", tt.name, kind, number, die, tt.kind, tt.number, tt.die)
		}
	}
}
