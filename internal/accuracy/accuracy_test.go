package main

import (
	"bytes"
	"context"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/runner/sampler"
)

// TestMain lets the test binary also run in the roles that it starts as processes.
func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main(coreDrivers()...))
	}
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		os.Exit(harness.ExitCode(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout)))
	}
	os.Exit(m.Run())
}

// Why: a workload that does not build would only be noticed after minutes, and one
// with inlined functions would be measured by samples instead of probes.
func TestWorkloadsBuild(t *testing.T) {
	all := workloads()
	for _, w := range callerWorkloads() {
		all = append(all, w.workload)
	}
	for _, w := range all {
		dir := t.TempDir()
		if err := w.write(dir); err != nil {
			t.Fatal(err)
		}
		for _, file := range w.files() {
			if _, err := parser.ParseFile(token.NewFileSet(), w.path(filepath.Join(dir, "work"), file), nil, parser.AllErrors); err != nil {
				t.Errorf("%s: %v", w.name, err)
			}
		}
		if w.name != "blocked" && w.name != "garbage" && w.calleeW == nil && !w.built && !w.server {
			continue // the other workloads use the same templates
		}
		cmd := exec.Command("go", "vet", "./...")
		cmd.Dir = filepath.Join(dir, "work")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", w.name, err, out)
		}
	}
}

// Why: people also use the simulated machine by hand: it must obey the lines of its
// standard input and print its truth.
func TestMachineObeys(t *testing.T) {
	dir := t.TempDir()
	in, commands := io.Pipe()
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { // -ordinary: processes that the tests start would have this one's precedence
		done <- simulate(t.Context(), []string{"-dir", dir, "-ordinary", "-until-eof", "-watts", "1000", "-period", "zen2"}, in, &out)
	}()
	io.WriteString(commands, "\nfault package-0/dram Missing\nfault package-0/dram missing\nwatts package-0 many\nwatts package-0 0\ntruth\n")
	commands.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(powercapsim.Root(dir), "intel-rapl:0:0", "energy_uj")); !os.IsNotExist(err) {
		t.Errorf("the memory's counter is still there: %v", err)
	}
	text := out.String()
	for _, want := range []string{"--powercap-root " + powercapsim.Root(dir), "POWERCAPSIM=" + dir, "package-0 ", "updates, late by"} {
		if !strings.Contains(text, want) {
			t.Errorf("the output has no %q:\n%s", want, text)
		}
	}
}

// Why: bad usage must be refused before measuring, which takes ten minutes.
func TestBadUsage(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"-run", "("}, {"-bad"}, {"sim", "-period", "skylake"}, {"neighbour", "more"}} {
		if code := harness.ExitCode(run(t.Context(), args, strings.NewReader(""), io.Discard)); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
	}
}

// Why: the machine must count the energy that a neighbour books, and no process may
// remain after its end.
func TestNeighbourIsCounted(t *testing.T) {
	dir := t.TempDir()
	sim, err := startSimulator(t.Context(), dir, &workload{neighbour: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := burn.Open(accountsIn(dir))
	if err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); accounts.Functions[neighbourFunction].PJ.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			t.Fatal("the neighbour booked no energy for 2 minutes")
		}
	}
	truth, err := sim.end()
	if err != nil {
		t.Fatal(err)
	}
	booked := truth.Functions[neighbourFunction].Joules
	if dram := truth.Joules["package-0/dram"]; booked <= 0 || dram < dramLoad*booked {
		t.Errorf("the neighbour booked %g J, and memory used %g J in all", booked, dram)
	}
}
