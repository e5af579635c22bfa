package sampler

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"spell-lsp/internal/childtest"
)

// Why: `spell-lsp meter` runs as long as services want joules, and each measurement beside it said that
// another one was running.
func TestTheMeterOfServicesIsNoMeasurement(t *testing.T) {
	dir := t.TempDir()
	for command, want := range map[string]bool{"meter": true, "measure": false} {
		if err := os.WriteFile(filepath.Join(dir, command), []byte("echo running; read line\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "sh", command) // it runs until its input ends
		c.Dir = dir
		child := childtest.Start(t, c)
		if got := tellsServices(c.Process.Pid); got != want {
			t.Errorf("a process that runs %q tells services: %v, want %v", command, got, want)
		}
		child.In.Close()
		child.Wait()
		if tellsServices(c.Process.Pid) {
			t.Error("a process that has ended tells services")
		}
	}
}
