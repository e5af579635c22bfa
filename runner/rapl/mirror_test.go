package rapl

import (
	"testing"

	"spell-lsp/internal/powercapsim"
)

func TestBetween(t *testing.T) {
	const full = 262143328850
	tests := []struct {
		why             string
		lo, v, hi, wrap Energy
		want            bool
	}{
		{"equal", 1000, 1000, 1000, full, true},
		{"between", 1000, 1500, 2000, full, true},
		{"one update behind", 1_000_000, 999_000, 1_000_000, full, true},
		{"one update ahead", 1_000_000, 1_040_000, 1_000_000, full, true},
		{"hundreds of joules ahead", 1_000_000, 300_000_000, 1_000_000, full, false},
		{"hundreds of joules behind", 300_000_000, 1_000_000, 300_000_000, full, false},
		{"a wrap in the middle", full - 10, 5, 20, full, true},
		{"behind across a wrap", 10, full - 10, 10, full, true},
		{"between, the range is unknown", 1000, 1500, 2000, 0, true},
		{"hundreds of joules ahead, the range is unknown", 1000, 300_000_000, 2000, 0, false},
		{"a small range has a small tolerance", 100_000, 110_000, 100_000, 1_000_000, false},
	}
	for _, tt := range tests {
		if got := between(tt.lo, tt.v, tt.hi, tt.wrap); got != tt.want {
			t.Errorf("%s: between(%d, %d, %d, %d) = %t, want %t", tt.why, tt.lo, tt.v, tt.hi, tt.wrap, got, tt.want)
		}
	}
}

// Dies that show the same counter are counted once; dies with counters of their own are
// all counted. Only their readings distinguish the two cases.
func TestDies(t *testing.T) {
	const ahead = 5_000_000_000 // µJ, where one of the counters starts
	tests := []struct {
		why      string
		zones    []powercapsim.Zone
		want     float64 // joules after a second
		warnings []string
	}{
		{
			why: "one counter shown three times (AMD)",
			zones: []powercapsim.Zone{
				{Name: "package-0-die-0", Watts: 50, StartUJ: ahead},
				{Name: "package-0-die-1", Mirror: "package-0-die-0"},
				{Name: "package-0-die-2", Mirror: "package-0-die-0"},
			},
			want:     50,
			warnings: []string{"package-0-die-1) shows the counter of package-0-die-0", "package-0-die-2) shows"},
		},
		{
			why: "a counter for each die (Intel)",
			zones: []powercapsim.Zone{
				{Name: "package-0-die-0", Watts: 50},
				{Name: "package-0-die-1", Watts: 30, StartUJ: ahead},
			},
			want: 80,
		},
		{
			why: "two packages whose counters happen to be equal",
			zones: []powercapsim.Zone{
				{Name: "package-0-die-0", Watts: 50},
				{Name: "package-1-die-0", Watts: 30},
			},
			want: 80,
		},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			sim := newSimulation(t, tt.zones...)
			m := sim.open(t)
			checkWarnings(t, m.Info().Notes, tt.warnings)
			sim.run(t, m, 1000)
			reads(t, m, tt.want)
		})
	}
}
