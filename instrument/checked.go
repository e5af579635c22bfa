package instrument

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/spell"
	"spell-lsp/spell/capture"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/regularfile"
)

// Checked finds the function that a user names, as Params.Block does, and type-checks its package, with its test
// files, and all that it imports from source; of the standard library, only declarations. Of p, Dir, Patterns,
// Tags, Buffers, Platform and Temp count. It fails with a *gocmd.LoadError where the package does not compile.
func Checked(ctx context.Context, p Params, name string) (id string, pkgs []*packages.Package, err error) {
	env, err := gocmd.Ask(ctx, p.Dir, p.Platform)
	if err != nil {
		return "", nil, err
	}
	work, err := env.Workspace(p.Temp)
	if err != nil {
		return "", nil, err
	}
	chosen, err := p.findFunction(ctx, work, env.Root(), name)
	if err != nil {
		return "", nil, err
	}
	cfg := config(ctx, p, work)
	cfg.Mode |= packages.LoadAllSyntax
	cfg.ParseFile = func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if file != nil && strings.HasPrefix(name, env.GOROOT+string(filepath.Separator)) {
			dropBodies(file)
		}
		return file, err
	}
	pkgs, err = packages.Load(cfg, chosen.Package)
	if ctx.Err() != nil {
		return "", nil, ctx.Err()
	}
	if err != nil {
		return "", nil, &gocmd.LoadError{Problems: []string{work.Original(goMessage(err))}}
	}
	var problems []string
	for _, p := range pkgs {
		for _, e := range p.Errors {
			problems = append(problems, work.Original(capture.Text(strings.TrimPrefix(e.Error(), "-: "))))
		}
	}
	if slices.Sort(problems); problems != nil {
		return "", nil, &gocmd.LoadError{Problems: slices.Compact(problems)}
	}
	return chosen.ID, pkgs, nil
}

// dropBodies leaves the declarations of a file. What was only imported for bodies is then not used, which is
// an error that nobody reads.
func dropBodies(file *ast.File) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}

// findFunction finds the function that a user names among those of the packages, without their tests.
func (p *Params) findFunction(ctx context.Context, work *gocmd.Workspace, root, name string) (spell.Component, error) {
	cfg := config(ctx, *p, work)
	cfg.Tests, cfg.Mode = false, packages.NeedName|packages.NeedFiles|packages.NeedModule
	pkgs, err := packages.Load(cfg, work.Expand(p.Dir, p.Patterns)...)
	if ctx.Err() != nil {
		return spell.Component{}, ctx.Err()
	}
	if err != nil {
		return spell.Component{}, &gocmd.LoadError{Problems: []string{work.Original(goMessage(err))}}
	}
	var all []spell.Component
	for _, pkg := range pkgs {
		if pkg.Module == nil || !pkg.Module.Main {
			continue
		}
		for _, file := range pkg.GoFiles {
			functions, err := p.functionsIn(pkg.PkgPath, root, file)
			if err != nil {
				return spell.Component{}, err
			}
			all = append(all, functions...)
		}
	}
	i, err := chosenFunction(all, name)
	if err != nil {
		return spell.Component{}, err
	}
	return all[i], nil
}

// functionsIn are the functions of a file; those of what does not parse are left out.
func (p *Params) functionsIn(pkg, root, name string) (list []spell.Component, err error) {
	src, ok := p.Buffers[name]
	if !ok {
		if src, err = regularfile.Read(name, regularfile.MaxSource); err != nil {
			return nil, fmt.Errorf("reading the source: %w", err)
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || err != nil {
		return nil, nil //nolint:nilerr // Checked names the error if it is in the package of the function
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		rel = name
	}
	for _, f := range gosource.Functions(fset, file, src) {
		if f.Decl != nil && f.Name != "init" {
			list = append(list, f.Component(pkg, filepath.ToSlash(rel)))
		}
	}
	return list, nil
}
