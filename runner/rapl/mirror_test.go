package rapl

import (
	"testing"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
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
		{"an update behind", 1_000_000, 999_000, 1_000_000, full, true},
		{"an update ahead", 1_000_000, 1_040_000, 1_000_000, full, true},
		{"hundreds of joules ahead", 1_000_000, 300_000_000, 1_000_000, full, false},
		{"hundreds of joules behind", 300_000_000, 1_000_000, 300_000_000, full, false},
		{"a wrap in the middle", full - 10, 5, 20, full, true},
		{"behind across a wrap", 10, full - 10, 10, full, true},
		{"without a range", 1000, 1500, 2000, 0, true},
		{"without a range, far", 1000, 300_000_000, 2000, 0, false},
		{"the slack of a small range is small", 100_000, 110_000, 100_000, 1_000_000, false},
	}
	for _, tt := range tests {
		if got := between(tt.lo, tt.v, tt.hi, tt.wrap); got != tt.want {
			t.Errorf("%s: between(%d, %d, %d, %d) = %t, want %t", tt.why, tt.lo, tt.v, tt.hi, tt.wrap, got, tt.want)
		}
	}
}

// Dies that show the same counter are counted once, dies with counters of their own
// each; only their readings distinguish the two cases.
func TestDies(t *testing.T) {
	const gone = 5_000_000_000 // µJ, lead of die 1
	tests := []struct {
		why      string
		zones    []powercapsim.Zone
		want     float64 // joules after a second
		warnings []string
	}{
		{
			why: "one counter shown three times (AMD)",
			zones: []powercapsim.Zone{
				{Name: "package-0-die-0", Watts: 50, StartUJ: gone},
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
				{Name: "package-0-die-1", Watts: 30, StartUJ: gone},
			},
			want: 80,
		},
		{
			why: "two packages whose counters happen to be equal are two",
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
			joules := make([]float64, 1)
			if err := m.Read(meter.Usage{}, joules); err != nil {
				t.Fatal(err)
			}
			if diff := joules[0] - tt.want; diff > 0.001 || diff < -0.001 {
				t.Errorf("read %v J in a second, want %v", joules[0], tt.want)
			}
		})
	}
}
