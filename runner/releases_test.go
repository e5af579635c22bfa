package runner

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/wording"
)

var releases = flag.Bool("releases", false, "measure with all Go releases, not only with one whose runtime is not known")

// worksAndSleeps is a module whose test calls a function that computes, one that sleeps, and one
// that the compiler inlines.
var worksAndSleeps = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.23\n",
	"m.go": `package m

import "time"

//go:noinline
func Works() (n int) {
	for i := range 200_000_000 {
		n += i % 7
	}
	return n
}

//go:noinline
func Calls() int { return Works() }

func Sleeps() { time.Sleep(300 * time.Millisecond) }

func Inlined(n int) int { return n + 1 }
`,
	"m_test.go": `package m

import "testing"

func TestBoth(t *testing.T) {
	n := 0
	for range 1000 {
		n = Inlined(n)
	}
	if n != 1000 || Calls() == 0 {
		t.Fatal(n)
	}
	Sleeps()
}
`,
}

// The Go release before the current one (with -releases) is measured in the same way. An older
// release, whose runtime is not known, is measured without probes in the runtime, with a warning.
// The go command downloads these releases.
func TestOtherGoReleases(t *testing.T) {
	list := map[string]bool{"go1.24.9": false}
	if *releases {
		list["go1.25.11"] = true
	}
	for release, known := range list {
		t.Run(release, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", release)
			if out, err := exec.CommandContext(t.Context(), "go", "version").CombinedOutput(); err != nil {
				t.Skipf("this release is not available: %s", out)
			}
			run, err := Measure(t.Context(), Params{Dir: module(t, worksAndSleeps), Meter: "model", Rounds: 1, Cache: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if fallback := strings.Contains(strings.Join(wording.Texts(run.Notes), "\n"), "less exact"); fallback == known {
				t.Errorf("known release: %t, notes %v", known, run.Notes)
			}
			if notes := strings.Join(wording.Texts(run.Notes), "\n"); !known && (!strings.Contains(notes, "who allocates, and so causes") || run.Tests[0].AllocBytes != 0) {
				t.Errorf("an unknown runtime does not tell who allocates, and the notes are %v, the bytes %g", run.Notes, run.Tests[0].AllocBytes)
			}
			if known != (len(run.Groups) > 0) {
				t.Errorf("known release: %t, groups %v", known, run.Groups)
			}
			if !known {
				p := Params{Dir: module(t, worksAndSleeps), Meter: "model", Rounds: 1, Cache: t.TempDir(), Granularity: spell.KindLabel}
				if _, err := Measure(t.Context(), p); err == nil || !strings.Contains(err.Error(), "use --granularity function, or Go 1.25 or 1.26") {
					t.Errorf("by label, the error is %v", err)
				}
			}
			if !strings.HasPrefix(run.Host.Go, release) || len(run.Tests) != 1 || run.Tests[0].Outcome != "pass" {
				t.Fatalf("%s: tests are %+v", run.Host.Go, run.Tests)
			}
			timeMS, calls := make(map[string]float64), make(map[string]float64)
			for _, c := range run.Components {
				name := strings.TrimPrefix(c.ID, "example.com/m.")
				timeMS[name], calls[name] = c.TimeMS, c.N
			}
			if calls["Works"] != 1 || calls["Sleeps"] != 1 || calls["Inlined"] != 1000 {
				t.Errorf("calls are %v, want 1 of Works, 1 of Sleeps and 1000 of Inlined", calls)
			}
			if by, _ := callers(t, run, "Works"); by["Calls"] < 0.9 {
				t.Errorf("Works was called by %v, want Calls", by)
			}
			if timeMS["Works"] == 0 || timeMS["Sleeps"] > timeMS["Works"]/5 {
				t.Errorf("own times are %v ms, want hardly any for Sleeps", timeMS)
			}
		})
	}
}
