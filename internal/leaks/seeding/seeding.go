// Package seeding puts energy leaks into Go source. An energy leak is code that uses
// energy without contributing to the result: a program with one behaves as before and
// takes more CPU time. Seeded leaks have a known place, so they tell whether a ranking of
// functions points at leaks; see section 3.4 of Wong et al., "A Survey on Software Fault
// Localization" (IEEE TSE 2016), on seeded faults.
//
// A site is a place where a leak of some kind fits. [Sites] finds the sites of parsed and
// type-checked files; [Apply] changes the text of a file at one of them. Each kind is a
// transformation of the code that is there, such as a map lookup that becomes a linear
// search, and has a strength: how often the wasted work is done, or how large it is.
//
// A transformation keeps what a function returns, as far as types and syntax tell. What
// they do not tell (aliasing, identity of strings, counts of allocations) is left to the
// tests of the changed program; package checking runs them.
package seeding

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"spell-lsp/spell/gosource"
)

// A Source is a Go file with its types. It was parsed with comments and without object
// resolution errors; sources of one package share their Types.
type Source struct {
	Name   string // relative to the root of the module, with forward slashes
	Text   []byte // as parsed
	Fset   *token.FileSet
	Syntax *ast.File
	Types  *types.Package
	Info   *types.Info // Types, Defs, Uses, Selections
}

// A Site is a place where a leak fits. It is valid for the text in which it was found.
type Site struct {
	Kind     string `json:"kind"`
	Function string `json:"function"` // component ID of the declaring function, also for literals in it
	File     string `json:"file"`     // [Source.Name]
	Line     int    `json:"line"`
	Offset   int    `json:"offset"` // of the code that is transformed, in bytes
	End      int    `json:"end"`
}

func (s Site) String() string {
	return fmt.Sprintf("%s in %s (%s:%d)", s.Kind, s.Function, s.File, s.Line)
}

// Sites lists all sites of the given files, which must include every file of each of
// their packages, in the order of the files. Functions with compiler directives, init
// functions, and functions that jump or redefine predeclared names have none. Neither
// do generated files and tests.
func Sites(files []Source) []Site {
	var all []Site
	program := newProgram(files)
	for i := range files {
		program.visit(&files[i], func(p *place, k *Kind, n ast.Node, _ rewrite) bool {
			at := p.source.Fset.PositionFor(n.Pos(), false)
			all = append(all, Site{
				Kind: k.Name, Function: p.id, File: p.source.Name,
				Line: at.Line, Offset: at.Offset, End: p.offset(n.End()),
			})
			return true
		})
	}
	return all
}

// Apply returns the text of the site's file with the leak in it. The site must come from
// [Sites] of the same files; strength is between 1 and the kind's Max. A file that
// was formatted still is.
func Apply(files []Source, site Site, strength int) ([]byte, error) {
	i := slices.IndexFunc(files, func(s Source) bool { return s.Name == site.File })
	if i < 0 {
		return nil, fmt.Errorf("%s: the file is not among the sources", site)
	}
	var changed []byte
	var err error
	newProgram(files).visit(&files[i], func(p *place, k *Kind, n ast.Node, r rewrite) bool {
		if k.Name != site.Kind || p.offset(n.Pos()) != site.Offset || p.offset(n.End()) != site.End {
			return true
		}
		changed, err = p.source.change(append(r(max(1, min(strength, k.Max))), p.importing()...))
		return false
	})
	if err == nil && changed == nil {
		err = fmt.Errorf("%s: there is no such site", site)
	}
	return changed, err
}

// A program is what transformations need to know of all files together.
type program struct {
	names map[*ast.FuncDecl]string // component IDs
	pure  purity
}

func newProgram(files []Source) *program {
	p := &program{names: make(map[*ast.FuncDecl]string), pure: newPurity(files)}
	packages := make(map[*types.Package][]*Source)
	for i := range files {
		packages[files[i].Types] = append(packages[files[i].Types], &files[i])
	}
	for pkg, sources := range packages {
		var syntax []*ast.File
		var funcs [][]gosource.Func
		for _, s := range sources {
			syntax = append(syntax, s.Syntax)
			funcs = append(funcs, gosource.Functions(s.Fset, s.Syntax, s.Text))
		}
		gosource.Unalias(syntax, funcs)
		for _, list := range funcs {
			for i := range list {
				if f := &list[i]; f.Decl != nil && f.Name != "init" {
					p.names[f.Decl] = f.Component(pkg.Path(), "").ID
				}
			}
		}
	}
	return p
}

// visit calls found for every place and kind that fit, until it returns false.
func (prog *program) visit(s *Source, found func(*place, *Kind, ast.Node, rewrite) bool) {
	if strings.HasSuffix(s.Name, "_test.go") || ast.IsGenerated(s.Syntax) {
		return
	}
	for _, d := range s.Syntax.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || prog.names[decl] == "" {
			continue
		}
		f := newFunction(s, decl)
		if f == nil {
			continue
		}
		f.id, f.pure = prog.names[decl], prog.pure
		if !f.visit(found) {
			return
		}
	}
}

func (f *function) visit(found func(*place, *Kind, ast.Node, rewrite) bool) bool {
	more := true
	var stack []ast.Node
	ast.Inspect(f.decl, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if !more {
			return false
		}
		for i := range kinds {
			p := &place{function: f, stack: stack}
			if r := kinds[i].find(p, n); r != nil && !p.impossible && more {
				more = found(p, &kinds[i], n, r)
			}
		}
		stack = append(stack, n)
		return true
	})
	return more
}
