package main

import (
	"context"
	"errors"

	"spell-lsp/instrument"
	"spell-lsp/instrument/generate"
	"spell-lsp/lsp"
	"spell-lsp/runner"
	"spell-lsp/spell/growth"
)

// benchmarkForEditor generates the benchmark of a function, in the file that it belongs in.
func benchmarkForEditor(ctx context.Context, r lsp.Request) (file string, text []byte, err error) {
	b, err := growable(ctx, r)
	if err != nil {
		return "", nil, err
	}
	file, text = b.Kept(b.AllSizes())
	return file, text, nil
}

// growingForEditor are the parameters of a measurement of that benchmark with the sizes that the function can be
// called with, and what was told of the others.
func growingForEditor(ctx context.Context, r lsp.Request, p runner.Params) (runner.Params, []string, error) {
	b, err := growable(ctx, r)
	if err != nil {
		return p, nil, err
	}
	p.Subtests, p.Mode, p.Reach, p.Calm = true, runner.ModeInstrument, "", false
	if p.Rounds == 0 {
		p.Rounds = grownRounds
	}
	tried, err := try(ctx, p, b)
	if err != nil {
		return p, nil, err
	}
	sizes, err := usable(b, tried, growth.LeastValues)
	return measured(p, b, sizes), told(b, tried, saidOf), err
}

// growable is the benchmark of a function that can be called as it is.
func growable(ctx context.Context, r lsp.Request) (*generate.Benchmark, error) {
	b, err := benchmarkOf(ctx, r.Grow, instrument.Params{Dir: r.Dir, Tags: r.Settings.Tags, Buffers: r.Buffers}, generate.Params{})
	if err == nil && len(b.Missing) > 0 {
		text := r.Grow + " cannot be called with generated arguments: " + b.Missing[0].String()
		err = errors.New(text + ". Choose them on the command line: spell-lsp grow --arg NAME=fixed:EXPRESSION")
	}
	return b, err
}
