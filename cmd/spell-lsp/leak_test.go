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
// the name of the function, and never where nothing changed. As the job in README does,
// base and head are measured in a row.
func TestGate(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	t.Setenv("SPELL_LSP_DATA", t.TempDir())
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "parking"))); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	measured := func(args ...string) (code int, out, errout string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append([]string{"measure", "-C", dir}, args...), nil, &o, &e)
		return code, o.String(), e.String()
	}
	gated := func(head string) (int, string, string) {
		t.Helper()
		git("checkout", "-q", "base")
		if code, _, errout := measured(); code != exitDone {
			t.Fatalf("the base: exit code %d\n%s", code, errout)
		}
		git("checkout", "-q", head)
		return measured("--compare", "base", "--fail-on", "energy>+10%,energy(*)>+20%,new-red")
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".spell-lsp.yaml", "meter: model\nrounds: 10\nrun: TestQuietSunday|TestMarketDay\n")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	git("tag", "base")
	clean, err := os.ReadFile(filepath.Join(dir, "order.go"))
	if err != nil {
		t.Fatal(err)
	}
	const before = "byArrival := slices.Clone(p.cars)\n"
	leaking := strings.Replace(string(clean), before, before+"\tfor range 1000 {\n\t\tbyArrival = slices.Clone(p.cars)\n\t\tslices.Reverse(byArrival)\n\t}\n", 1)
	if leaking == string(clean) {
		t.Fatal("the leak is not there")
	}
	for head, text := range map[string]string{"leak": leaking, "clean": string(clean) + "\n// Nothing changed.\n"} {
		git("checkout", "-q", "base")
		write("order.go", text)
		git("commit", "-q", "-a", "-m", head)
		git("tag", head)
	}
	code, out, errout := gated("leak")
	if code != exitBroken || !strings.Contains(errout, "energy(*)>+20%: example.com/parking.(*Park).Oldest uses") || !strings.Contains(out, "(*Park).Oldest: body changed") {
		t.Errorf("the leak: exit code %d\n%s\n%s", code, out, errout)
	}
	for i := range *gates {
		code, out, errout := gated("clean")
		if code == exitBroken && *gates == 1 { // a machine that was busy during all of HEAD is not told from a change
			t.Logf("once more after\n%s", errout)
			code, out, errout = gated("clean")
		}
		if code != exitDone {
			t.Errorf("the same code, number %d: exit code %d\n%s\n%s", i+1, code, out, errout)
		}
	}
}
