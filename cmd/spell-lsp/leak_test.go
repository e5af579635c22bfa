package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var gates = flag.Int("gates", 1, "how often TestGate measures the same code again")

// Who gates energy in CI wants a build that fails where a change wastes some, with
// the name of the function, and never where nothing changed.
func TestGate(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	t.Setenv("SPELL_LSP_DATA", t.TempDir())
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "parking"))); err != nil {
		t.Fatal(err)
	}
	commit := func(message string) {
		t.Helper()
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", message}} {
			cmd := exec.CommandContext(t.Context(), "git", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %q: %v\n%s", args, err, out)
			}
		}
	}
	measured := func(args ...string) (code int, out, errout string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append([]string{"measure", "-C", dir, "--meter", "model", "--rounds", "10"}, args...), nil, &o, &e)
		return code, o.String(), e.String()
	}
	gated := func() (int, string, string) {
		return measured("--compare", "HEAD~1", "--fail-on", "energy>+10%,energy(*)>+20%,new-red")
	}
	commit("base")
	if code, _, errout := measured(); code != exitDone {
		t.Fatalf("the base: exit code %d\n%s", code, errout)
	}
	file := filepath.Join(dir, "order.go")
	clean, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const before = "byArrival := slices.Clone(p.cars)\n"
	leaking := strings.Replace(string(clean), before, before+"\tfor range 60 {\n\t\tbyArrival = slices.Clone(p.cars)\n\t\tslices.Reverse(byArrival)\n\t}\n", 1)
	if err := os.WriteFile(file, []byte(leaking), 0o644); err != nil || leaking == string(clean) {
		t.Fatal("the leak is not there", err)
	}
	commit("a leak")
	code, out, errout := gated()
	if code != exitBroken || !strings.Contains(errout, "energy(*)>+20%: example.com/parking.(*Park).Oldest uses") || !strings.Contains(out, "(*Park).Oldest: body changed") {
		t.Errorf("the leak: exit code %d\n%s\n%s", code, out, errout)
	}
	if err := os.WriteFile(file, append(clean, "\n// Nothing changed.\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range *gates {
		// HEAD~1 is what has no leak: each time the same base.
		if i == 0 {
			reset(t, dir)
			commit("no leak")
		}
		if code, out, errout := gated(); code != exitDone {
			t.Errorf("the same code, number %d: exit code %d\n%s\n%s", i+1, code, out, errout)
		}
	}
}

// reset goes back to the commit before, and leaves the files as they are.
func reset(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "reset", "-q", "--soft", "HEAD~1")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git reset: %v\n%s", err, out)
	}
}
