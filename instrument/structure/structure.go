// Package structure finds the size and coupling of functions in their source: cyclomatic complexity,
// lines of code, fan-in and fan-out.
//
// Packages are checked together, from their source, and nothing else is loaded: what the standard
// library and other modules declare has no type here. A call is therefore not counted where only such a
// type leads to its target, as in pool.Get().(*T).Close().
package structure

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"spell-lsp/spell"
)

// A Package is the source of one package.
type Package struct {
	Path  string // import path
	Files []File
}

// A File is one source file; Name stands for it in a Place.
type File struct {
	Name string
	Text []byte
}

// A Place is where a function stands: its name or, of a literal outside of functions, the word func.
// Line and column are from 1, in bytes.
type Place struct {
	File         string
	Line, Column int
}

// A Function is one with a body, or a literal outside of functions.
type Function struct {
	Place
	spell.Structure
}

// Of returns the functions of all packages; nil if ctx ended before. Files that do not parse have none.
func Of(ctx context.Context, packages []Package) []Function {
	w := world{
		fset: token.NewFileSet(), packages: make(map[string]*checked, len(packages)),
		fanIn: make(map[*types.Func]int),
	}
	for _, p := range packages {
		w.packages[p.Path] = &checked{source: p}
	}
	for _, p := range packages {
		if ctx.Err() != nil {
			return nil
		}
		w.check(w.packages[p.Path])
	}
	return w.functions()
}

// A world is all packages, which refer to each other's functions.
type world struct {
	fset     *token.FileSet
	packages map[string]*checked
	list     []*function
	fanIn    map[*types.Func]int
}

// A checked package has begun where its check may still need others that it imports.
type checked struct {
	source Package
	begun  bool
	types  *types.Package // nil before the check is over
}

// A function is a Function with what its coupling is made of.
type function struct {
	Function
	object *types.Func // nil of a literal
	calls  map[*types.Func]bool
}

// Import finds one of the packages by its import path, for package types.
func (w *world) Import(path string) (*types.Package, error) {
	p := w.packages[path]
	if p == nil {
		return nil, errNotHere
	}
	w.check(p)
	if p.types == nil {
		return nil, errNotHere
	}
	return p.types, nil
}

var errNotHere = errors.New("the source of the package is not here")

// check parses and checks a package, those that it imports first. Errors are expected: whatever comes
// from a package that is not here has no type.
func (w *world) check(p *checked) {
	if p.begun {
		return
	}
	p.begun = true
	files := make([]*ast.File, 0, len(p.source.Files))
	sources := make([]File, 0, len(p.source.Files))
	for _, f := range p.source.Files {
		if parsed, err := parser.ParseFile(w.fset, f.Name, f.Text, parser.SkipObjectResolution); err == nil {
			files, sources = append(files, parsed), append(sources, f)
		}
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)}
	p.types = w.checkTypes(p.source.Path, files, info)
	for i, file := range files {
		w.addFile(file, sources[i], info)
	}
}

// checkTypes returns what could be checked. Source that package types was not made for must not end a
// measurement: it may panic on source that no compiler has accepted.
func (w *world) checkTypes(path string, files []*ast.File, info *types.Info) (pkg *types.Package) {
	pkg = types.NewPackage(path, "")
	defer func() { _ = recover() }()
	conf := types.Config{Importer: w, Error: func(error) {}, FakeImportC: true, DisableUnusedImportCheck: true}
	_ = types.NewChecker(&conf, w.fset, pkg, info).Files(files) // the errors are those of what is not here
	return pkg
}

// addFile adds the functions of a file.
func (w *world) addFile(file *ast.File, source File, info *types.Info) {
	add := func(object *types.Func, name token.Pos, body *ast.BlockStmt) {
		at := w.fset.PositionFor(name, false)
		f := &function{object: object, calls: make(map[*types.Func]bool)}
		f.Place = Place{source.Name, at.Line, at.Column}
		f.Complexity = complexity(body)
		f.LinesOfCode = linesOfCode(source.Text[at.Offset:min(w.fset.PositionFor(body.End(), false).Offset, len(source.Text))])
		w.addCalls(f, body, info)
		w.list = append(w.list, f)
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body != nil && decl.Name.Name != "_" {
				object, _ := info.Defs[decl.Name].(*types.Func)
				add(object, decl.Name.Pos(), decl.Body)
			}
		case *ast.GenDecl:
			ast.Inspect(decl, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				if ok {
					add(nil, lit.Pos(), lit.Body)
				}
				return !ok
			})
		}
	}
}

// addCalls adds the functions of the packages that the body calls.
func (w *world) addCalls(f *function, body *ast.BlockStmt, info *types.Info) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		callee := typeutil.StaticCallee(info, call)
		if callee != nil && callee != f.object && callee.Pkg() != nil && w.packages[callee.Pkg().Path()] != nil {
			f.calls[callee] = true
		}
		return true
	})
}

// functions counts who calls whom.
func (w *world) functions() []Function {
	for _, f := range w.list {
		for callee := range f.calls {
			w.fanIn[callee]++
		}
	}
	all := make([]Function, len(w.list))
	for i, f := range w.list {
		f.FanOut = len(f.calls)
		if f.object != nil {
			f.FanIn = w.fanIn[f.object]
		}
		all[i] = f.Function
	}
	return all
}
