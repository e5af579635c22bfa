package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/record/recordjson"
)

// A play is a benchmark whose leaks and measurements are made up, with a list of what it
// did.
type play struct {
	benchmark
	did  []string
	fail map[string]error // by what it is about to do
}

func newPlay(t *testing.T, dir string) *play {
	p := &play{fail: make(map[string]error)}
	do := func(what string) error {
		p.did = append(p.did, what)
		return p.fail[what]
	}
	p.benchmark = benchmark{
		state: state{dir}, toolchain: "go1", seeding: "1", measuring: "1",
		draw: func(_ context.Context, program Program, seed uint64, from int) (draw, error) {
			if err := do("draw " + program.Module); err != nil {
				return draw{}, err
			}
			return draw{newCase(program, "sort", fmt.Sprint(seed, from)), map[string]int{"a test fails": 2}, from + 3}, nil
		},
		real: func() []Case { return []Case{*newCase(Program{Module: "open/module", Version: "v1"}, "real", "")} },
		text: func(_ context.Context, p Program, file string) (string, error) { return p.Files[file], nil },
		measure: func(_ context.Context, program Program, profiles bool, into string) error {
			if err := do("measure " + program.Module); err != nil {
				return err
			}
			return keepEvidence(t, profiles, into)
		},
	}
	return p
}

// newCase is a leak in Slow.
func newCase(p Program, kind, text string) *Case {
	leaky := p
	leaky.Files = map[string]string{"a.go": text}
	return &Case{
		Leak:  Leak{Module: p.Module, Version: p.Version, Kind: kind, Functions: []string{"m.Slow"}, File: text, Cost: 0.2, Real: kind == "real"},
		Clean: p, Leaky: leaky,
	}
}

func keepEvidence(t *testing.T, profiles bool, into string) error {
	var text strings.Builder
	r := recordtest.Program(recordtest.Part{ID: "m.Slow", Joules: []float64{3}}, recordtest.Part{ID: "m.Often", Joules: []float64{2}, N: 100})
	if err := recordjson.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	if err := writeCompressed(filepath.Join(into, runFile), []byte(text.String())); err != nil || !profiles {
		return err
	}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu"}, {Type: "alloc_space"}}}
	return errors.Join(writeMerged(filepath.Join(into, cpuFile), []*profile.Profile{p}), writeMerged(filepath.Join(into, memoryFile), []*profile.Profile{p}))
}

var somePrograms = []Program{{Module: "x", Version: "v1"}, {Module: "y", Version: "v1"}}

// Why: a benchmark takes hours. What it has measured must not be measured again: not after
// an interrupt, nor for a larger sample.
func TestResultsAreKept(t *testing.T) {
	dir := t.TempDir()
	p := newPlay(t, dir)
	r := p.collect(t.Context(), somePrograms, options{sample: 3, seed: 1, rounds: 1})
	if want := []string{"draw x", "measure x", "measure x", "draw y", "measure y", "measure y", "measure open/module", "measure open/module"}; !slices.Equal(p.did, want) {
		t.Errorf("did %q, want %q", p.did, want)
	}
	if len(r.trials) != 3 || len(r.failures) != 0 || r.discarded["a test fails"] != 4 {
		t.Fatalf("got %+v", r)
	}
	// 0.2 of 5 J; of the real leak what the two runs differ by.
	if x, repaired := r.trials[0], r.trials[2]; x.CostJ != 1 || x.Places["energy"].Rank != 1 || x.Places["psi"].Rank != 2 || repaired.CostJ != 0 || !repaired.Real {
		t.Errorf("got %+v and %+v", x, repaired)
	}
	p.did = nil
	if again := p.collect(t.Context(), somePrograms, options{sample: 4, seed: 1, rounds: 1}); len(again.trials) != 4 {
		t.Errorf("got %+v", again)
	}
	if want := []string{"draw x", "measure x"}; !slices.Equal(p.did, want) { // x without its second leak is known
		t.Errorf("a larger sample did %q, want %q", p.did, want)
	}
}

// Why: a result stands only for the code, the seed and the rounds that made it.
func TestOtherResultsAreNotTaken(t *testing.T) {
	dir := t.TempDir()
	usual := options{sample: 1, seed: 1, rounds: 1}
	newPlay(t, dir).collect(t.Context(), somePrograms, usual)
	for _, tt := range []struct {
		why    string
		o      options
		change func(*benchmark)
		want   []string
	}{
		{"the same", usual, func(*benchmark) {}, nil},
		{"another seed", options{sample: 1, seed: 2, rounds: 1}, func(*benchmark) {}, []string{"draw x", "measure x"}},
		{"more rounds", options{sample: 1, seed: 1, rounds: 2}, func(*benchmark) {}, []string{"measure x", "measure x"}},
		{"other transformations", usual, func(b *benchmark) { b.seeding = "2" }, []string{"draw x"}},
		{"another runner", usual, func(b *benchmark) { b.measuring = "2" }, []string{"measure x", "measure x"}},
		{"another Go", usual, func(b *benchmark) { b.toolchain = "go2" }, []string{"draw x", "measure x", "measure x"}},
	} {
		p := newPlay(t, dir)
		tt.change(&p.benchmark)
		p.collect(t.Context(), somePrograms, tt.o)
		if !slices.Equal(p.did, tt.want) {
			t.Errorf("%s: did %q, want %q", tt.why, p.did, tt.want)
		}
	}
}

// Why: a module that cannot be measured must not stop the others, must be named, and is
// tried again the next time.
func TestFailuresAreNamedAndTriedAgain(t *testing.T) {
	p := newPlay(t, t.TempDir())
	p.fail["measure x"] = errors.New("it does not build")
	r := p.collect(t.Context(), somePrograms, options{sample: 2, seed: 1, rounds: 1})
	if len(r.trials) != 2 || len(r.failures) != 1 || !strings.Contains(r.failures[0], "x@v1: it does not build") {
		t.Errorf("got %+v", r)
	}
	p.did, p.fail = nil, nil
	if r := p.collect(t.Context(), somePrograms, options{sample: 2, seed: 1, rounds: 1}); len(r.failures) != 0 || !slices.Contains(p.did, "measure x") {
		t.Errorf("did %q, got %+v", p.did, r)
	}
}

// Why: places that do not pass the checks, and modules without any more places, must not
// be tried for ever, nor keep the other modules from their turns.
func TestModulesWithFewPlaces(t *testing.T) {
	p := newPlay(t, t.TempDir())
	var tried []string
	p.draw = func(_ context.Context, program Program, _ uint64, from int) (draw, error) {
		tried = append(tried, fmt.Sprint(program.Module, from))
		switch {
		case program.Module == "x" && from == 0:
			return draw{Discarded: map[string]int{"a test fails": 5}, Next: 5}, nil
		case program.Module == "x":
			return draw{Case: newCase(program, "sort", "last")}, nil
		}
		return draw{}, errors.New("its tests end differently")
	}
	p.real = func() []Case { return nil }
	r := p.collect(t.Context(), somePrograms, options{sample: 2, seed: 1, rounds: 1})
	if want := []string{"x0", "y0", "x5"}; !slices.Equal(tried, want) {
		t.Errorf("tried %q, want %q", tried, want)
	}
	if len(r.trials) != 1 || len(r.failures) != 1 || r.discarded["a test fails"] != 5 {
		t.Errorf("got %+v", r)
	}
}

// A benchmark that is interrupted keeps what it has, and no half of a result.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	p := newPlay(t, dir)
	ctx, interrupt := context.WithCancel(t.Context())
	measure := p.measure
	p.measure = func(ctx context.Context, program Program, profiles bool, into string) error {
		if program.Module == "y" {
			interrupt()
			return ctx.Err()
		}
		return measure(ctx, program, profiles, into)
	}
	r := p.collect(ctx, somePrograms, options{sample: 3, seed: 1, rounds: 1})
	if len(r.trials) != 1 || len(r.failures) != 0 {
		t.Errorf("got %+v", r)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "measured"))
	if err != nil || len(entries) != 2 {
		t.Errorf("%d results are kept, want those of x with and without the leak: %v", len(entries), err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "unfinished-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}

// Each side of the split has its own real leaks.
func TestHeldOutReal(t *testing.T) {
	p := newPlay(t, t.TempDir())
	p.real = func() []Case {
		return []Case{
			*newCase(Program{Module: "github.com/google/btree"}, "real", ""), // held out
			*newCase(Program{Module: "github.com/gorilla/mux"}, "real", ""),
		}
	}
	for heldOut, want := range map[bool]string{true: "measure github.com/google/btree", false: "measure github.com/gorilla/mux"} {
		p.did = nil
		p.collect(t.Context(), nil, options{sample: 2, heldOut: heldOut, seed: 1, rounds: 1})
		if !slices.Equal(p.did, []string{want, want}) {
			t.Errorf("held out %t: did %q, want %q twice", heldOut, p.did, want)
		}
	}
}
