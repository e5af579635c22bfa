package validate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/record"
	"spell-lsp/spell/validation"
)

// Why: a battery says its power once a second, so that half of the page would be chance; that is neither a
// missing nor a wrong counter.
func TestSlowCounter(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "class", "power_supply", "BAT0")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"type": "Battery", "scope": "System", "present": "1", "status": "Discharging", "power_now": "9000000"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &session{Params: Params{Meter: "battery", Meters: meter.Options{SysRoot: root}}, result: &validation.Result{}}
	found, err := s.counter()
	if r := s.result; err != nil || found || r.Verdict != validation.Slow || !strings.Contains(r.Why, "changes only every 1.00 s") {
		t.Errorf("found %v, %v, %q: %s", found, err, r.Verdict, r.Why)
	}
}

// Why: the counter of another machine is known only by the first look.
func TestSlowCounterElsewhere(t *testing.T) {
	for ms, want := range map[float64]validation.Verdict{1: "", 999: "", 1000: validation.Slow, 60_000: validation.Slow} {
		s := &session{result: &validation.Result{}}
		refused := s.refused(&record.Run{Meter: record.Meter{Name: "hwmon", Source: record.Measured, ResolutionMS: ms}})
		if refused != (want != "") || s.result.Verdict != want {
			t.Errorf("every %g ms: refused %v, %q; want %q", ms, refused, s.result.Verdict, want)
		}
	}
}
