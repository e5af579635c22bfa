package wording_test

import (
	"testing"

	"spell-lsp/spell/wording"
)

func TestMoved(t *testing.T) {
	for bytes, want := range map[[4]float64]string{
		{}:                          "",
		{4096, 0, 0, 0}:             "In a round, its own code read 4.10 kB of files.",
		{4096, 67_108_864, 0, 0}:    "In a round, its own code read 4.10 kB and wrote 67.1 MB of files.",
		{0, 0, 0, 12}:               "In a round, its own code sent 12 B over networks and loopback.",
		{0, 67_108_864, 1000, 2000}: "In a round, its own code wrote 67.1 MB of files, and received 1.00 kB and sent 2.00 kB over networks and loopback.",
	} {
		if got := wording.Moved(bytes[0], bytes[1], bytes[2], bytes[3]); got != want {
			t.Errorf("%v: %q, want %q", bytes, got, want)
		}
	}
}
