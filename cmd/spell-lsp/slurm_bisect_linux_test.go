package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/powercapsim"
)

// Why: nodes differ by more than commits do: a search that compared rounds of different nodes would find a node. And
// each job waits in the queue: few must do.
func TestBisectOnACluster(t *testing.T) {
	soaking(t)
	c, shared, dir := cluster(t, 1, 2, 1.5), t.TempDir(), booking(t)
	file := filepath.Join(dir, "x.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	git := gitIn(t, dir)
	git("init", "-q", "-b", "main")
	for i, ns := range []int{300, 300, 300, 390, 390} { // in millions
		booked := strings.Replace(string(text), "500_000_000", fmt.Sprint(ns, "_000_000"), 1) + fmt.Sprintln("\n// version", i)
		if err := os.WriteFile(file, []byte(booked), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", fmt.Sprint("version ", i))
	}
	program, err := static()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "bisect", "-C", dir, "--on", "slurm:nodes=3,at-once=1,dir="+shared, "--test", "TestF", "--meter", "rapl", "--powercap-root", powercapsim.Root(c.Own), "--restart", "HEAD~4", "HEAD")
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "SPELL_LSP_DATA="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if want := git("rev-parse", "--short=7", "HEAD~1") + " made TestF more expensive"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("error %v, want %q:\n%s", err, want, out)
	}
	if jobs := strings.Count(c.Jobs(t), "_0|"); jobs > 5 {
		t.Errorf("%d jobs, want one for GOOD and BAD, one for the commits between and one for what it changed, and again for what was not decided", jobs)
	}
	empty(t, shared)
}
