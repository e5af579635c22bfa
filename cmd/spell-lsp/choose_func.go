package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/instrument"
	"spell-lsp/instrument/generate"
	"spell-lsp/runner"
	"spell-lsp/spell/input"
)

// chosenSizes are those with which functions are compared: enough to see where the best one changes.
const chosenSizes = "16,64,256,1024,4096,16384,65536"

// namesFunctions tells whether the arguments are functions, and not a run or packages.
func (f *chooseFlags) namesFunctions(cmd *cobra.Command, args []string) (bool, error) {
	for _, name := range callsFlags {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if f.measures(cmd) || len(args) < 2 {
			return false, fmt.Errorf("--%s is for functions: name two or more, and no --bench or --run", name)
		}
		return true, nil
	}
	path := func(arg string) bool {
		return strings.HasPrefix(arg, ".") || strings.Contains(arg, "...") || input.Named(arg) || exists(arg)
	}
	return !f.measures(cmd) && len(args) > 1 && !slices.ContainsFunc(args, path), nil
}

// compareFunctions generates a benchmark of each function, measures them and compares the functions.
func (f *chooseFlags) compareFunctions(cmd *cobra.Command, names []string) error {
	how, err := f.parameters(1)
	if err != nil {
		return err
	}
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	defer endsItself(cmd.Context())()
	p, err := f.params(cmd, s, nil)
	if err != nil {
		return err
	}
	list, err := alternativesOf(cmd.Context(), names, instrument.Params{Dir: p.Dir, Tags: p.Tags}, how)
	if err != nil {
		return err
	}
	if p, err = f.together(cmd, p, list); err != nil {
		return err
	}
	return f.measureAndWrite(cmd, s, p)
}

// alternativesOf generates the benchmarks of functions.
func alternativesOf(ctx context.Context, names []string, p instrument.Params, how generate.Params) ([]*generate.Benchmark, error) {
	var functions []generate.Function
	for _, name := range names {
		function, err := checked(ctx, name, p)
		if err != nil {
			return nil, err
		}
		functions = append(functions, function)
	}
	list, err := generate.Alternatives(functions, how)
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		if len(b.Missing) > 0 {
			return nil, fmt.Errorf("%s cannot be called with generated arguments: %v. Choose an argument with --arg NAME=fixed:EXPRESSION", b.Function, b.Missing[0])
		}
	}
	return list, nil
}

// together are the parameters of a measurement of all benchmarks, with the sizes that all functions can be called with.
func (f *chooseFlags) together(cmd *cobra.Command, p runner.Params, list []*generate.Benchmark) (runner.Params, error) {
	var common generate.Sizes
	for _, b := range list {
		sizes, err := tryShown(cmd, p, b, 1)
		if err != nil {
			return p, err
		}
		if common = sharedSizes(common, sizes); len(common) == 0 {
			return p, errors.New("there is no size with which all of the functions can be called: choose other --sizes, or arguments with --arg")
		}
	}
	var names []string
	for _, b := range list {
		names = append(names, b.Name)
		if !slices.Contains(p.Patterns, b.Package) {
			p.Patterns = append(p.Patterns, b.Package)
		}
		p.Buffers = with(p.Buffers, b.File(), b.Guarded(common))
	}
	p.Bench = "^(" + strings.Join(names, "|") + ")$"
	return p, nil
}

// sharedSizes are the sizes that are in both, by order; all of the second where the first is nil.
func sharedSizes(before, now generate.Sizes) generate.Sizes {
	if before == nil {
		return now
	}
	shared := make(generate.Sizes)
	for order, sizes := range before {
		kept := slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return !slices.Contains(now[order], n) })
		if len(kept) > 0 {
			shared[order] = kept
		}
	}
	return shared
}
