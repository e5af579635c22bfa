package openmetrics_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/openmetrics"
	"spell-lsp/spell/record"
)

func written(t *testing.T, r *record.Run, o openmetrics.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := openmetrics.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			recordtest.Golden(t, name+".txt", written(t, run(), openmetrics.Options{}))
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	if err := openmetrics.Write(brokenPipe{}, recordtest.Park(), openmetrics.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the error is %v", err)
	}
}

// A run of three rounds, whose short test was executed four times in each, made the hardware use
// twelve times what the test needs once.
func TestHardwareIsAWholeRun(t *testing.T) {
	r := recordtest.Park()
	for i := range r.Tests {
		r.Tests[i].EnergyJ = nil
	}
	r.Tests[0].Rounds, r.Tests[0].Repeats, r.Tests[0].EnergyJ = 3, 4, record.Energy{"cpu": 2, "dram": 0.5}
	text := written(t, r, openmetrics.Options{})
	for _, want := range []string{
		"# TYPE hw_energy_joules counter",
		`hw_energy_joules_total{hw_id="cpu",hw_type="cpu",source="measured"} 24`,
		`hw_energy_joules_total{hw_id="dram",hw_type="memory",source="measured"} 6`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}
