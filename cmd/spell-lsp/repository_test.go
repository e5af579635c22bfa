package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
)

// Whoever opens, shows or loads results in a clone of somebody else's repository starts
// nothing that the repository names; whoever measures starts its tests, and nothing that
// git was configured to start.
func TestRepositoryStartsNoProgram(t *testing.T) {
	h := newHostile(t)
	t.Setenv("GOFLAGS", "-buildvcs=true") // the go command then asks git, too
	h.spell(exitDone, "measure", "--no-calm", "--meter", "none", "--rounds", "1", "--warmup", "0", "-C", h.dir, "--format", "json", "-o", filepath.Join(h.dir, "run.json"))
	h.nothingStarted("measure")

	h.partialClone()
	if err := os.WriteFile(filepath.Join(h.dir, ".spell-lsp.yaml"), []byte("baseline: lost\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(h.dir)
	for _, args := range [][]string{
		{"report", "lost"}, {"runs", "show", "lost"}, {"compare", "lost", "latest"}, {"compare", "run.json", "lost"},
		{"report", "--compare", "lost"}, {"runs", "baseline", "main", "lost"}, {"runs", "export", "lost"},
	} {
		h.spell(exitInput, args...)
		h.nothingStarted(strings.Join(args, " "))
	}
	h.git(false, "rev-parse", "lost^{commit}") // the bait is good
	if os.Remove(h.marker) != nil {
		t.Error("git itself does not start the program: the test proves nothing")
	}
}

// An editor that says nothing of trust opens a folder with a saved run and a baseline,
// and loads a run.
func TestOpeningARepositoryStartsNoProgram(t *testing.T) {
	h := newHostile(t)
	h.spell(exitDone, "measure", "--no-calm", "--meter", "none", "--rounds", "1", "--warmup", "0", "-C", h.dir, "--format", "json", "-o", filepath.Join(h.dir, "run.json"))
	h.partialClone()
	if err := os.WriteFile(filepath.Join(h.dir, ".spell-lsp.yaml"), []byte("baseline: lost\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file, "serve", "--log-level", "error")
	e := lsptest.Connect(t, lsptest.Subprocess(t, cmd))
	e.Folders = []string{h.dir}
	e.Start()
	e.Open(filepath.Join(h.dir, "a.go"))
	e.Eventually("the log says that there is no baseline", func() bool {
		said, _ := json.Marshal(e.Messages("window/logMessage"))
		return strings.Contains(string(said), "lost")
	})
	if _, err := e.Execute("spell-lsp.load", map[string]string{"path": filepath.Join(h.dir, "run.json")}).Wait(); err != nil {
		t.Error(err)
	}
	e.Quit()
	h.nothingStarted("opening and loading")
}

// A hostile is the repository of a module whose configuration names a program for
// whatever git may do.
type hostile struct {
	t                    *testing.T
	dir, program, marker string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	long(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{t, dir, filepath.Join(dir, "program"), filepath.Join(t.TempDir(), "started")}
	t.Setenv("SPELL_LSP_DATA", t.TempDir())
	for name, text := range map[string]string{
		"go.mod":    "module example.com/hostile\n\ngo 1.26\n",
		"a.go":      "package main\n\nfunc main() { F() }\n\nfunc F() {}\n",
		"a_test.go": "package main\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n",
		"program":   "#!/bin/sh\ntouch '" + h.marker + "'\nexit 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.git(true, "init", "-q")
	h.git(true, "add", ".")
	h.git(true, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first")
	h.git(true, "config", "core.fsmonitor", h.program)
	return h
}

// partialClone makes git believe that the commit of the branch lost is at a remote.
func (h *hostile) partialClone() {
	h.t.Helper()
	for _, s := range [][2]string{
		{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "origin"},
		{"remote.origin.url", "file://" + h.dir}, {"remote.origin.uploadpack", h.program}, {"remote.origin.promisor", "true"},
	} {
		h.git(true, "config", s[0], s[1])
	}
	if err := os.WriteFile(filepath.Join(h.dir, ".git/refs/heads/lost"), []byte(strings.Repeat("1234567890", 4)+"\n"), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hostile) git(must bool, args ...string) {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), "git", args...)
	cmd.Dir = h.dir
	if out, err := cmd.CombinedOutput(); must && err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (h *hostile) spell(want int, args ...string) {
	h.t.Helper()
	var out, errout bytes.Buffer
	if code := run(h.t.Context(), args, strings.NewReader(""), &out, &errout); code != want {
		h.t.Errorf("spell-lsp %v: exit code %d, want %d: %s", args, code, want, errout.String())
	}
}

func (h *hostile) nothingStarted(by string) {
	h.t.Helper()
	if _, err := os.Stat(h.marker); !errors.Is(err, fs.ErrNotExist) {
		h.t.Errorf("%s started a program of the repository", by)
		os.Remove(h.marker)
	}
}
