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

var gates = flag.Int("gates", 0, "how often TestGate measures the same code again")

// gateRules are those of the job in README.
const gateRules = "energy>+10%,energy(*)>+20%,new-red"

// fewCars asks for the oldest car as often as TestQuietSunday of the example, which has so many
// cars that it takes a second of CPU time in every round.
const fewCars = `package parking

import "testing"

func TestFewCars(t *testing.T) {
	v, s := &visit{t: t, calls: map[string]int{}}, script{seed: 6, lists: 7, listLen: 100, singles: 1, oldest: 28}
	v.arrive(s)
	v.enter(s)
	v.walk(s)
}
`

// A gate that fails a build where nothing changed is switched off by the second time.
// These are three measurements of the example by the model, ten rounds each, which
// differ by a comment in its source. Other programs kept both processors busy during
// most of the one that is called busy, which took half as much time again.
func TestGateHoldsForTheSameCode(t *testing.T) {
	for _, pair := range [][2]string{{"first", "second"}, {"second", "first"}, {"first", "busy"}, {"second", "busy"}, {"busy", "first"}} {
		file := func(name string) string { return filepath.Join("testdata", "gate", name+".json") }
		var out, errout bytes.Buffer
		if code := run(t.Context(), []string{"compare", "--fail-on", gateRules, file(pair[0]), file(pair[1])}, nil, &out, &errout); code != exitDone {
			t.Errorf("from %s to %s: exit code %d\n%s\n%s", pair[0], pair[1], code, out.String(), errout.String())
		}
	}
}

// Who gates energy in CI wants a build that fails where a change wastes some, with the
// name of the function. As the job in README does, base and head are measured in a row.
// With -gates N the same code is measured as often, and must pass each time: that takes
// a quiet machine.
func TestGate(t *testing.T) {
	long(t)
	command, err := binary()
	if err != nil {
		t.Fatal(err)
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
		t.Helper()
		var o, e bytes.Buffer
		cmd := exec.CommandContext(t.Context(), command, append([]string{"measure", "--no-calm", "-C", dir}, args...)...)
		cmd.Stdout, cmd.Stderr = &o, &e
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), o.String(), e.String()
	}
	gated := func(head string) (int, string, string) {
		t.Helper()
		git("checkout", "-q", "base")
		if code, _, errout := measured(); code != exitDone {
			t.Fatalf("the base: exit code %d\n%s", code, errout)
		}
		git("checkout", "-q", head)
		return measured("--compare", "base", "--fail-on", gateRules)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := "TestFewCars"
	if *gates > 0 {
		tests = "TestQuietSunday|TestMarketDay"
	}
	write("few_test.go", fewCars)
	write(".spell-lsp.yaml", "meter: model\nrounds: 10\nrun: "+tests+"\n")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	git("tag", "base")
	clean, err := os.ReadFile(filepath.Join(dir, "order.go"))
	if err != nil {
		t.Fatal(err)
	}
	// The leak makes the function several times as expensive: rounds on a machine that is busy with other tests differ by half.
	const before = "byArrival := slices.Clone(p.cars)\n"
	leaking := strings.Replace(string(clean), before, before+"\tfor range 400 {\n\t\tbyArrival = slices.Clone(p.cars)\n\t\tslices.Reverse(byArrival)\n\t}\n", 1)
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
	if code != exitBroken || !strings.Contains(errout, "energy(*)>+20%: example.com/parking.(*Park).Oldest uses") || !strings.Contains(out, "Body changed") {
		t.Errorf("the leak: exit code %d\n%s\n%s", code, out, errout)
	}
	for i := range *gates {
		if code, out, errout := gated("clean"); code != exitDone {
			t.Errorf("the same code, number %d: exit code %d\n%s\n%s", i+1, code, out, errout)
		}
	}
}
