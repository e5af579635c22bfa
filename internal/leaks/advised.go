package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/leaks/score"
)

// A subject is a program that advice is asked for: with a leak, or one of those in testdata/advice, which
// somebody may have written.
type subject struct {
	Program Program
	Leak    *Leak // nil of a program without one
}

func (s subject) name() string {
	if s.Leak == nil {
		return strings.TrimSuffix(path.Base(s.Program.Module), ".txtar")
	}
	return s.Leak.Module + ", " + s.Leak.name()
}

// An answer is what spell-lsp advise said of a program, and what its rewrites changed.
type answer struct {
	found   []string // rules of findings in the functions of the leak
	rewrote []string // rules whose rewrites were made
	share   float64  // greatest price of these, of all functions
	pair    pair
}

// A program is measured for a price in so many rounds, or for so long: short tests need many, as lines
// are known from samples.
const (
	adviceRounds = 30
	adviceTime   = "12s"
)

// A finding is an advice as spell-lsp advise --format json writes it.
type finding struct {
	Rule     string            `json:"rule"`
	Function string            `json:"function"`
	Share    float64           `json:"share"`
	Edits    []json.RawMessage `json:"edits"`
}

// advise asks for advice on leaks and programs, and writes the tables.
func (b *benchmark) advise(ctx context.Context, lab *laboratory, programs []Program, o options) (string, error) {
	list, err := b.subjects()
	if err != nil {
		return "", err
	}
	lab.rounds, lab.forLong = adviceRounds, adviceTime
	page := b.ask(ctx, lab, append(list, b.seeded(ctx, programs, o)...))
	return fmt.Sprintf("# Advice on known leaks, and what rewrites save\n\n    %s -advice\n\n%s; the energy of the meter `model` follows the CPU time, which is compared; prices are of at most %d rounds or %s.\n\n", o.command(), b.toolchain, adviceRounds, adviceTime) + page.Tables(), nil
}

// ask asks for advice on programs, until the context ends.
func (b *benchmark) ask(ctx context.Context, lab *laboratory, subjects []subject) (page score.Advice) {
	for i, s := range subjects {
		if ctx.Err() != nil {
			break
		}
		harness.Progress("%d of %d: %s", i+1, len(subjects), s.name())
		a, err := b.answered(ctx, lab, s)
		switch {
		case ctx.Err() != nil:
			continue // what there is, is shown
		case err != nil:
			harness.Progress("%s: %v", s.name(), err)
			page.Failures = append(page.Failures, s.name()+": "+err.Error())
			continue
		}
		if s.Leak != nil {
			page.Leaks = append(page.Leaks, score.Known{Name: s.name(), Kind: s.Leak.Kind, Rules: known[s.Leak.Kind], Found: a.found})
		}
		if len(a.rewrote) > 0 {
			page.Pairs = append(page.Pairs, score.Rewritten{Name: s.name(), Rules: a.rewrote, Price: a.share, Before: a.pair.Before, After: a.pair.After, Broken: a.pair.Broken})
		}
	}
	return page
}

// subjects are the programs of testdata/advice and the leaks that authors repaired.
func (b *benchmark) subjects() ([]subject, error) {
	var list []subject
	files, err := fs.Glob(sources, "testdata/advice/*.txtar")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := sources.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p := Program{Module: file, Files: make(map[string]string)}
		for _, f := range txtar.Parse(text).Files {
			p.Files[f.Name] = string(f.Data)
		}
		list = append(list, subject{Program: p})
	}
	for _, c := range b.real() {
		list = append(list, subject{c.Leaky, &c.Leak})
	}
	return list, nil
}

// seeded are leaks that are put into modules in turns.
func (b *benchmark) seeded(ctx context.Context, programs []Program, o options) (list []subject) {
	next := make(map[string]int)
	for range maxTurns * o.sample {
		for _, p := range programs {
			if len(list) == o.sample || next[p.String()] < 0 || ctx.Err() != nil {
				continue
			}
			d, err := b.drawn(ctx, p, o.seed, next[p.String()])
			if next[p.String()] = d.Next; err != nil || d.Next == 0 {
				next[p.String()] = -1
			}
			if d.Case != nil {
				list = append(list, subject{d.Case.Leaky, &d.Case.Leak})
			}
		}
	}
	return list
}

// answered measures a program, asks for advice on it, and makes all rewrites. Advice is asked for again
// each time; measurements are kept.
func (b *benchmark) answered(ctx context.Context, lab *laboratory, s subject) (a answer, err error) {
	measured, err := b.measured(ctx, s.Program, false, adviceRounds)
	if err != nil {
		return a, err
	}
	dir, err := lab.write(ctx, s.Program)
	if err != nil {
		return a, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the whole scratch folder will be removed
	run := filepath.Join(lab.dir, "run.json")
	if err := decompress(filepath.Join(measured, runFile), run); err != nil {
		return a, err
	}
	out, err := lab.run(ctx, dir, lab.command, "advise", "-C", dir, "--format", "json", run)
	if err != nil {
		return a, err
	}
	if err := a.read(out, s.Leak); err != nil || len(a.rewrote) == 0 {
		return a, err
	}
	patch, err := lab.run(ctx, dir, lab.command, "advise", "-C", dir, "--fix", "all", run)
	if err != nil {
		return a, err
	}
	key := struct {
		Program   Program
		Patch     string
		Turns     int
		Toolchain string
	}{s.Program, patch, turns, b.toolchain}
	kept, err := b.state.keep("paired", key, func(into string) error {
		p, err := lab.compare(ctx, s.Program, dir, patch)
		if err != nil {
			return err
		}
		return writeJSON(filepath.Join(into, "pair.json"), p)
	})
	if err != nil {
		return a, err
	}
	return a, readJSON(filepath.Join(kept, "pair.json"), &a.pair)
}

// read reads the advice on a program.
func (a *answer) read(text string, l *Leak) error {
	var said struct{ Advice []finding }
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return fmt.Errorf("reading the advice: %w", err)
	}
	for _, f := range said.Advice {
		if l != nil && slices.Contains(l.Functions, f.Function) && !slices.Contains(a.found, f.Rule) {
			a.found = append(a.found, f.Rule)
		}
		if len(f.Edits) > 0 {
			a.share = max(a.share, f.Share)
			if !slices.Contains(a.rewrote, f.Rule) {
				a.rewrote = append(a.rewrote, f.Rule)
			}
		}
	}
	return nil
}

func decompress(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	return os.WriteFile(to, text, 0o644)
}
