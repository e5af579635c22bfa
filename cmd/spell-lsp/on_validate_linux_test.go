package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"spell-lsp/internal/sshtarget"
	"spell-lsp/spell/validation"
)

// Why: the machine with the counter is often not the one with Go. Its workloads are built here, and its
// counter is judged as one of this machine would be: the first one below advances whatever runs, so it is of
// something else. A machine without a counter says so.
func TestValidateAnotherMachine(t *testing.T) {
	_, counters := counter(t)
	lab := newTarget(t, sshtarget.Options{
		Folders: map[string]string{"/counters": counters},
		Files:   map[string]string{"/proc/cpuinfo": "model name\t: Processor of the lab\n"},
	})
	file, err := static()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want validation.Verdict
		late validation.Verdict // where the simulated counter had to wait for a processor of this machine
	}{
		{[]string{"--meter", "rapl", "--powercap-root", "/counters/class/powercap"}, validation.Blind, validation.Frozen},
		{[]string{"--meter", "model"}, validation.NoCounter, validation.NoCounter},
	} {
		args := append([]string{"doctor", "--validate=1m", "--on", sshtarget.Host, "--others", "1", "--format", "json"}, tt.args...)
		out, err := exec.CommandContext(t.Context(), file, args...).Output()
		ended := (*exec.ExitError)(nil)
		if !errors.As(err, &ended) || ended.ExitCode() != exitNothing || !strings.Contains(string(ended.Stderr), "not validated: ") {
			t.Fatalf("%v, want exit code %d: %s\n%s", err, exitNothing, out, ended.Stderr)
		}
		var r validation.Result
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		if r.Verdict != tt.want && r.Verdict != tt.late || r.Machine.CPU != "Processor of the lab" || r.Workloads != nil {
			t.Errorf("%+v, want %s of the lab's processor", r, tt.want)
		}
		leftNothing(t, lab)
	}
}
