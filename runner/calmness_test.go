package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/calm"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/meter"
	"spell-lsp/spell/record"
)

// Why: how far measuring changes a program is found out once for its binary, and shown with later
// measurements of it. Another binary is looked at anew.
func TestCalmnessIsFoundOutOnce(t *testing.T) {
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := module(t, map[string]string{
		"go.mod":       "module example.com/calm\n\ngo 1.25\n",
		"calm.go":      "package calm\n\nfunc Spin(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i % 7\n\t}\n\treturn\n}\n",
		"calm_test.go": "package calm\n\nimport \"testing\"\n\nfunc TestSpin(t *testing.T) { Spin(1e6) }\n\nfunc TestNoProbes(t *testing.T) { Spin(10) }\n",
	})
	measure := func(run string, rounds int, calm bool) *record.Run {
		t.Helper()
		r, err := Measure(t.Context(), Params{Dir: dir, Meter: "none", Rounds: rounds, Calm: calm, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := measure("TestSpin", 1, false); r.Calmness != nil || r.PeriodMS != 4 {
		t.Errorf("nobody asked for it: calmness is %+v, the period %v ms, want the meter's 4", r.Calmness, r.PeriodMS)
	}
	first := measure("TestSpin", 6, true).Calmness
	if first == nil || first.Rounds != 5 || !slices.Contains(calmVerdicts, first.Verdict) {
		t.Fatalf("calmness is %+v, want one of 5 plain rounds", first)
	}
	if diff := cmp.Diff(first, measure("TestSpin", 1, true).Calmness); diff != "" {
		t.Errorf("the second measurement of the same binary differs (-first +second):\n%s", diff)
	}
	if few := measure("TestNoProbes", 2, true).Calmness; few == nil || few.Rounds != 0 || few.Verdict != "undecided" {
		t.Errorf("of 2 rounds, which cannot decide, calmness is %+v", few)
	}
	if other := measure("TestNoProbes", 3, true).Calmness; other == nil || other.Rounds != 3 {
		t.Errorf("of other tests calmness is %+v, want that of 3 plain rounds", other)
	}
	spoil(t)
	slower := measure("TestSpin", 3, true)
	if c := slower.Calmness; slower.PeriodMS != 8 || slower.Meter.ResolutionMS != 8 || c == nil || c.Rounds != 3 {
		t.Errorf("after a run that was disturbed every 4 ms, the period is %v ms, of the meter %v ms, calmness %+v; want 8 ms and 3 plain rounds", slower.PeriodMS, slower.Meter.ResolutionMS, c)
	} else if diff := cmp.Diff([]record.OtherPeriod{{PeriodMS: 4, Verdict: "disturbed"}}, c.Others); diff != "" {
		t.Errorf("why the period is 8 ms (-want +got):\n%s", diff)
	}
	if skipped := measure("TestSpin", 3, false); skipped.Calmness != nil || skipped.PeriodMS != 4 {
		t.Errorf("calmness was not asked for: it is %+v, the period %v ms, want the usual 4", skipped.Calmness, skipped.PeriodMS)
	}
}

// spoil has every measurement so far disturbed by its period.
func spoil(t *testing.T) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "spell-lsp", "calmness", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("nothing is kept: %v", err)
	}
	for _, name := range names {
		kept := readCalm(name)
		for i := range kept {
			kept[i].Verdict, kept[i].OfPeriod = "disturbed", calm.Disturbed
		}
		keepCalm(name, kept)
	}
}

// Samples cost the program its time, so their period does not begin with the shortest; readings begin
// with what the meter can, and a shorter period than that brings nothing.
func TestPeriods(t *testing.T) {
	counter := func(resolution time.Duration) meter.Info { return meter.Info{Counter: true, Resolution: resolution} }
	for _, tt := range []struct {
		info         meter.Info
		sampled      bool
		least, first time.Duration
	}{
		{counter(time.Millisecond), false, time.Millisecond, time.Millisecond},
		{counter(5 * time.Millisecond), false, 8 * time.Millisecond, 8 * time.Millisecond},
		{counter(time.Second), false, 4 * time.Millisecond, 4 * time.Millisecond},
		{meter.Info{Resolution: time.Millisecond}, false, 4 * time.Millisecond, 4 * time.Millisecond},
		{counter(time.Millisecond), true, time.Millisecond, 2 * time.Millisecond},
	} {
		m := &measurement{info: tt.info}
		if tt.sampled {
			m.sampling = &execution.Sampling{}
		}
		if least, first := m.periods(); least != tt.least || first != tt.first {
			t.Errorf("%+v, sampled %t: from %v, at first %v; want %v and %v", tt.info, tt.sampled, least, first, tt.least, tt.first)
		}
	}
}

// Why: what is kept is read again by any version, and the folder is the user's: it may hold anything.
func TestKeptCalmnessIsChecked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "kept.json")
	const good = `[{"period_ms": 4, "verdict": "calm", "rounds": 5, "of_period": "undecided"}]`
	for text, valid := range map[string]bool{
		good:                                     true,
		strings.Replace(good, "m\"", "mer\"", 1): false,
		strings.Replace(good, "unde", "de", 1):   false,
		strings.Replace(good, ": 5", ": 0", 1):   false,
		strings.TrimSuffix(good, "]"):            false,
		strings.Repeat(" ", maxCalm) + good:      false,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readCalm(name); (got != nil) != valid {
			t.Errorf("%.40q: read as %+v", text, got)
		}
	}
	if readCalm(name+".none") != nil {
		t.Error("a file that is not there was read")
	}
}

// An estimate that is made of CPU time is read less often where the program is measured as a whole: readings
// wake processors that the program could use. A counter is joined with what ran in each of its ticks.
func TestPeriodOfReadings(t *testing.T) {
	for _, tt := range []struct {
		counter, whole bool
		want           time.Duration
	}{{false, false, 2 * time.Millisecond}, {false, true, 16 * time.Millisecond}, {true, true, 2 * time.Millisecond}} {
		m := &measurement{whole: tt.whole, info: meter.Info{Counter: tt.counter}}
		if got := m.readings(2 * time.Millisecond); got != tt.want {
			t.Errorf("counter %t, the program as a whole %t: a reading each %v, want %v", tt.counter, tt.whole, got, tt.want)
		}
		if least, first := m.periods(); !tt.counter && tt.whole && (least != tt.want || first != tt.want) {
			t.Errorf("the period begins with %v, at least %v, want %v", first, least, tt.want)
		}
	}
}
