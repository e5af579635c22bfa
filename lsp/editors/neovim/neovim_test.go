// Package neovim_test drives a real Neovim.
package neovim_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/lsp/lsptest"
)

// With Neovim's own client, a developer sees what to fix in the example. Not a
// byte of it is changed by that.
func TestMeasure(t *testing.T) {
	nvim := neovim(t)
	server := lsptest.BuildServer(t)
	dir := copyExample(t)
	before := files(t, dir)
	out, err := drive(t, nvim, server, dir, "30")
	if err != nil {
		t.Fatalf("measure.lua: %v\n%s", err, out)
	}
	for name, text := range files(t, dir) {
		if before[name] != text {
			t.Errorf("%s was changed", name)
		}
		delete(before, name)
	}
	if len(before) > 0 {
		t.Errorf("files are gone: %v", before)
	}
}

// The script must fail, and soon, where there is nothing to see: otherwise its
// success says nothing.
func TestSilentServer(t *testing.T) {
	nvim := neovim(t)
	begun := time.Now()
	out, err := drive(t, nvim, "sed -n d", copyExample(t), "2")
	if err == nil || !strings.Contains(out, "waited 2 s for initialize") {
		t.Errorf("with a server that says nothing: %v\n%s", err, out)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v to find that out", took)
	}
}

func neovim(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a real editor takes half a minute")
	}
	path, err := exec.LookPath("nvim")
	if err != nil {
		t.Fatalf("%v; make tools-editors installs it", err)
	}
	return path
}

func copyExample(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "parking")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "parking"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

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

// drive runs the script in a Neovim without any configuration, and returns
// what it wrote.
func drive(t *testing.T, nvim, server, dir, patience string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--clean", "--headless", "-c", "luafile measure.lua")
	state := t.TempDir()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(),
		"SPELL_SERVER="+server, "SPELL_DIR="+dir, "SPELL_PATIENCE="+patience, "GOCACHE="+strings.TrimSpace(string(cache)),
		"XDG_CONFIG_HOME="+state, "XDG_DATA_HOME="+state, "XDG_STATE_HOME="+state, "XDG_CACHE_HOME="+state)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	log, logErr := os.ReadFile(filepath.Join(state, "nvim", "lsp.log"))
	if err != nil && logErr == nil {
		out.Write(log)
	}
	return out.String(), err
}
