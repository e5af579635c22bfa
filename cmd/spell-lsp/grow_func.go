package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/instrument"
	"spell-lsp/instrument/generate"
	"spell-lsp/runner"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell/growth"
	"spell-lsp/spell/input"
	"spell-lsp/spell/store"
	"spell-lsp/spell/units"
)

// growFunction are the flags of grow FUNC.
type growFunction struct {
	calls
	print bool
	noRun error // why its name is not that of a run; nil if a flag says that it is a function
}

func (g *growFunction) register(flags *pflag.FlagSet) {
	g.calls.register(flags, "16..65536")
	flags.BoolVar(&g.print, "print", false, "print the benchmark that is generated, and measure nothing")
}

// calls are the flags of commands that generate a benchmark of a function, and measure it like one that is in the
// module. The file that it stands in is only in the overlay of the build.
type calls struct {
	sizes     string
	arguments []string
	effects   bool
}

// callsFlags are the flags that only functions have.
var callsFlags = []string{"sizes", "arg", "allow-effects"}

func (g *calls) register(flags *pflag.FlagSet, sizes string) {
	flags.StringVar(&g.sizes, "sizes", sizes, "call the function with arguments of these `SIZES`: FIRST..LAST, each twice the one before, or a list such as 10,100,1000")
	flags.StringArrayVar(&g.arguments, "arg", nil, "make an argument in this way: `NAME=GENERATOR`, which is "+generate.Generators)
	flags.BoolVar(&g.effects, "allow-effects", false, "call a function that reaches files, processes, the network or the system, too; in an empty home and working directory")
}

// parameters are those of a benchmark of a function, with so many sizes at least.
func (g *calls) parameters(least int) (p generate.Params, err error) {
	if p.Sizes, err = parseSizes(g.sizes, least); err != nil {
		return p, err
	}
	p.Effects, p.Arguments = g.effects, make(map[string]string)
	for _, text := range g.arguments {
		name, generator, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return p, fmt.Errorf("--arg %s: must be NAME=GENERATOR, such as items=sorted", text)
		}
		p.Arguments[name] = generator
	}
	return p, nil
}

// parseSizes reads 16..65536 or 10,100,1000, of at least so many sizes.
func parseSizes(text string, least int) (sizes []int, err error) {
	if first, last, ok := strings.Cut(text, ".."); ok {
		from, errFirst := strconv.Atoi(first)
		to, errLast := strconv.Atoi(last)
		if errFirst == nil && errLast == nil {
			sizes = generate.Doubling(from, to)
		}
	} else {
		for _, part := range strings.Split(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || n < 1 || slices.Contains(sizes, n) {
				return nil, fmt.Errorf("--sizes %s: must be FIRST..LAST or a list of positive numbers", text)
			}
			sizes = append(sizes, n)
		}
		slices.Sort(sizes)
	}
	if len(sizes) < least {
		return nil, fmt.Errorf("--sizes %s: must be FIRST..LAST or a list, of at least %s", text, units.Plural(least, "positive number"))
	}
	return sizes, nil
}

// benchmarkOf generates the benchmark of a function.
func benchmarkOf(ctx context.Context, name string, p instrument.Params, how generate.Params) (*generate.Benchmark, error) {
	f, err := checked(ctx, name, p)
	if err != nil {
		return nil, err
	}
	how.Function = f.ID
	return generate.Of(f.Pkgs, how)
}

// checked type-checks the package of a function.
func checked(ctx context.Context, name string, p instrument.Params) (f generate.Function, err error) {
	folder, err := scratch.New()
	if err != nil {
		return f, err
	}
	defer folder.Remove()
	p.Temp = folder.Dir
	f.ID, f.Pkgs, err = instrument.Checked(ctx, p, name)
	return f, err
}

// A missingError says which arguments cannot be generated.
type missingError struct{ *generate.Benchmark }

func (e missingError) Error() string {
	text := e.Function + " cannot be called with generated arguments"
	for _, m := range e.Missing {
		text += "\n  " + m.String()
	}
	return text + "\nThe benchmark above has a TODO where they belong: complete it in a test file of the package, and measure it with grow --bench " + e.Name + ". Or choose an argument with --arg NAME=fixed:EXPRESSION"
}

// namesFunction tells whether the only argument is a function: one of its flags is given, or it is neither a saved run nor
// a file.
func (f *growFlags) namesFunction(cmd *cobra.Command, args []string) (bool, error) {
	for _, name := range append([]string{"print"}, callsFlags...) {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if f.bench != "" || len(args) != 1 {
			return false, fmt.Errorf("--%s is for a function: name one, and no --bench", name)
		}
		return true, nil
	}
	if f.bench != "" || len(args) != 1 || args[0] == "-" || input.Named(args[0]) || exists(args[0]) {
		return false, nil
	}
	runs, err := openRuns(cmd, f.dir)
	if err != nil {
		return false, err
	}
	_, err = runs.find(cmd.Context(), args[0])
	if unknown := (*store.UnknownError)(nil); !errors.As(err, &unknown) {
		return false, nil // the run is read, or why it cannot be
	}
	_, f.function.noRun = readNamed(cmd, f.dir, args[0], false)
	return true, nil
}

// growFunction generates the benchmark of a function, tries which sizes it can be called with, and measures it.
func (f *growFlags) growFunction(cmd *cobra.Command, name string) error {
	how, err := f.function.parameters(growth.LeastValues)
	if err != nil {
		return err
	}
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	defer endsItself(cmd.Context())()
	p, err := f.params(s, nil)
	if err != nil {
		return err
	}
	b, err := benchmarkOf(cmd.Context(), name, instrument.Params{Dir: p.Dir, Tags: p.Tags}, how)
	if unknown := (*instrument.NoFunctionError)(nil); errors.As(err, &unknown) && f.function.noRun != nil {
		return fmt.Errorf("%w; and %w", f.function.noRun, err)
	}
	if err != nil {
		return err
	}
	if len(b.Missing) > 0 || f.function.print {
		err := f.emit(cmd, func(w io.Writer) error {
			_, err := w.Write(b.Text(b.AllSizes()))
			return err
		})
		if err == nil && len(b.Missing) > 0 {
			err = missingError{b}
		}
		return err
	}
	sizes, _, err := tryShown(cmd, p, b, growth.LeastValues, saidOf)
	if err != nil {
		return err
	}
	run, err := measureFirst(cmd, f.on, s, measured(p, b, sizes))
	if run == nil {
		return err
	}
	return errors.Join(err, f.write(cmd, run))
}

// tryShown is try with its progress and reasons on standard error. The sizes are those of the orders that have so many at
// least; it fails where none has.
func tryShown(cmd *cobra.Command, p runner.Params, b *generate.Benchmark, least int, why func(*generate.Benchmark, generate.Tried) []string) (generate.Sizes, []generate.Tried, error) {
	progress := &progressLine{w: cmd.ErrOrStderr()}
	p.Progress = progress.show
	progress.show(runner.Step{Doing: "trying " + b.Function + " with each size", Fraction: -1})
	tried, err := try(cmd.Context(), p, b)
	progress.clear()
	if err != nil {
		return nil, nil, err
	}
	for _, text := range told(b, tried, why) {
		fmt.Fprintf(cmd.ErrOrStderr(), "spell-lsp: %s\n", text) //nolint:errcheck // only a notice
	}
	sizes, err := usable(b, tried, least)
	return sizes, tried, err
}

// trialTimeout is how long the trial of one order may take: each call has a limit of its own.
const trialTimeout = 5 * time.Minute

// try calls the function with all sizes in each of its orders.
func try(ctx context.Context, p runner.Params, b *generate.Benchmark) (tried []generate.Tried, err error) {
	p.Patterns, p.Buffers, p.Timeout = []string{b.Package}, with(p.Buffers, b.File(), b.Trial()), trialTimeout
	orders := b.Orders
	if len(orders) == 0 {
		orders = []string{""}
	}
	var tests []string
	for _, order := range orders {
		tests = append(tests, generate.TrialOf(order))
	}
	outputs, err := runner.Outputs(ctx, p, tests, generate.TrialMark)
	for i, output := range outputs {
		tried = append(tried, generate.TriedOf(orders[i], output))
	}
	return tried, err
}

// usable are the sizes with which the function can be measured, in the orders that have so many at least.
func usable(b *generate.Benchmark, tried []generate.Tried, least int) (generate.Sizes, error) {
	sizes := make(generate.Sizes)
	most := 0
	for _, t := range tried {
		if len(t.Sizes) >= least {
			sizes[t.Order] = t.Sizes
		}
		most = max(most, len(t.Sizes))
	}
	switch {
	case most == 0:
		return nil, fmt.Errorf("%s can be called with none of the sizes: choose other --sizes, or arguments with --arg", b.Function)
	case len(sizes) == 0:
		return nil, fmt.Errorf("%s can be called with %s only, and growth needs %d: choose other --sizes, or arguments with --arg", b.Function, units.Plural(most, "size"), least)
	}
	return sizes, nil
}

// told is what the user must know of all trials of a function.
func told(b *generate.Benchmark, tried []generate.Tried, why func(*generate.Benchmark, generate.Tried) []string) []string {
	var orders []string
	var said [][]string
	for _, t := range tried {
		orders, said = append(orders, t.Order), append(said, why(b, t))
	}
	return joined(orders, said)
}

// joined are the facts of all orders, each with the orders that have it.
func joined(orders []string, said [][]string) (list []string) {
	where := make(map[string][]string)
	var facts []string
	for i, order := range orders {
		for _, fact := range said[i] {
			if where[fact] == nil {
				facts = append(facts, fact)
			}
			where[fact] = append(where[fact], order)
		}
	}
	for _, fact := range facts {
		if orders[0] != "" {
			fact += " (order " + strings.Join(where[fact], ", ") + ")"
		}
		list = append(list, fact)
	}
	return list
}

// saidOf is what the user of grow must know of the trial of one order.
func saidOf(b *generate.Benchmark, t generate.Tried) []string {
	list := sizesLeftOut(b, t)
	if len(t.Sizes) > 0 && len(t.Sizes) < growth.LeastValues {
		list = append(list, "left out: an order with "+units.Plural(len(t.Sizes), "size")+" only")
	}
	if len(t.Failed) > 0 {
		list = append(list, failing(t))
	}
	if share := making(b, t); share > 0 {
		list = append(list, fmt.Sprintf("making the arguments anew takes about %.0f %% of the time of an operation with n=%d; the figures of the function are without it", share, t.Sizes[len(t.Sizes)-1]))
	}
	if b.Empty() {
		list = append(list, emptyReceiver)
	}
	return list
}

const emptyReceiver = "its receiver is empty: no method was found that adds elements"

// failing says which calls return an error.
func failing(t generate.Tried) string {
	first := t.Failed[0].Error
	what, sizes := fmt.Sprintf("the error %q", first), []int(nil)
	for _, f := range t.Failed {
		sizes = append(sizes, f.Size)
		if f.Error != first {
			what = fmt.Sprintf("errors such as %q", first)
		}
	}
	if len(t.Failed) < len(t.Sizes) {
		return fmt.Sprintf("calls with n=%s return %s: at these sizes the cost is that of a failing call; choose other arguments with --arg", sizeList(sizes), what)
	}
	return fmt.Sprintf("all calls return %s: the cost is that of a failing call; choose other arguments with --arg", what)
}

// sizeList writes sizes: 16, 64.
func sizeList(sizes []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(sizes), "[]")), ", ")
}

// sizesLeftOut says which sizes are left out, and why.
func sizesLeftOut(b *generate.Benchmark, t generate.Tried) (list []string) {
	for _, wide := range b.TooWide {
		list = append(list, "left out: "+wide.String())
	}
	for i := 0; i < len(t.LeftOut); {
		first, last := t.LeftOut[i], t.LeftOut[i]
		for ; i < len(t.LeftOut) && t.LeftOut[i].Reason == first.Reason; i++ {
			last = t.LeftOut[i]
		}
		list = append(list, fmt.Sprintf("left out: %s: %s", sizesText(first, last), first.Reason))
	}
	if lost := t.Lost(b.AllSizes()[t.Order]); len(lost) > 0 {
		list = append(list, fmt.Sprintf("left out: n=%s: the function printed so much in the trial that the trial's result was lost", sizeList(lost)))
	}
	return list
}

// making is how many per cent of the time of an operation with the largest size its arguments are made anew; 0 where that is
// hardly any.
func making(b *generate.Benchmark, t generate.Tried) float64 {
	if !b.Renews() || t.Making < notedMaking || len(t.Sizes) == 0 {
		return 0
	}
	return 10 * math.Round(10*t.Making)
}

// sizesText is the sizes that are left out for one reason.
func sizesText(first, last generate.LeftOut) string {
	text := fmt.Sprintf("n=%d", first.Size)
	if last.Size > first.Size {
		text += fmt.Sprintf(" to %d", last.Size)
	}
	if last.Above {
		text += " and above"
	}
	return text
}

// notedMaking is the part of a call from which on it is told that its arguments are made anew.
const notedMaking = 0.1

// with is a copy of unsaved texts with another file.
func with(buffers map[string][]byte, name string, text []byte) map[string][]byte {
	all := map[string][]byte{name: text}
	for other, unsaved := range buffers {
		all[other] = unsaved
	}
	return all
}

// measured are the parameters of a measurement of the generated benchmark.
func measured(p runner.Params, b *generate.Benchmark, sizes generate.Sizes) runner.Params {
	p.Patterns, p.Run, p.Bench = []string{b.Package}, runner.NoTests, "^"+b.Name+"$"
	p.Buffers = with(p.Buffers, b.File(), b.Guarded(sizes))
	return p
}
