package meters

import (
	"os/exec"
	"testing"

	"spell-lsp/runner/meter"
)

// A program that ends while it is measured is a zombie until its parent waits for it, and
// is gone afterwards. Neither is an error of the meter, and the program's energy stays in
// the total.
func TestProgramThatEnds(t *testing.T) {
	m, _, err := Open("disk,net", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	program := exec.CommandContext(t.Context(), "cat")
	stdin, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	before, now := make([]float64, 2), make([]float64, 2)
	read := func(when string) {
		t.Helper()
		if err := m.Read(meter.Usage{PID: program.Process.Pid}, now); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		for i := range now {
			if now[i] < before[i] {
				t.Errorf("%s: domain %s went back from %v to %v J", when, m.Info().Domains[i], before[i], now[i])
			}
		}
		copy(before, now)
	}
	read("while it runs")
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20_000 { // it ends during one of these readings
		read("while it ends")
	}
	if err := program.Wait(); err != nil {
		t.Fatal(err)
	}
	read("after it ended")
	if err := m.Read(meter.Usage{}, now); err != nil || now[0] < before[0] || now[1] < before[1] {
		t.Errorf("without a program: %v J, %v; want at least the %v J of before", now, err, before)
	}
}
