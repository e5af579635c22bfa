package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/leaks/contest"
	"spell-lsp/internal/leaks/score"
)

// The page says how it was made and what is not in it.
func TestReport(t *testing.T) {
	r := &results{
		trials: []score.Trial{{Name: "`m.Slow`", Module: "m", Kind: "sort", CostJ: 1, Places: map[string]contest.Place{
			contest.Reference: {Rank: 2, Functions: 4}, "energy": {Rank: 1, Functions: 4},
		}}},
		discarded: map[string]int{"a test fails": 3}, failures: []string{"x: it does not\nbuild"},
	}
	for heldOut, want := range map[bool]bool{false: true, true: false} {
		page := report(options{heldOut: heldOut, sample: 1, seed: 7, rounds: 2, modules: "m"}, "go1", r)
		for _, text := range []string{"go run ./internal/leaks -sample 1 -seed 7 -rounds 2", "1 leak in 1 module", "- a test fails: 3\n", "- x: it does not build\n"} {
			if !strings.Contains(page, text) {
				t.Errorf("the page has no %q:\n%s", text, page)
			}
		}
		if strings.Contains(page, "## Leaks\n") != want {
			t.Errorf("held out %t: single leaks are listed: %t, want %t", heldOut, !want, want)
		}
	}
}

func TestProgramsAreSplit(t *testing.T) {
	const list = "github.com/google/btree@v1.1.3,github.com/gorilla/mux@v1.8.1"
	for heldOut, want := range map[bool]string{true: "github.com/google/btree@v1.1.3", false: "github.com/gorilla/mux@v1.8.1"} {
		programs, err := programsOf(list, heldOut)
		if err != nil || len(programs) != 1 || programs[0].String() != want {
			t.Errorf("held out %t: %v, %v, want %s", heldOut, programs, err, want)
		}
	}
	if _, err := programsOf("no/such/folder", false); err == nil {
		t.Error("a folder without a module is accepted")
	}
}

// Results are kept when comments change, and made again when code does.
func TestVersionIsOfCode(t *testing.T) {
	hash := func(text string) string {
		t.Helper()
		code, err := withoutComments([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return string(code)
	}
	plain := hash("package p\n\nfunc F() int { return 1 }\n")
	if got := hash("// Package p.\npackage p\n\n// F is.\nfunc F() int { return 1 } // always\n"); got != plain {
		t.Errorf("comments count: %q, %q", got, plain)
	}
	if hash("package p\n\nfunc F() int { return 2 }\n") == plain {
		t.Error("code does not count")
	}
	a, err := versionOf("contest")
	if b, errB := versionOf("score"); err != nil || errB != nil || a == b {
		t.Errorf("versions %q, %q: %v, %v", a, b, err, errB)
	}
}

// The program of a test: Slow squares its work, Often is cheap.
var program = map[string]string{
	"go.mod":    "module example.com/m\n\ngo 1.24\n",
	"m.go":      "package m\n\nimport \"strings\"\n\nfunc Slow(n int) string {\n\ts := \"\"\n\tfor range n {\n\t\ts += strings.Repeat(\"x\", Often(8))\n\t}\n\treturn s\n}\n\nfunc Often(n int) int { return n }\n",
	"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestSlow(t *testing.T) {\n\tif len(Slow(20_000)) != 160_000 {\n\t\tt.Error(\"too short\")\n\t}\n}\n",
}

// A small program is measured and profiled as modules are, with the real command, and each
// contestant gets what it needs.
func TestMeasuresAProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("measures a program")
	}
	scratch, dir := t.TempDir(), t.TempDir()
	for name, text := range program {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command, err := harness.BuildCommand(t.Context(), scratch)
	if err != nil {
		t.Fatal(err)
	}
	box, err := newSandbox(t.Context(), scratch)
	if err != nil {
		t.Fatal(err)
	}
	lab := &laboratory{sandbox: box, command: command, rounds: 1}
	p := Program{Module: dir}
	fast := p
	fast.Files = map[string]string{"m.go": strings.Replace(program["m.go"], "s += strings.Repeat(\"x\", Often(8))", "if s == \"\" { s = strings.Repeat(\"x\", Often(8)*n) }", 1)}
	c := &Case{Leak: Leak{Module: "example.com/m", Kind: "concatenation", Functions: []string{"example.com/m.Slow"}, File: "m.go", Cost: 0.5}, Clean: fast, Leaky: p}
	b := &benchmark{state: state{t.TempDir()}, text: box.text, measure: lab.measure}
	trial, err := b.try(t.Context(), c, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, contestant := range []string{"energy", "time", "energy, cumulative", "CPU profile, nearest", "memory profile, nearest", "comparison"} {
		if got := trial.Places[contestant]; got.Rank != 1 || got.Functions != 2 || got.Green {
			t.Errorf("%s has the leak at %+v, want it first of 2", contestant, got)
		}
	}
	if trial.CostJ <= 0 || trial.LineRank != 1 {
		t.Errorf("the leak costs %v J, and is %d. of the lines of its function, want it first", trial.CostJ, trial.LineRank)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != len(program) {
		t.Errorf("%d files are in the folder of the program, want %d: %v", len(left), len(program), err)
	}
}

// What a program starts and leaves behind is killed with it.
func TestProgramsLeaveNothingRunning(t *testing.T) {
	box, err := newSandbox(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pid, err := box.run(t.Context(), dir, "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
	if err != nil {
		t.Fatal(err)
	}
	for { // until the signal has arrived: the process is gone, or a zombie
		text, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(pid), "stat"))
		if err != nil || slices.Contains(strings.Fields(string(text)), "Z") {
			break
		}
	}
	home, err := box.run(t.Context(), dir, "sh", "-c", "echo $HOME $TMPDIR")
	if err != nil || strings.Count(home, box.dir) != 2 {
		t.Errorf("home and temporary files are in %s: %v", home, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := box.run(ctx, dir, "sleep", "1000"); err == nil {
		t.Error("a program that was interrupted has no error")
	}
}
