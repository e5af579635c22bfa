//go:build unix

// Package editorrig lets a script drive a real editor with an empty configuration,
// in a copy of the example. It does not know any editor's script language.
package editorrig

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
)

// silent is the command of a server that reads its input and never answers.
const silent = "sed -n d"

// limit is how long an editor may run before it is killed.
const limit = 10 * time.Minute

// A Script is a session in an editor. Its environment has the server's command in
// SPELL_SERVER, the copy of the example in SPELL_DIR, and the number of seconds that
// the server may take to start in SPELL_PATIENCE. It ends the editor with a status
// other than 0 if a check fails.
type Script struct {
	Command []string // runs the editor with the script
	Log     string   // the editor's log file, relative to its home, shown if the script fails; "" for none
	Target  bool     // ssh knows a machine to measure on, "target", which is this one with one processor
}

// Measures runs the script with the real server. The script must pass and leave
// every byte of the example as it was.
func (s Script) Measures(t *testing.T) {
	t.Helper()
	s.need(t)
	server, dir := lsptest.BuildServer(t), example(t)
	if s.Target {
		buildForTarget(t, server)
	}
	before := files(t, dir)
	if out, err := s.run(t, server, dir, "30"); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(s.Command, " "), err, out)
	}
	after := files(t, dir)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if text, there := after[name]; !there {
			t.Errorf("%s is gone", name)
		} else if text != before[name] {
			t.Errorf("%s was changed", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, there := before[name]; !there {
			t.Errorf("%s was left behind", name)
		}
	}
}

// Notices runs the script with a server that never answers. The script must fail
// with the given complaint after waiting for 2 s: a script that passes without a
// server checks nothing.
func (s Script) Notices(t *testing.T, complaint string) {
	t.Helper()
	s.need(t)
	out, err := s.run(t, silent, example(t), "2")
	if err == nil || !strings.Contains(out, complaint) {
		t.Errorf("with a server that says nothing: %v\n%s", err, out)
	}
}

func (s Script) need(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a real editor takes half a minute")
	}
	if _, err := exec.LookPath(s.Command[0]); err != nil {
		t.Fatalf("%v; make tools-editors installs it", err)
	}
}

func example(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "parking")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "parking"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files returns the texts of all files below a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// run starts the editor in an empty home, and returns what it wrote.
func (s Script) run(t *testing.T, server, dir, patience string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Env = append(os.Environ(),
		"SPELL_SERVER="+server, "SPELL_DIR="+dir, "SPELL_PATIENCE="+patience,
		"HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} { // their defaults are below the real home
		cmd.Env = append(cmd.Env, name+"="+goEnv(t, name))
	}
	if s.Target {
		if out, err := exec.CommandContext(ctx, filepath.Join("..", "..", "..", "internal", "editorrig", "target"), home).CombinedOutput(); err != nil {
			t.Fatalf("making the machine to measure on: %v\n%s", err, out)
		}
		cmd.Env = append(cmd.Env, "PATH="+filepath.Join(home, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil && s.Log != "" {
		if log, err := os.ReadFile(filepath.Join(home, s.Log)); err == nil {
			out.Write(log)
		}
	}
	return out.String(), err
}

// buildForTarget builds what the server sends to the target, beside it.
func buildForTarget(t *testing.T, server string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(filepath.Dir(server), "spell-lsp-linux-"+runtime.GOARCH), "spell-lsp/cmd/spell-lsp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building for the target: %v\n%s", err, out)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(value))
}
