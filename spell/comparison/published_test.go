package comparison_test

import (
	"math"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
)

// What developers gained in five Java projects with SPELL and without it, as the
// authors print it: in the appendix of an earlier version of "SPELLing Out Energy
// Leaks" ("Mind the Leak", appendix A), by per cent of joules and of milliseconds.
// The paper's greenup of 3.78, from 323.1 J to 85.5 J, is project 31 there.
func TestPublishedGains(t *testing.T) {
	for _, tt := range []struct {
		project         string
		joules, ms      float64 // gain in per cent
		greenup, speeds float64
	}{
		{"1 SPELL", 84.3, 78, 6.37, 4.55},
		{"1 none", 79.7, 77, 4.93, 4.35},
		{"30 SPELL", 69.9, 50, 3.32, 2.00},
		{"30 none", 52.6, 43, 2.11, 1.75},
		{"11 SPELL", -138.7, -199, 0.42, 0.33},
		{"11 none", -148.8, -214, 0.40, 0.32},
		{"31 SPELL", 73.5, 63, 3.77, 2.70},
		{"31 none", 42.6, 39, 1.74, 1.64},
		{"6 SPELL", 16.8, 18, 1.20, 1.22},
		{"6 none", 2.1, -6, 1.02, 0.94},
	} {
		total := compared(t, totals(100, 100), totals(100-tt.joules, 100-tt.ms), comparison.Options{}).Total
		power := (100 - tt.joules) / (100 - tt.ms) // average, of HEAD to BASE
		if !rounds2(total.Greenup, tt.greenup) || !rounds2(total.Speedup, tt.speeds) || math.Abs(*total.Powerup-power) > 1e-9 {
			t.Errorf("%s: greenup %v, speedup %v, powerup %v, want %v, %v, %v", tt.project, *total.Greenup, *total.Speedup, *total.Powerup, tt.greenup, tt.speeds, power)
		}
		if math.Abs(*total.EnergyJ.Change+tt.joules/100) > 1e-12 {
			t.Errorf("%s: change %v", tt.project, *total.EnergyJ.Change)
		}
	}
	total := compared(t, totals(323.1, 1000), totals(85.5, 370), comparison.Options{}).Total
	if !rounds2(total.Greenup, 3.78) || math.Round(-1000**total.EnergyJ.Change) != 735 {
		t.Errorf("greenup %v, gain %v, want 3.78 and 73.5 %%", *total.Greenup, *total.EnergyJ.Change)
	}
}

// totals is a run for which only the sums are known.
func totals(joules, ms float64) *record.Run {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"t1"}, Components: []spell.Component{{ID: "project"}}}
	m.Add(spell.Cell{N: 1, TimeMS: ms}, joules)
	return record.FromMatrix(m, record.Measured)
}

func rounds2(got *float64, want float64) bool { return math.Round(*got*100) == math.Round(want*100) }
