package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// family is a module whose tests start children that compute: a command that is built, or run from
// its source, the test program itself, and a shell. Each test writes the CPU time in ms that the
// kernel has of the threads in which Grind runs to a file of its name, and Grind how often it was
// called is known: 30 times by each child. Other threads of a child, of Go's runtime, use the more the
// busier the machine is.
var family = map[string]string{
	"go.mod": "module example.com/family\n\ngo 1.25\n",
	"work/work.go": `package work

import (
	"runtime"
	"syscall"
	"time"
)

var sink int

// Grind computes until this thread has used so much CPU time.
func Grind(until time.Duration) {
	for Used() < until {
		for i := range 100_000 {
			sink += i * sink
		}
	}
}

// Used is the CPU time of this thread so far.
//
//go:nosplit
func Used() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Do calls Grind 30 times, and returns the CPU time of its thread meanwhile.
func Do() time.Duration {
	runtime.LockOSThread()
	before := Used()
	for i := range 30 {
		Grind(before + time.Duration(i+1)*40*time.Millisecond)
	}
	return Used() - before
}
`,
	"cmd/grind/main.go": `package main

import (
	"fmt"

	"example.com/family/work"
)

func main() { fmt.Println(float64(work.Do()) / 1e6) }
`,
	"family_test.go": `package family

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/family/work"
)

func TestMain(m *testing.M) {
	if os.Getenv("HELPER") != "" {
		fmt.Println(float64(work.Do()) / 1e6)
		return
	}
	os.Exit(m.Run())
}

// keep runs a command and keeps what it prints.
func keep(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = os.WriteFile(filepath.Join(os.Getenv("USED"), t.Name()), out, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestBuild(t *testing.T) {
	name := filepath.Join(t.TempDir(), "grind")
	if out, err := exec.Command("go", "build", "-o", name, "./cmd/grind").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	keep(t, exec.Command(name))
}

func TestRun(t *testing.T) { keep(t, exec.Command("go", "run", "./cmd/grind")) }

func TestSelf(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"HELPER=1"}
	keep(t, cmd)
}

func TestShell(t *testing.T) {
	keep(t, exec.Command("sh", "-c", "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; echo 0"))
}
`,
}

// The functions of a child that is a Go program of the module are measured as those of the test
// itself: of a thread that computes, at least 95 % of the CPU time is at its function, and its calls
// are exact. Any other child stays in "child processes" under its name. Parts and components add
// up to what the meter said.
func TestFunctionsOfChildren(t *testing.T) {
	used := t.TempDir()
	t.Setenv("USED", used)
	run, err := Measure(t.Context(), Params{Dir: module(t, family), Meter: "model", Meters: processor(t), Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Tests) != 4 {
		t.Errorf("%d tests were measured, want 4", len(run.Tests))
	}
	for i, test := range run.Tests {
		if test.Outcome != record.Pass {
			t.Errorf("%s: %s %s", test.Name, test.Outcome, test.Output)
			continue
		}
		_, name, _ := strings.Cut(test.Name, ".com/family.")
		text, err := os.ReadFile(filepath.Join(used, name))
		if err != nil {
			t.Fatal(err)
		}
		var childMS, timeMS, n float64
		if _, err := fmt.Sscan(string(text), &childMS); err != nil {
			t.Fatal(err)
		}
		for _, c := range run.Matrix.Cells {
			if int(c.Test) == i && run.Components[c.Component].ID == "example.com/family/work.Grind" {
				n, timeMS = n+c.N, timeMS+c.TimeMS
			}
		}
		if name == "TestShell" {
			if children := test.Unattributed[record.Children]; n > 0 || children.TimeMS < 10*test.Unattributed[record.TestCode].TimeMS {
				t.Errorf("%s: Grind ran %v times, child processes for %v ms, test code for %v ms; want a shell alone", name, n, children.TimeMS, test.Unattributed[record.TestCode].TimeMS)
			}
			continue
		}
		if n != 30 || timeMS < 0.95*childMS || timeMS > 1.02*childMS {
			t.Errorf("%s: Grind ran %v times and for %v ms, want 30 times and at least 95 %% of the %v ms of the child", name, n, timeMS, childMS)
		}
	}
	if run.Imbalance() > 0.005 {
		t.Errorf("components and parts differ from the counter by %g", run.Imbalance())
	}
	if warnings := strings.Join(wording.Texts(run.Notes), "\n"); strings.Contains(warnings, "grind") || strings.Contains(warnings, "family.test") {
		t.Errorf("warnings are\n%s\nwant none about the programs that were measured", warnings)
	}
}

// What a child builds of source that does not compile, or what only compiles without probes, ends
// as it does without a measurement.
func TestChildThatDoesNotBuild(t *testing.T) {
	run, err := Measure(t.Context(), Params{Dir: module(t, map[string]string{
		"go.mod":   "module example.com/m\n\ngo 1.25\n",
		"m.go":     "package m\n\nfunc F() {}\n",
		"bad/m.go": "package main\n\nfunc main() { undefined() }\n",
		"m_test.go": `package m

import (
	"os/exec"
	"testing"
)

func TestBad(t *testing.T) {
	F()
	out, err := exec.Command("go", "build", "-o", "/dev/null", "./bad").CombinedOutput()
	const want = "# example.com/m/bad\nbad/m.go:3:15: undefined: undefined\n"
	if err == nil || string(out) != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
}
`}), Meter: "none", Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if run.Tests[0].Outcome != record.Pass {
		t.Errorf("%s: %s", run.Tests[0].Outcome, run.Tests[0].Output)
	}
}
