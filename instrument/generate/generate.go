// Package generate writes a benchmark that calls a function or method with generated arguments of growing
// size. What it makes is text: it loads no packages, writes no files and runs nothing.
package generate

import (
	"cmp"
	"fmt"
	"go/build"
	"go/types"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spell-lsp/spell/alternatives"
)

// Params say which benchmark to write.
type Params struct {
	Function  string            // ID, such as example.com/park.(*Park).Add
	Arguments map[string]string // generators by name of a parameter, see ParseArgument
	Sizes     []int             // in rising order; none means DefaultSizes
	// Effects allows a function that writes, starts processes or uses the network: the benchmark then
	// runs in an empty folder, which is its home.
	Effects bool

	orders    []string // of elements, unless an argument has another; none means all
	container bool     // single values are looked for among elements, which one of several functions has
	renew     bool     // parameters are made anew for each call, whether it changes them or not
	prefix    string   // of the benchmark's name; "" is growthPrefix
}

// growthPrefix begins the name of a benchmark.
const growthPrefix = "BenchmarkGrow_"

// DefaultSizes are the powers of two from 16 to 65536.
var DefaultSizes = Doubling(16, 65536)

// Doubling are the sizes from the first one on, each twice the one before, up to the last.
func Doubling(first, last int) (sizes []int) {
	for n := first; n > 0 && n <= last; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// A Benchmark calls one function with arguments of growing size.
type Benchmark struct {
	Function string   // its ID
	Package  string   // import path
	Dir      string   // of the package
	Name     string   // such as BenchmarkGrow_Park_Add
	Orders   []string // of the elements; none where no argument has elements in an order
	// Missing are the parameters that cannot be generated. Such a benchmark does not compile: its text is a template.
	Missing []Missing
	TooWide []LeftOut // sizes that a parameter cannot have

	sizes     []int
	label     string // of the function among alternatives; "" without any
	signature string // without names
	plan      *plan
	effects   bool
	pkg       *packages.Package
	taken     []string // names of files in the folder
}

// Missing is a parameter for which there is no generator.
type Missing struct {
	Name   string // of the parameter; "receiver" of a method's
	Type   string
	Reason string
}

func (m Missing) String() string {
	what := "parameter " + m.Name
	if m.Name == receiverName {
		what = m.Name
	}
	return fmt.Sprintf("%s of type %s: %s", what, m.Type, m.Reason)
}

// Of plans the benchmark of a function. Among pkgs must be its package with its test files, type-checked from
// source, see instrument.Check. The error is an *EffectError where the function does more than compute, or says
// what cannot be used.
func Of(pkgs []*packages.Package, p Params) (*Benchmark, error) {
	path, function := find(pkgs, p.Function)
	if function == nil {
		return nil, fmt.Errorf("no function %q in the packages that were checked", p.Function)
	}
	if len(p.Sizes) == 0 {
		p.Sizes = DefaultSizes
	}
	p.prefix = cmp.Or(p.prefix, growthPrefix)
	name := benchmarkName(p.prefix, function)
	if file := declares(pkgs, name); file != "" {
		command := "grow"
		if p.prefix == alternatives.Generated {
			command = "choose"
		}
		return nil, fmt.Errorf("%s has a benchmark of %s: measure it with %s --bench '^%s$'", filepath.Base(file), p.Function, command, name)
	}
	pl, err := newPlan(path, function, p)
	if err != nil {
		return nil, err
	}
	b := &Benchmark{
		Function: p.Function, Package: function.Pkg().Path(), Dir: path.Dir, Name: name,
		Missing: pl.missing, sizes: p.Sizes, signature: signatureOf(pl.signature), plan: pl, effects: p.Effects, pkg: path, taken: filesIn(pkgs, path.Dir),
	}
	for _, v := range pl.narrow {
		b.narrow(v)
	}
	if pl.ordered {
		b.Orders = slices.Clone(pl.orders)
	}
	if len(b.Missing) == 0 && !pl.sized {
		return nil, fmt.Errorf("%s has no argument with a size: there is nothing that its cost could grow with", p.Function)
	}
	if !p.Effects {
		if err := checkEffects(pl.source, function, pl.calls); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// declares is the file in which one of the packages, or their tests, declares a function; "" if none does.
func declares(pkgs []*packages.Package, name string) string {
	for _, p := range pkgs {
		if p.Types == nil {
			continue
		}
		if object := p.Types.Scope().Lookup(name); object != nil {
			return p.Fset.Position(object.Pos()).Filename
		}
	}
	return ""
}

// filesIn are the names of the files of a folder that the packages know.
func filesIn(pkgs []*packages.Package, dir string) (names []string) {
	for _, p := range pkgs {
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredFiles, p.OtherFiles) {
			if filepath.Dir(file) == dir {
				names = append(names, filepath.Base(file))
			}
		}
	}
	return names
}

// narrow leaves out the sizes that a parameter cannot have.
func (b *Benchmark) narrow(v narrow) {
	for i, n := range b.sizes {
		if n > v.most {
			b.TooWide = append(b.TooWide, LeftOut{n, true, fmt.Sprintf("parameter %s of type %s is at most %d", v.name, v.typed, v.most)})
			b.sizes = b.sizes[:i]
			return
		}
	}
}

// find is the package with the function, and the function: that of the variant with test files, if there is one.
func find(pkgs []*packages.Package, id string) (found *packages.Package, function *types.Func) {
	for _, p := range pkgs {
		if p.Types == nil || strings.HasSuffix(p.PkgPath, "_test") && p.ForTest != "" {
			continue
		}
		for ident, object := range p.TypesInfo.Defs {
			f, ok := object.(*types.Func)
			if !ok || ident.Name == "_" || idOf(f) != id {
				continue
			}
			if found == nil || p.ForTest != "" {
				found, function = p, f
			}
		}
	}
	return found, function
}

// idOf is the linker's name of a function, without type arguments.
func idOf(f *types.Func) string {
	receiver := f.Signature().Recv()
	if receiver == nil {
		return f.Pkg().Path() + "." + f.Name()
	}
	named, pointer := namedOf(receiver.Type())
	if named == nil {
		return ""
	}
	name := named.Obj().Name()
	if pointer {
		name = "(*" + name + ")"
	}
	return f.Pkg().Path() + "." + name + "." + f.Name()
}

// namedOf is the named type that t is or points to.
func namedOf(t types.Type) (named *types.Named, pointer bool) {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	named, _ = t.(*types.Named)
	return named, pointer
}

// Empty tells whether it is a method's whose receiver has nothing of size n in it, as no method was found that adds elements.
func (b *Benchmark) Empty() bool { return b.plan.empty }

// Renews tells whether some arguments are made anew for each call, which an operation of the benchmark includes.
func (b *Benchmark) Renews() bool {
	return slices.ContainsFunc(b.plan.arguments, func(a argument) bool { return len(a.renew) > 0 })
}

// benchmarkName is BenchmarkGrow_Sort, or BenchmarkGrow_Park_Add of a method.
func benchmarkName(prefix string, f *types.Func) string {
	name := prefix
	if receiver := f.Signature().Recv(); receiver != nil {
		if named, _ := namedOf(receiver.Type()); named != nil {
			name += named.Obj().Name() + "_"
		}
	}
	return name + f.Name()
}

// File is the absolute name under which the benchmark can stand in its package: no file has it.
func (b *Benchmark) File() string { return filepath.Join(b.Dir, b.fileName()) }

// fileName is grow_park_add_test.go, or one with a number where there is such a file.
func (b *Benchmark) fileName() string {
	base := strings.ToLower(strings.TrimPrefix(b.Name, "Benchmark"))
	if !everywhere(base + "_test.go") {
		base += "_func"
	}
	name := base + "_test.go"
	for i := 2; slices.Contains(b.taken, name); i++ {
		name = fmt.Sprintf("%s%d_test.go", base, i)
	}
	return name
}

// everywhere tells whether a file with this name is built on all systems: sort_windows_test.go is not.
func everywhere(name string) bool {
	for _, system := range [][2]string{{"linux", "amd64"}, {"windows", "arm64"}} {
		ctx := build.Context{GOOS: system[0], GOARCH: system[1], Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("package p\n")), nil
		}}
		if matches, err := ctx.MatchFile("", name); err == nil && !matches {
			return false
		}
	}
	return true
}
