package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/internal/sshtarget"
	"spell-lsp/spell/validation"
)

// Why: the machine with the counter is often not the one with Go. Its workloads are built here, and its
// counter is judged as one of this machine would be: the first one below advances whatever runs, so it is of
// something else. A machine without a counter says so.
func TestValidateAnotherMachine(t *testing.T) {
	counters := counter(t)
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

var quiet = flag.Bool("quiet", false, "run what takes minutes and a quiet machine")

// Why: a proof on another machine must reach figures, as it does on this one. Each busy processor of the lab draws 15 W, whatever runs
// there, so attribution must find the same power for all workloads.
func TestValidatedOnAnotherMachine(t *testing.T) {
	if !*quiet {
		t.Skip("it takes minutes on a quiet machine: make soak-validate runs it")
	}
	dir := t.TempDir()
	lab := newTarget(t, sshtarget.Options{Folders: map[string]string{"/counters": dir}})
	simulateBeside(t, powercapsim.Params{Dir: dir, Accounts: filepath.Join(dir, "accounts"), Zones: []powercapsim.Zone{{Name: "package-0", Watts: 8, Load: 1}}})
	accounts, err := burn.Open(filepath.Join(dir, "accounts"))
	if err != nil {
		t.Fatal(err)
	}
	go charge(t.Context(), accounts, lab.UID, 15)
	file, err := static()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file, "doctor", "--validate=2m", "--on", sshtarget.Host, "--others", "1", "--format", "json",
		"--meter", "rapl", "--powercap-root", "/counters/class/powercap")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var r validation.Result
	if bad := json.Unmarshal(out, &r); bad != nil { // other verdicts have other exit codes
		t.Fatalf("%v, %v: %s", err, bad, out)
	}
	if r.Verdict != validation.Validated || len(r.Workloads) != len(validation.Workloads) {
		t.Errorf("%s: %s; %+v", r.Verdict, r.Why, r.Workloads)
	}
	for _, w := range r.Workloads {
		t.Logf("%s: %.2f W alone, error %+.2f %%", w.Name, w.AloneW.Value, 100*w.Mixed.Error.Value)
	}
	leftNothing(t, lab)
}

// charge has each process of a user draw that power while it runs, until the context is done. One for which the accounts have no
// room yet waits for its turn.
func charge(ctx context.Context, accounts *burn.Accounts, uid int, watts float64) {
	known := make(map[int]bool)
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		of, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
		for _, path := range of {
			info, err := os.Stat(path)
			pid, bad := strconv.Atoi(filepath.Base(path))
			if err != nil || bad != nil || known[pid] || info.Sys().(*syscall.Stat_t).Uid != uint32(uid) {
				continue
			}
			_, full := accounts.Register(pid, watts)
			known[pid] = full == nil
		}
	}
}
