package runner

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/childtest"
	"spell-lsp/internal/recordtest"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/target"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// service is a module with a program that says when it is ready, and ends when its standard input
// is closed. Until then it computes (spin), or sends itself signals, which package os/signal
// takes (library), or waits (idle), or waits after a child has used half a second of CPU time (family).
var service = map[string]string{
	"m.go": `package m

import "syscall"

var sink uint64

//go:noinline
func Spin(n int) {
	for range n * 1000 {
		sink = sink*6364136223846793005 + 1442695040888963407
	}
}

// Burn computes for a CPU time in ms.
func Burn(ms int64) {
	for {
		var used syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &used); used.Utime.Nano()+used.Stime.Nano() >= ms*1e6 {
			return
		}
		Spin(10)
	}
}
`,
	"cmd/serve/main.go": `package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"

	"example.com/m"
)

func main() {
	var over atomic.Bool
	switch os.Args[1] {
	case "burn":
		m.Burn(500)
		return
	case "family":
		if err := exec.Command(os.Args[0], "burn").Run(); err != nil {
			panic(err)
		}
	case "library":
		signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
		go func() {
			for !over.Load() {
				syscall.Kill(syscall.Getpid(), syscall.SIGUSR1)
			}
		}()
	case "spin":
		go func() {
			for !over.Load() {
				m.Spin(100)
			}
		}()
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	over.Store(true)
}
`,
}

// serving starts the program of service, without symbols. stop ends it.
func serving(t *testing.T, mode string) (dir string, pid int, stop func()) {
	t.Helper()
	dir = module(t, service)
	program := filepath.Join(t.TempDir(), "serve")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./cmd/serve")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := childtest.Start(t, exec.CommandContext(t.Context(), program, mode))
	return dir, c.Process.Pid, func() {
		c.In.Close()
		c.Wait()
	}
}

// attach measures a process in the module in a folder, again if the machine stood still meanwhile.
func attach(t *testing.T, dir string, pid int, length time.Duration, progress func(s Step, interrupt func())) (*record.Run, error) {
	t.Helper()
	process, err := target.Of(pid)
	if err != nil {
		t.Fatal(err)
	}
	for tries := 1; ; tries++ {
		ctx, cancel := context.WithCancel(t.Context())
		run, err := Attach(ctx, Params{Dir: dir, Meter: "model", Progress: func(s Step) { progress(s, cancel) }}, process, length)
		cancel()
		if fault := (*MeterError)(nil); errors.As(err, &fault) && tries < 3 {
			t.Log(err)
			continue
		}
		if run != nil {
			recordtest.Check(t, run)
		}
		return run, err
	}
}

// quiet ignores progress.
func quiet(Step, func()) {}

// A process that runs is measured in parts of the time, and goes on afterwards. Its functions are
// found although it has no symbols and no paths of files.
func TestAttach(t *testing.T) {
	dir, pid, _ := serving(t, "spin")
	var rounds []int
	run, err := attach(t, dir, pid, 2*time.Second, func(s Step, _ func()) {
		if s.Round == 1 {
			rounds = nil
		}
		if s.Round > 0 {
			rounds = append(rounds, s.Round)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.Partial || run.Rounds != 2 || run.Mode != "sample" || len(run.Tests) != 1 || run.Tests[0].Name != "example.com/m/cmd/serve.main" || run.Tests[0].Outcome != record.Pass {
		t.Errorf("run is %+v, want two rounds of the program", run)
	}
	if run.PeriodMS != 8 {
		t.Errorf("it was sampled each %g ms, want 8: a service is in use", run.PeriodMS)
	}
	if len(rounds) != 2 || rounds[0] != 1 || rounds[1] != 2 {
		t.Errorf("progress told of rounds %v, want 1 and 2", rounds)
	}
	var spin *record.Component
	for i := range run.Components {
		if run.Components[i].ID == "example.com/m.Spin" {
			spin = &run.Components[i]
		}
	}
	if spin == nil || spin.Rank != 1 || spin.File != "m.go" || spin.Line != 8 || spin.N != 0 || spin.TimeMS <= 0 {
		t.Fatalf("components are %+v, want Spin of m.go:8 first", run.Components)
	}
	if _, err := target.Of(pid); err != nil {
		t.Errorf("the process does not run any longer: %v", err)
	}
}

// Where the process ends, or the user interrupts, what was complete is kept, and is partial.
func TestAttachEndsEarly(t *testing.T) {
	t.Run("the process ends", func(t *testing.T) {
		dir, pid, stop := serving(t, "spin")
		run, err := attach(t, dir, pid, 10*time.Second, func(s Step, _ func()) {
			if s.Kept == 2 {
				stop()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if !run.Partial || run.Rounds != 2 {
			t.Errorf("partial is %v after %d rounds, want true after 2", run.Partial, run.Rounds)
		}
		hasNote(t, run, note.EndedEarlyCode, "the process ended")
	})
	t.Run("the user interrupts", func(t *testing.T) {
		dir, pid, _ := serving(t, "spin")
		run, err := attach(t, dir, pid, 10*time.Second, func(s Step, interrupt func()) {
			if s.Kept == 1 {
				interrupt()
			}
		})
		if !errors.Is(err, context.Canceled) || run == nil || !run.Partial || run.Rounds != 1 {
			t.Errorf("run is %+v (%v), want a partial one of a round, and that it was interrupted", run, err)
		}
	})
	t.Run("nothing was complete", func(t *testing.T) {
		dir, pid, stop := serving(t, "spin")
		run, err := attach(t, dir, pid, 10*time.Second, func(s Step, _ func()) {
			if s.Round == 1 {
				stop()
			}
		})
		if run != nil || !errors.Is(err, execution.ErrNoTime) {
			t.Errorf("run is %+v (%v), want %v", run, err, execution.ErrNoTime)
		}
	})
}

// A service that only waits has no function, and what its children used before is not counted.
func TestAttachToWhatWaits(t *testing.T) {
	dir, pid, _ := serving(t, "family")
	run, err := attach(t, dir, pid, time.Second, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if used := run.Tests[0].Unattributed[record.Children].TimeMS; used > 100 {
		t.Errorf("children used %g ms, want none of the half second before", used)
	}
	if len(run.Components) != 0 {
		t.Errorf("components are %+v", run.Components)
	}
	hasNote(t, run, note.NoSampleCode, "")
}

// Why: what no function of the module called was named "test code", of a service.
func TestAttachToCodeOutsideTheModule(t *testing.T) {
	dir, pid, _ := serving(t, "library")
	for seen := false; !seen; { // until a sample fell in it
		run, err := attach(t, dir, pid, time.Second, quiet)
		if err != nil {
			t.Fatal(err)
		}
		parts := run.Tests[0].Unattributed
		if _, test := parts[record.TestCode]; test {
			t.Fatalf("parts are %v: there is no test", parts)
		}
		seen = parts[record.OutsideCode].TimeMS > 0
	}
}

// A folder that is not the program's source is refused, and says how to name it.
func TestAttachInAnotherModule(t *testing.T) {
	_, pid, _ := serving(t, "idle")
	for name, dir := range map[string]string{"another module": module(t, map[string]string{"a.go": "package m\n"}), "no module": t.TempDir()} {
		if name == "another module" {
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/other\n\ngo 1.26\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run, err := attach(t, dir, pid, time.Second, quiet)
		if run != nil || err == nil || !strings.Contains(err.Error(), "was built from example.com/m/cmd/serve of module example.com/m; name a folder of its source with -C") {
			t.Errorf("in %s the error is %v", name, err)
		}
	}
}

// Samples from outside do not tell who started a goroutine, nor its labels.
func TestAttachByLabel(t *testing.T) {
	const want = "does not tell its labels: use --granularity function, or measure the program with --exec"
	if _, err := Attach(t.Context(), Params{Granularity: spell.KindLabel}, &target.Process{}, time.Second); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want one with %q", err, want)
	}
}

// A time that is too short for a round is refused.
func TestAttachTooShortly(t *testing.T) {
	if _, err := Attach(t.Context(), Params{}, &target.Process{}, time.Millisecond); err == nil || !strings.Contains(err.Error(), "1ms is too short: measure for at least 1s") {
		t.Errorf("the error is %v", err)
	}
}
