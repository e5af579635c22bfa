package execution

import (
	"errors"
	"os"
	"testing"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/meter"
)

// An Execution without a log is returned although the counts are corrupt, as it has what else is
// known of the program, such as lost occupancy records; TestLossesAreKept has those.
func TestCorruptDataLeaveTheRest(t *testing.T) {
	m, err := OpenMeter("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	names, err := probe.NewNames(probe.Index{})
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	t.Setenv(corruptVariable, "1")
	p := Program{Package: instrument.Package{Path: "example.com/m", Dir: t.TempDir()}, file: os.Args[0]}
	o := Options{Timeout: time.Hour, Setup: probe.Setup{Components: 1, Names: names}}
	for {
		e, err := m.Execute(t.Context(), p, o, attribution.NewModel(m.Machine(), 1, false))
		if fault := (*MeterError)(nil); errors.As(err, &fault) && !m.Ended() {
			continue // the sampler had to wait for a processor, which comes before corrupt data
		}
		if lost := (*LostError)(nil); !errors.As(err, &lost) {
			t.Fatalf("the error is %v, want a *LostError", err)
		}
		if e == nil || e.Log != nil || e.Life.EndedNS == 0 {
			t.Errorf("the execution is %+v, want one without a log", e)
		}
		return
	}
}
