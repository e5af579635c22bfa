package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// measure measures the module of testdata/NAME.txtar with the command spell-lsp: a
// warm-up and one round, whose record it returns. The truths are the values by
// function that the program itself wrote in the round that counts.
func (b *bench) measure(ctx context.Context, name string) (run *record.Run, truths map[string]float64, err error) {
	harness.Progress("%s: measuring", name)
	dir, err := b.unpack(name)
	if err != nil {
		return nil, nil, err
	}
	truth := filepath.Join(b.scratch, name+".truth")
	if run, err = b.record(ctx, dir, []string{"TRUTH=" + truth}); err != nil {
		return nil, nil, err
	}
	for _, test := range run.Tests {
		if test.Outcome != record.Pass {
			return nil, nil, fmt.Errorf("%s: %s\n%s", test.Name, test.Outcome, test.Output)
		}
	}
	text, err := os.ReadFile(truth)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // not every program writes one
		return nil, nil, fmt.Errorf("reading what the program knows of itself: %w", err)
	}
	return run, values(string(text)), nil
}

// record measures the module in dir with the command spell-lsp: a warm-up and one round.
func (b *bench) record(ctx context.Context, dir string, env []string, flags ...string) (*record.Run, error) {
	command, err := harness.BuildCommand(ctx, b.scratch)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(b.scratch, "record.json")
	e, err := b.execute(ctx, invocation{
		file: command, dir: dir, env: env,
		args: append([]string{"measure", "--no-calm", "--meter", "none", "--warmup", "1", "--rounds", "1", "--format", "json", "-o", out}, flags...),
	})
	if err != nil {
		return nil, err
	}
	if e.status != "ok" {
		return nil, fmt.Errorf("spell-lsp measure: %s\n%s", e.status, e.output)
	}
	f, err := os.Open(out)
	if err != nil {
		return nil, fmt.Errorf("reading the record: %w", err)
	}
	defer f.Close()
	return recordjson.Read(f)
}

// values reads lines of a name and a number; a program may print others too.
func values(text string) map[string]float64 {
	all := make(map[string]float64)
	for line := range strings.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if v, err := strconv.ParseFloat(number, 64); err == nil {
			all[name] = v
		}
	}
	return all
}

// component finds a component by its name within its package.
func component(run *record.Run, name string) (record.Component, bool) {
	for _, c := range run.Components {
		if c.ID == c.Package+"."+name {
			return c, true
		}
	}
	return record.Component{}, false
}
