package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell/growth"
	"spell-lsp/spell/scaling"
)

func TestMain(m *testing.M) {
	simulate()
	os.Exit(m.Run())
}

// Why: a function without a benchmark, or a module that does not build, would only be noticed after it was measured.
func TestModule(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "orders")
	all, err := layOut(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 40 {
		t.Errorf("%d functions are known, want 40", len(all))
	}
	orders := map[string]bool{}
	for _, k := range all {
		orders[k.order] = true
		if !bytes.Contains(module, []byte("\nfunc Benchmark"+k.name+"(b *testing.B)")) {
			t.Errorf("%s has no benchmark", k.name)
		}
	}
	for _, order := range []string{"constant", "log n", "n", "n log n", "n^2", "n^3", "2^n", "n^1.5", "n*m", "n + m"} {
		if !orders[order] {
			t.Errorf("no function has the order %s", order)
		}
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Why: an order is read from a comment; a free power is right if it is near, and no integer power is a free one.
func TestOrders(t *testing.T) {
	for _, test := range []struct {
		known, found string
		right        bool
		exponents    []float64
	}{
		{"constant", "constant", true, []float64{0}},
		{"n", "n", true, []float64{1}},
		{"n^2", "n^2", true, []float64{2}},
		{"n^2", "n^2.04", false, []float64{2}},
		{"n^1.5", "n^1.58", true, []float64{1.5}},
		{"n^1.5", "n^1.38", false, []float64{1.5}},
		{"n^1.5", "n log n", false, []float64{1.5}},
		{"n log n", "n log n", true, nil},
		{"2^n", "n^3", false, nil},
		{"n + m", "n + m", true, nil},
		{"n*m^2", "n*m^2", true, []float64{1, 2}},
		{"n log m", "n*m", false, nil},
	} {
		k := known{order: test.known, exponents: exponentsOf(test.known)}
		if got := k.is(test.found); got != test.right {
			t.Errorf("%s for %s: %v, want %v", test.found, test.known, got, test.right)
		}
		if len(k.exponents) != len(test.exponents) {
			t.Errorf("%s has the exponents %v, want %v", test.known, k.exponents, test.exponents)
		}
		for i, e := range test.exponents {
			if k.exponents[i] != e {
				t.Errorf("%s has the exponents %v, want %v", test.known, k.exponents, test.exponents)
			}
		}
	}
}

// Why: what was not found, or has no formula, must count as wrong, and growths of other functions must not count.
func TestScore(t *testing.T) {
	at := func(value, low, high float64) []scaling.Exponent {
		return []scaling.Exponent{{Value: value, CI: [2]float64{low, high}}}
	}
	of := func(subject, series, model string, e []scaling.Exponent) scaling.Growth {
		return scaling.Growth{Subject: subject, Series: series, Model: model, Exponents: e, Origin: scaling.Benchmark, Component: series != subject}
	}
	r := &scaling.Result{Growths: []scaling.Growth{
		of("m.BenchmarkPairs/n=*", "m.BenchmarkPairs/n=*", "n^2", at(2, 1.9, 2.1)),
		of("m.Sum", "m.BenchmarkPairs/n=*", "n", at(1, 0.9, 1.1)),
		of("m.Pairs", "m.BenchmarkPairs/n=*", "n^1.91", at(1.91, 1.85, 1.97)),
		{Subject: "m.Park.Sum", Component: true, Origin: scaling.Calls, Reason: growth.Unclear},
	}}
	pairs, sum := known{"Pairs", "n^2", []float64{2}}, known{"Sum", "n", []float64{1}}
	var s score
	s.add(pairs, benchmarkOf(r, pairs))
	s.add(pairs, functionOf(r, pairs))
	s.add(sum, functionOf(r, sum))
	s.add(sum, callsOf(r, sum))
	if s != (score{orders: 4, right: 1, intervals: 4, held: 1}) {
		t.Errorf("the score is %+v", s)
	}
	for _, test := range []struct {
		s      score
		passes bool
	}{
		{score{40, 38, 30, 27}, true},
		{score{40, 37, 30, 30}, false},
		{score{40, 40, 30, 26}, false},
	} {
		table := harness.Table{}
		if test.s.check(&table, "benchmarks"); table.Passed() != test.passes {
			t.Errorf("%+v passes: %v, want %v", test.s, table.Passed(), test.passes)
		}
	}
}

// Why: a comment that is misread must not leave a module without functions that passes.
func TestModuleWithoutOrders(t *testing.T) {
	for name, text := range map[string]string{
		"no function": "-- a.go --\npackage a\n",
		"no Go":       "-- a.go --\npackage\n",
	} {
		if all, err := knownIn(txtar.Parse([]byte(text))); err == nil {
			t.Errorf("%s: %v", name, all)
		}
	}
}

// Why: bad usage must be refused before anything is measured.
func TestBadUsage(t *testing.T) {
	for _, args := range [][]string{{"sizes"}, {"-rounds", "0"}, {"-bad"}} {
		if code := harness.ExitCode(run(t.Context(), args)); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
	}
}

// Why: a command that fails must be named with what it said.
func TestCommandFails(t *testing.T) {
	b := bench{command: "false", dir: t.TempDir(), scratch: t.TempDir(), rounds: 1}
	for _, make := range b.tables() {
		if table, err := make.Make(t.Context()); err == nil {
			t.Errorf("%s: %v", make.Name, table.Write(io.Discard))
		}
	}
}
