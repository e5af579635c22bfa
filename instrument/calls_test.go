package instrument

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/instrument/probe"
)

// called adds up the CPU time of each stack of components in a test, the outermost
// first, as parts of all of it, which is given in ms.
func called(b *Build, calls []probe.Call) (parts map[string]float64, ms float64) {
	parts = make(map[string]float64)
	names := make([]string, len(calls))
	for i, c := range calls {
		name := strings.TrimPrefix(b.Components[c.Row-1].ID, "example.com/calls.")
		switch {
		case c.Caller >= 0:
			name = names[c.Caller] + " " + name
		case c.Cut:
			name = "... " + name
		}
		names[i] = name
		parts[name] += float64(c.NS) / 1e6
		ms += float64(c.NS) / 1e6
	}
	for name := range parts {
		parts[name] /= max(ms, 1)
	}
	return parts, ms
}

// See the archive: who called Spins in each test, and for what part of its time.
func TestSamplesTellWhoCalledWhom(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/calls.txtar")})
	_, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers})
	if log.LostNS != 0 {
		t.Errorf("%d ns were lost: there is room for all of these stacks", log.LostNS)
	}
	self := make(map[string]float64) // ms of all components
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			if row > 0 && row <= len(b.Components) {
				self[w.Test] += float64(c.SelfNS) / 1e6
			}
		}
	}
	for test, want := range map[string]map[string]float64{
		"TestShares":    {"Much Spins": 0.75, "Little Spins": 0.25},
		"TestRecursion": {"Recurses Spins": 0.5, "Ping Pong Ping Pong Spins": 0.5},
		"TestDeep":      {"... Recurses Spins": 1},
		"TestLiteral":   {"Passes Each Passes Spins": 1},
		"TestInlined":   {"CallsInlined Inlined Spins": 1},
		"TestGoroutine": {"Starts Spins": 1},
		"TestLibrary":   {"Sorts less Spins": 1},
		"TestCallback":  {"Each Spins": 1},
		"TestAlone":     {},
		"TestParent":    {"Recurses Spins": 0.5, "Spins": 0.5},
	} {
		got, ms := called(b.Build, log.Calls[test])
		if math.Abs(ms-self[test]) > 20+self[test]/10 {
			t.Errorf("%s: stacks were seen for %.0f ms, components ran for %.0f ms", test, ms, self[test])
		}
		for stack := range want {
			got[stack] += 0 // also what was not seen
		}
		delete(log.Calls, test)
		for stack, part := range got {
			if math.Abs(part-want[stack]) > 0.15 {
				t.Errorf("%s: %q has %.2f of the time, want %.2f", test, stack, part, want[stack])
			}
		}
	}
	for test := range log.Calls {
		t.Errorf("there are calls of %q: subtests belong to their tests, and what ran before them to none", test)
	}
}

// See the archive: the table of stacks, booked into by several threads.
func TestTableOfStacks(t *testing.T) {
	runsAlone(t, "testdata/callstable.txtar", "spell_lsp_stacks.go", "spell_lsp_callers.go")
}

// runsAlone builds a program of an archive with files of the probe, and runs it. It must say ok.
func runsAlone(t *testing.T, archive string, files ...string) {
	t.Helper()
	dir := unpack(t, archive)
	for _, name := range files {
		source := string(must(probe.Sources.ReadFile("_runtime/" + name)))
		source = strings.Replace(source, "package runtime", "package main", 1)
		source = strings.Replace(source, "internal/runtime/atomic", "example.com/table/atomic", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
