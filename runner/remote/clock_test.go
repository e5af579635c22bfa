package remote

import (
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/runner"
	"spell-lsp/spell/wording"
)

// Why: a run has the time of the machine that measured. Whose clock is off by an hour finds the run in the wrong
// place of a list, or of a trend, and must be told. Here both sides have the same clock, so each is given what the
// other would have said.
func TestClockThatIsOff(t *testing.T) {
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			lab := newMachine(t)
			conn := lab.dial()
			if err := conn.Send(t.Context(), hello{Type: typeHello, Meter: "none", Now: time.Now().Add(-off)}); err != nil {
				t.Fatal(err)
			}
			f, err := conn.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			said, err := read[ready](f)
			if err != nil || said.Ahead.Round(time.Hour) != off {
				t.Fatalf("the machine is ahead by %v (%v), want %v", said.Ahead, err, off)
			}

			p := runner.Params{Dir: workspace(t, nil), Meter: "none", Rounds: 1, Run: "Shout"}
			site, err := Open(t.Context(), lab.options(p))
			if err != nil {
				t.Fatal(err)
			}
			defer site.Close()
			p.Site, site.ready.Ahead = site, off
			run, err := runner.Measure(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(run.Notes, clockDiffers)
			if i < 0 {
				t.Fatalf("no note says so: %v", run.Notes)
			}
			if text, want := wording.Text(run.Notes[i]), "the clock of lab differs by "+off.String(); !strings.Contains(text, want) {
				t.Errorf("it says %q, want %q", text, want)
			}
		})
	}
}
