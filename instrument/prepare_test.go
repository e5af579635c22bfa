package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/cache"
)

// Whoever waits longer the first time should see why, and only then. To compile the standard
// library takes half a minute: its build takes it from the user's build cache, which is put in
// place of the empty one meanwhile.
func TestProgressTellsOfTheStandardLibrary(t *testing.T) {
	s := newShop(t)
	const building, asking = "building the instrumented standard library (once)", "asking the compiler which functions it inlines"
	s.write("stock/stock.go", "package stock\n\nfunc Take(n int) {}\n")
	s.write("shop.go", "package shop\n\nfunc Buy(n int) int { return 2 * n }\n")
	full := strings.TrimSpace(string(must(exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output())))
	builds := filepath.Join(t.TempDir(), "builds")
	empty := func() {
		must(0, os.RemoveAll(builds))
		must(0, os.Mkdir(builds, 0o700))
	}
	fill := func() {
		must(0, os.RemoveAll(builds))
		must(0, os.Symlink(full, builds))
	}
	asked := false // of the go command, which takes as long as a small build
	prepare := func(why string, stale bool, want ...string) {
		t.Helper()
		var got []string
		asked = false
		b, _ := s.prepare(func(p *Params) {
			p.Patterns = []string{"."}
			p.Progress = func(message string) { got = append(got, message) }
			p.Run = func(cmd *exec.Cmd) error {
				asked = asked || slices.Contains(cmd.Args, "{{.Stale}}")
				if slices.Contains(cmd.Args, "-export") {
					fill()
				}
				return cmd.Run()
			}
		})
		if diff := cmp.Diff(want, got); diff != "" || b.StdStale != stale {
			t.Errorf("%s: left to build %v, want %v; progress (-want +got):\n%s", why, b.StdStale, stale, diff)
		}
	}
	t.Setenv("GOCACHE", builds)
	empty()
	prepare("with an empty build cache", false, building)
	prepare("with all that is needed", false)
	if asked {
		t.Error("the go command is asked for what is known")
	}
	s.cache = t.TempDir()
	prepare("with the standard library alone", false, asking)
	t.Setenv("GOCACHE", t.TempDir())
	prepare("with the texts alone", true)
	empty()
	t.Setenv("GOCACHE", builds)
	prepare("with a build cache that was emptied", true)
	if asked {
		t.Error("the go command is asked for what a look tells")
	}
}

// What is kept by a version of this package is taken by the next: if it makes
// another text of the same source, or another part, formatVersion must change.
// The number here is a hash of the texts that are expected in edits.txtar: it
// changes with them, and together with the version.
func TestFormatVersionChangesWithTheText(t *testing.T) {
	_, wants, _ := strings.Cut(readText("rewrite/testdata/edits.txtar"), "-- plain.want --")
	if formatVersion != 9 || cache.Hash([]byte(wants))[:8] != "4702b165" {
		t.Errorf("formatVersion is %d, the texts have the hash %s: after a change of the probes' text, add one to the version", formatVersion, cache.Hash([]byte(wants))[:8])
	}
}

// An unsaved buffer that has no functions, or is no Go file at all, still takes
// the place of its file.
func TestBuffersWithoutProbesAreInTheOverlay(t *testing.T) {
	s := newShop(t)
	name := s.dir + "/empty/empty.go"
	b, _ := s.prepare(func(p *Params) {
		p.Buffers = map[string][]byte{name: []byte("package empty\n\nconst Nothing = 1\n")}
	})
	if got := s.texts(b)["empty/empty.go"]; !strings.Contains(got, "Nothing = 1") {
		t.Errorf("the overlay has %q for the buffer", got)
	}
	if !strings.Contains(readText(name), "Nothing = 0") {
		t.Error("the file itself was written")
	}
}
