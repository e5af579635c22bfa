package main

import (
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/bench/corpus"
	"spell-lsp/internal/sshtarget"
)

var corpusThere = flag.Bool("corpus", false, "measure the modules of the corpus on another machine")

// Why: real modules read files of theirs, start programs and look at their folder. Their tests must end on another
// machine as they do here, and what was sent for them is not sent again.
func TestCorpusOnAnotherMachine(t *testing.T) {
	if !*corpusThere {
		t.Skip("make soak-on measures the corpus")
	}
	for _, module := range corpus.Modules {
		t.Run(module, func(t *testing.T) {
			lab := newTarget(t, sshtarget.Options{})
			dir := copied(t, module)
			args := []string{"--no-calm", "--meter", "none", "--warmup", "0", "--rounds", "1"}
			here := startMeasuring(t, dir, append(args, "--format", "json")...).result(t, exitDone)
			for _, first := range []bool{true, false} {
				lab.Wire.Reset(0, nil)
				there := measureThere(t, dir, args...).result(t, exitDone)
				up, _ := lab.Wire.Passed()
				t.Logf("first %v: %d tests, %d bytes sent", first, len(there.Tests), up)
				if diff := cmp.Diff(outcomes(here), outcomes(there)); diff != "" || len(here.Tests) == 0 {
					t.Errorf("outcomes differ (-here +there):\n%s", diff)
				}
				if !first && up >= 1_000_000 {
					t.Errorf("%d bytes were sent the second time", up)
				}
				leftNothing(t, lab)
			}
		})
	}
}
