package render

import "testing"

// Why: VS Code draws the columns of a table without a gap.
func TestSpacedTables(t *testing.T) {
	got := spaced("**Set**: a | b\n\n| n | impl |\n| --: | :-- |\n| 16 | map |\n")
	if want := "**Set**: a | b\n\n| n | &emsp;impl |\n| --: | :-- |\n| 16 | &emsp;map |\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
