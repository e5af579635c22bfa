package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/recordjson"
)

func small(t *testing.T) *workspace {
	t.Helper()
	w, err := newWorkspace(filepath.Join(t.TempDir(), "small"), 2, 2, 40)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Why: functions that no test calls get no diagnostics, and a module that does not
// build cannot be measured.
func TestTestsOfTheWorkspaceCallAllFunctions(t *testing.T) {
	w := small(t)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-cover", "./...")
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "coverage: 100.0% of statements"); n != 2 {
		t.Errorf("not both packages are covered by their tests:\n%s", out)
	}
	if n := w.components(); n != 160 {
		t.Errorf("%d functions, want 2 x 2 x 40", n)
	}
}

// Why: a record that is refused, or whose functions differ from those in the files,
// would show nothing, which is fast but useless.
func TestRecordIsOfTheWorkspaceAsItStands(t *testing.T) {
	w := small(t)
	var b bytes.Buffer
	if err := recordjson.Write(&b, w.run()); err != nil {
		t.Fatal(err)
	}
	run, err := recordjson.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if worst := run.Imbalance(); worst > 1e-9 {
		t.Errorf("parts and counter differ by %g", worst)
	}
	hashes := map[string]string{}
	for _, c := range run.Components {
		hashes[c.ID] = c.Hash
	}
	for _, f := range w.files {
		for _, g := range f.functions {
			if hashes[f.pkg+"."+g.Name] != g.Hash {
				t.Errorf("%s.%s has another hash in the record", f.pkg, g.Name)
			}
		}
	}
	if len(hashes) != w.components() {
		t.Errorf("%d components of %d functions", len(hashes), w.components())
	}
	if len(calltree.Of(run).Callers(0))+len(calltree.Of(run).Callees(0)) == 0 {
		t.Error("the first component has neither callers nor callees")
	}
}

// Why: the typed character must be within the body of the requested function, or the
// edit causes the server no work.
func TestTypingIsInTheBody(t *testing.T) {
	for _, f := range small(t).files {
		lines := strings.Split(f.text, "\n")
		for _, g := range f.functions {
			if line := lines[g.Start.Line]; !strings.HasPrefix(line, typedAfter) {
				t.Fatalf("below the name of %s stands %q", g.Name, line)
			}
		}
	}
}

// Why: an overlooked process would be reported as "nothing is left".
func TestFamilyFindsProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked up in /proc")
	}
	dir := t.TempDir()
	for name, set := range map[string]func(*exec.Cmd){
		"by the mark":   func(c *exec.Cmd) { c.Env = []string{"SPELL_LSP_BENCH=test-" + filepath.Base(dir)} },
		"by the folder": func(c *exec.Cmd) { c.Env, c.Dir = []string{"A=b"}, dir },
	} {
		sleep := exec.CommandContext(t.Context(), "sleep", "60")
		set(sleep)
		if err := sleep.Start(); err != nil {
			t.Fatal(err)
		}
		m := &runningMeasurement{mark: "SPELL_LSP_BENCH=test-" + filepath.Base(dir), dir: dir, temp: t.TempDir()}
		for len(m.family()) == 0 { // Start may return before the process has its environment
			runtime.Gosched()
		}
		if found := m.family(); len(found) != 1 || found[0].pid != sleep.Process.Pid || found[0].line != "sleep 60" {
			t.Errorf("%s: found %+v", name, found)
		}
		if left := m.left(false); len(left) != 1 {
			t.Errorf("%s: left is %q", name, left)
		}
		sleep.Process.Kill()
		sleep.Wait()
		if took, left := m.gone(time.Now(), false); len(left) > 0 {
			t.Errorf("%s: after %v there is still %q", name, took, left)
		}
	}
}

// Why: a single one of two hundred measurements that leaves something behind, or a
// single late answer, misses a bar, and the table must name it.
func TestRowOfEndedMeasurements(t *testing.T) {
	good := cancelResult{phase: "round 1", processes: 4, answer: time.Millisecond, gone: 20 * time.Millisecond}
	left, late, unseen := good, good, good
	left.left, late.answer, unseen.processes = []string{"process sleep 60"}, time.Second, 1
	for _, c := range []struct {
		why  string
		all  []cancelResult
		pass bool
	}{
		{"all good", []cancelResult{good, good}, true},
		{"one left a process", []cancelResult{good, left}, false},
		{"one answer is late", []cancelResult{good, late}, false},
		{"no process was ever seen", []cancelResult{unseen, unseen}, false},
	} {
		var made harness.Table
		made.Header = make([]string, 8)
		cancelMethods[0].row(&made, c.all)
		if made.Passed() != c.pass {
			t.Errorf("%s: passed is %v", c.why, made.Passed())
		}
		if named := strings.Contains(strings.Join(made.Notes, ""), "sleep 60"); named != (c.why == "one left a process") {
			t.Errorf("%s: the notes are %q", c.why, made.Notes)
		}
	}
}
