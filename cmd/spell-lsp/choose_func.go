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
	"spell-lsp/spell/record"
)

// chosenSizes are those with which functions are compared: enough to see where the best one changes.
const chosenSizes = "16,64,256,1024,4096,16384,65536"

// namesFunctions tells whether the arguments are functions, and not a run or packages.
func (f *chooseFlags) namesFunctions(cmd *cobra.Command, args []string) (bool, error) {
	functions, err := f.givesFunctions(cmd, args)
	if functions && (f.options.Key != "" || f.options.Size != "") {
		err = errors.New("--key and --size are for names of benchmarks: with functions, these are the alternatives, and n is the size")
	}
	return functions, err
}

func (f *chooseFlags) givesFunctions(cmd *cobra.Command, args []string) (bool, error) {
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
	run, err := measureFirst(cmd, f.on, s, p)
	if run == nil {
		return err
	}
	for _, name := range missing(run, list) {
		fmt.Fprintf(cmd.ErrOrStderr(), "spell-lsp: %s was not measured: the process of its package ended before, by one of the other functions. Compare it without them\n", name) //nolint:errcheck // only a notice
	}
	return errors.Join(err, f.write(cmd, run))
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
	trials := make([][]generate.Tried, len(list))
	for i, b := range list {
		sizes, tried, err := tryShown(cmd, p, b, 1, saidOfAlternative)
		if err != nil {
			return p, err
		}
		trials[i] = tried
		if common = sharedSizes(common, sizes); len(common) == 0 {
			return p, errors.New("there is no size with which all of the functions can be called: choose other --sizes, or arguments with --arg")
		}
	}
	if err := someFail(list, trials, common); err != nil {
		return p, err
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

// someFail is an error if calls of one function return an error with a size with which those of another do not.
func someFail(list []*generate.Benchmark, trials [][]generate.Tried, common generate.Sizes) error {
	for i, b := range list {
		for k, other := range list {
			for at, t := range trials[i] {
				for _, f := range t.Failed {
					both := slices.ContainsFunc(trials[k][at].Failed, func(o generate.Failure) bool { return o.Size == f.Size })
					if slices.Contains(common[t.Order], f.Size) && !both {
						return fmt.Errorf("calls of %s with n=%d return the error %q, but those of %s do not: use --arg or --sizes to choose arguments with which neither returns an error", b.Function, f.Size, f.Error, other.Function)
					}
				}
			}
		}
	}
	return nil
}

// saidOfAlternative is what the user must know of the trial of one function, which it names.
func saidOfAlternative(b *generate.Benchmark, t generate.Tried) []string {
	list := sizesLeftOut(b, t)
	if len(t.Failed) > 0 {
		list = append(list, failing(t))
	}
	if share := making(b, t); share > 0 {
		list = append(list, fmt.Sprintf("making the arguments anew takes about %.0f %% of the time of an operation with n=%d, and the figures have that in them", share, t.Sizes[len(t.Sizes)-1]))
	}
	if b.Empty() {
		list = append(list, emptyReceiver)
	}
	for i := range list {
		list[i] = b.Function + ": " + list[i]
	}
	return list
}

// missing tells which functions have no row in a run: what ends a process ends all benchmarks of its package.
func missing(run *record.Run, list []*generate.Benchmark) (names []string) {
	for _, b := range list {
		if !slices.ContainsFunc(run.Tests, func(t record.Test) bool { return strings.HasPrefix(t.Name, b.Package+"."+b.Name+"/") }) {
			names = append(names, b.Function)
		}
	}
	return names
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
