package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/childtest"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/sshtarget"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// counter simulates an energy counter, and returns the folder that it is in.
func counter(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	simulateBeside(t, powercapsim.Params{Dir: dir, Zones: []powercapsim.Zone{{Name: "package-0", Watts: 10}}})
	return dir
}

// simulateBeside simulates a machine in a process of its own, which does not wait for the tests'.
func simulateBeside(t *testing.T, p powercapsim.Params) {
	t.Helper()
	p.RealTime = true
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, childtest.Start(t, exec.CommandContext(t.Context(), os.Args[0], simulator, string(text))).Out)
}

// newTarget is a machine to measure on, which the test's ssh knows.
func newTarget(t *testing.T, o sshtarget.Options) *sshtarget.Target {
	t.Helper()
	long(t)
	lab := sshtarget.New(t, o)
	t.Setenv("PATH", lab.Path())
	return lab
}

// measureThere starts a measurement of a folder on the target.
func measureThere(t *testing.T, dir string, args ...string) *measuring {
	t.Helper()
	file, err := static()
	if err != nil {
		t.Fatal(err)
	}
	return startMeasuringBy(t, file, t.TempDir(), dir, append([]string{"--on", sshtarget.Host, "--format", "json"}, args...)...)
}

// result waits for the end of a measurement, which must have this exit code, and reads its run.
func (m *measuring) result(t *testing.T, code int) *record.Run {
	t.Helper()
	if got := m.end(); got != code {
		t.Fatalf("exit code %d, want %d: %s", got, code, m.last)
	}
	run, err := recordjson.Read(&m.out)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// inCache are the files that a measurement may leave on the target.
var inCache = regexp.MustCompile(`^\.cache/spell-lsp/(remote/bin/[0-9a-f]{64}|remote/content/([0-9a-f]{64}|lock)|calmness/[0-9a-f]{32}\.json)$`)

// leftNothing waits until nothing of the user runs on the target, and nothing is there but the cache.
func leftNothing(t *testing.T, lab *sshtarget.Target) {
	t.Helper()
	eventually(t, "nothing of the user runs on the target", func() bool { return len(lab.Processes()) == 0 })
	for _, file := range lab.Files(t) {
		if !inCache.MatchString(file) {
			t.Errorf("%s is left on the target", file)
		}
	}
}

// outcomes are what a run says of its tests.
func outcomes(r *record.Run) map[string]string {
	found := make(map[string]string)
	for _, test := range r.Tests {
		found[test.Name] = string(test.Outcome)
	}
	return found
}

// Why: this is what somebody does who has no counter: build here, measure on a machine of the team, whose admin
// has installed nothing and lets them write to their home only. The figures are of that machine, the tests end as
// here, and nothing stays there but the cache, which makes the second measurement a short one.
func TestMeasureOnAnotherMachine(t *testing.T) {
	counters := counter(t)
	lab := newTarget(t, sshtarget.Options{
		Folders: map[string]string{"/counters": counters},
		Files:   map[string]string{"/proc/cpuinfo": "model name\t: Processor of the lab\n"},
	})
	if got := lab.Do(t, "command -v go; for f in / /tmp /usr /etc /home; do touch $f/x && echo $f; done 2>/dev/null; ls -A"); got != "" {
		t.Fatalf("the user of the target has go, can write elsewhere, or had been there: %s", got)
	}
	const example = "../../examples/parking"
	here := startMeasuring(t, example, "--meter", "rapl", "--powercap-root", powercapsim.Root(counters), "--warmup", "0", "--rounds", "2", "--format", "json").result(t, exitDone)
	var sent [2]int64
	for i := range sent {
		lab.Wire.Reset(0, nil)
		there := measureThere(t, example, "--meter", "rapl", "--powercap-root", "/counters/class/powercap", "--warmup", "0", "--rounds", "2").result(t, exitDone)
		sent[i], _ = lab.Wire.Passed()
		if diff := cmp.Diff(outcomes(here), outcomes(there)); diff != "" || len(there.Tests) == 0 {
			t.Errorf("-here +there:\n%s", diff)
		}
		if there.Host.CPU != "Processor of the lab" || there.Meter.Name != "rapl" || there.Meter.Source != record.Measured || there.Rounds != 2 || there.Partial {
			t.Errorf("the run is of %q by %s (%s) in %d rounds, partial %v: %v", there.Host.CPU, there.Meter.Name, there.Meter.Source, there.Rounds, there.Partial, there.Notes)
		}
		if worst := there.Imbalance(); worst > 0.005 {
			t.Errorf("parts and counter differ by %g", worst)
		}
		leftNothing(t, lab)
	}
	if sent[1] >= 1_000_000 || sent[0] < 10*sent[1] {
		t.Errorf("%d bytes were sent, and %d the second time", sent[0], sent[1])
	}
	if programs, _ := filepath.Glob(filepath.Join(lab.Home, ".cache/spell-lsp/remote/bin/*")); len(programs) != 1 {
		t.Errorf("the programs there are %q", programs)
	}
}
