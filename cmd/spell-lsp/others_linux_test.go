package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/runner/sampler"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// samplerOf is the number of the process that reads the meter for a measurement.
func (m *measuring) samplerOf(t *testing.T) string {
	t.Helper()
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range entries {
		environ, _ := os.ReadFile(name)
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if bytes.Contains(environ, []byte(m.mark)) && strings.HasPrefix(string(line), sampler.Name+"\x00") {
			return filepath.Base(filepath.Dir(name))
		}
	}
	t.Fatal("the measurement has no sampler")
	return ""
}

// processesOf are those of other measurements that a run says it was beside.
func processesOf(t *testing.T, run *record.Run) []string {
	t.Helper()
	i := slices.IndexFunc(run.Notes, func(n note.Note) bool { return n.Code == note.OtherMeasurementCode })
	if i < 0 {
		t.Fatalf("no note of another measurement: %v", run.Notes)
	}
	list, _ := run.Notes[i].Args["processes"].([]string)
	return list
}

// Two measurements at a time disturb each other, and whoever started them may not know: an
// editor and a terminal, or two users. Both are told while they run, the one that began first
// too, and both runs say so.
func TestTwoMeasurementsNoticeEachOther(t *testing.T) {
	begun := t.TempDir()
	t.Setenv("BEGUN", begun)
	first := startMeasuring(t, module(t, map[string]string{
		"go.mod": "module example.com/first\n\ngo 1.26\n",
		"x.go":   "package first\n\nfunc F() {}\n",
		// Its second round waits for the second measurement. It tells of that when it begins another
		// round, some time after it has seen it: all of its rounds take longer than that.
		"x_test.go": `package first

import (
	"os"
	"testing"
	"time"
)

func TestF(*testing.T) {
	F()
	if os.Mkdir(os.Getenv("BEGUN")+"/first", 0o700) == nil {
		return
	}
	for {
		time.Sleep(100 * time.Millisecond)
		if _, err := os.Stat(os.Getenv("BEGUN") + "/second"); err == nil {
			return
		}
	}
}
`,
	}), "--meter", "none", "--warmup", "0", "--rounds", "1000", "--format", "json")
	first.until(t, "round 2")
	gate := filepath.Join(t.TempDir(), "gate")
	if out, err := exec.CommandContext(t.Context(), "mkfifo", gate).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("GATE", gate)
	second := startMeasuring(t, module(t, map[string]string{
		"go.mod": "module example.com/second\n\ngo 1.26\n",
		"x.go":   "package second\n\nfunc F() {}\n",
		// It waits until somebody opens the other end.
		"x_test.go": "package second\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestF(*testing.T) { F(); os.ReadFile(os.Getenv(\"GATE\")) }\n",
	}), "--meter", "none", "--warmup", "0", "--rounds", "1", "--format", "json")

	const told = "spell-lsp: another measurement ran on this machine at the same time (process "
	second.until(t, "round 1")
	second.saying(t, told)
	if err := os.WriteFile(filepath.Join(begun, "second"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first.saying(t, told) // maybe of a third one before, so what the runs say decides
	ofFirst, ofSecond := first.samplerOf(t), second.samplerOf(t)

	// The first ends while the second waits, and looks once more.
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	first.end()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := second.end(); code != exitDone {
		t.Errorf("the second ended with %d: %s", code, second.last)
	}
	for _, c := range []struct {
		of    *measuring
		other string
	}{{first, ofSecond}, {second, ofFirst}} {
		run, err := recordjson.Read(&c.of.out)
		if err != nil {
			t.Fatal(err)
		}
		if list := processesOf(t, run); !slices.Contains(list, c.other) {
			t.Errorf("%s: other measurements are read by %q, want %s among them", run.Workspace.Module, list, c.other)
		}
	}
}
