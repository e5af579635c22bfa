package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// If the first argument is burner, the test binary is a child process. It computes for a CPU time
// in ms, the second argument, and draws burnW watts from the simulated machine, if there is one.
const (
	burner = "burn-cpu"
	burnW  = 20
)

func burnMain() {
	ms, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	burn.CPU(0, burnW, time.Duration(ms)*time.Millisecond)
	os.Exit(0)
}

// parent is a module whose test starts children, one after the other. It writes their CPU time, which
// wait4(2) reports to the microsecond, to a file.
var parent = map[string]string{
	"run.go": `package m

import (
	"os"
	"os/exec"
	"strings"
	"time"
)

// Run starts CHILD n times, and returns the CPU time of all of them.
func Run(n int) (used time.Duration, err error) {
	for range n {
		words := strings.Split(os.Getenv("CHILD"), "|")
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env = append(os.Environ(), "POWERCAPSIM="+os.Getenv("ACCOUNTS"))
		if err := cmd.Run(); err != nil {
			return 0, err
		}
		used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return used, nil
}
`,
	"run_test.go": `package m

import (
	"os"
	"strconv"
	"testing"
)

func TestRun(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("CHILDREN"))
	if err != nil {
		t.Fatal(err)
	}
	used, err := Run(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("USED"), []byte(strconv.FormatInt(int64(used), 10)), 0o600); err != nil {
		t.Fatal(err)
	}
}
`,
}

// childrenOfParent makes the test of parent start n children with the given command. usedMS returns
// the CPU time of the children in its last execution.
func childrenOfParent(t *testing.T, n int, words ...string) (usedMS func() float64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "used")
	t.Setenv("CHILD", strings.Join(words, "|"))
	t.Setenv("CHILDREN", strconv.Itoa(n))
	t.Setenv("USED", file)
	return func() float64 {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ns, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		return ns / 1e6
	}
}

// processor makes a procfs with a processor that the meter model knows: 9.5 W at rest, and 28.5 W
// for each of its two threads.
func processor(t *testing.T) meter.Options {
	t.Helper()
	var text strings.Builder
	for i := range 2 {
		fmt.Fprintf(&text, "processor\t: %d\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 158\nmodel name\t: Intel(R) Core(TM) i9-9900K CPU @ 3.60GHz\nstepping\t: 12\nphysical id\t: 0\nflags\t\t: fpu\n\n", i)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "cpuinfo"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return meter.Options{ProcRoot: root}
}

// Child processes, one long or a thousand short ones, are charged with their own CPU time, within
// 5 %, and its energy. The function that starts them is charged only with its own. The expected CPU
// time comes from the kernel, so the speed of the machine does not matter.
func TestChildProcesses(t *testing.T) {
	short, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why  string
		n    int
		word []string
		name string // in the warning
	}{
		{"one child of 629 ms", 1, []string{os.Args[0], burner, "629"}, filepath.Base(os.Args[0])[:11]},
		{"1000 short children", 1000, []string{short}, "too short for their names to be seen"},
	} {
		t.Run(test.why, func(t *testing.T) {
			usedMS := childrenOfParent(t, test.n, test.word...)
			run, err := Measure(t.Context(), Params{Dir: module(t, parent), Meter: "model", Meters: processor(t), Rounds: 1})
			if err != nil {
				t.Fatal(err)
			}
			part := run.Tests[0].Unattributed[record.Children]
			near(t, "CPU time of the children", part.TimeMS, usedMS(), 0.05)
			near(t, "their energy", part.EnergyJ[spell.CPU], 28.5*part.TimeMS/1e3, 0.01)
			c := run.Components[0]
			near(t, "energy of the function that starts them", c.EnergyJ[spell.CPU], 28.5*c.TimeMS/1e3, 0.01)
			near(t, "energy of the idle machine", run.Tests[0].Unattributed[record.Idle].EnergyJ[spell.CPU], 9.5*run.Tests[0].TimeMS/1e3, 0.01)
			if run.Imbalance() > 1e-9 {
				t.Errorf("components and parts differ from the counter by %g", run.Imbalance())
			}
			warnings := strings.Join(wording.Texts(run.Notes), "\n")
			if want := "child processes used "; !strings.Contains(warnings, want) || test.n == 1 && !strings.Contains(warnings, test.name) {
				t.Errorf("warnings are\n%s\nwant one about child processes, with %q", warnings, test.name)
			}
		})
	}
}
