package analyzers

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// names are the identifiers of a package, and those that fixes introduce. Fixes of several analysers
// may be made together, so they share them.
type names map[string]bool

// naming collects the names of a package: also in its tests and in files for other systems, which the
// types do not know.
var naming = &analysis.Analyzer{Name: "naming", Doc: "identifiers of the package", ResultType: reflect.TypeFor[names](), Run: func(pass *analysis.Pass) (any, error) {
	taken := make(names)
	var folders []string
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				taken[id.Name] = true
			}
			return true
		})
		if s := pass.TypesInfo.Scopes[f]; s != nil { // dot imports have names that no identifier shows
			for _, name := range s.Names() {
				taken[name] = true
			}
		}
		folder := filepath.Dir(pass.Fset.PositionFor(f.Pos(), false).Filename)
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			continue // the name of the folder looks like a pattern
		}
		for _, name := range files {
			if text, err := pass.ReadFile(name); err == nil {
				taken.scan(text)
			}
		}
	}
	return taken, nil
}}

// scan adds the identifiers of a file.
func (n names) scan(text []byte) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.IDENT {
			n[literal] = true
		}
	}
}

// fresh is a name that nothing in the package has, nor another fix.
func (c *cursor) fresh(name string) string {
	candidate := name
	for i := 2; c.taken[candidate] || types.Universe.Lookup(candidate) != nil || token.IsKeyword(candidate); i++ {
		candidate = fmt.Sprint(name, i)
	}
	c.taken[candidate] = true
	return candidate
}

// use is the name by which the node can call a package of the standard library, with the edit that
// imports it where the file does not; ok is false where the name stands for something else.
func (c *cursor) use(path string, n ast.Node) (name string, edits []analysis.TextEdit, ok bool) {
	name = path[strings.LastIndexByte(path, '/')+1:]
	for _, s := range c.file.Imports {
		if strings.Trim(s.Path.Value, "`\"") != path {
			continue
		}
		if s.Name != nil {
			name = s.Name.Name
		}
		p, isPkg := c.lookup(name, n).(*types.PkgName)
		return name, nil, isPkg && p.Imported().Path() == path
	}
	if c.Pkg.Scope().Lookup(name) != nil || c.lookup(name, n) != nil {
		return "", nil, false
	}
	return name, []analysis.TextEdit{c.importing(path)}, true
}

// lookup is what a name stands for at a node.
func (c *cursor) lookup(name string, n ast.Node) types.Object {
	scope := c.Pkg.Scope().Innermost(n.Pos())
	if scope == nil {
		return nil
	}
	_, object := scope.LookupParent(name, n.Pos())
	return object
}

// importing adds an import to the file.
func (c *cursor) importing(path string) analysis.TextEdit {
	for _, d := range c.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT || len(g.Specs) == 0 || c.importsC(g) {
			continue
		}
		at, text := g.Pos(), fmt.Sprintf("import %q\n", path)
		if g.Lparen.IsValid() {
			at, text = g.Lparen+1, fmt.Sprintf("\n\t%q", path)
			if c.Fset.PositionFor(g.Specs[0].Pos(), false).Line == c.Fset.PositionFor(g.Lparen, false).Line {
				text = fmt.Sprintf("%q; ", path)
			}
		}
		return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
	}
	at := c.file.Name.End()
	return analysis.TextEdit{Pos: at, End: at, NewText: fmt.Appendf(nil, "\n\nimport %q", path)}
}

// importsC tells whether a declaration imports "C", whose comment is code.
func (c *cursor) importsC(g *ast.GenDecl) bool {
	return slices.ContainsFunc(g.Specs, func(s ast.Spec) bool { return s.(*ast.ImportSpec).Path.Value == `"C"` })
}

// unimports removes the imports that only the code used that edits replace. Where fixes are made
// together, advice.Apply decides.
func (c *cursor) unimports(edits []analysis.TextEdit) []analysis.TextEdit {
	left := make(map[types.Object]bool)
	for id, object := range c.TypesInfo.Uses {
		pkg, ok := object.(*types.PkgName)
		if !ok || id.Pos() < c.file.FileStart || id.Pos() > c.file.FileEnd {
			continue
		}
		replaced := slices.ContainsFunc(edits, func(e analysis.TextEdit) bool { return e.Pos <= id.Pos() && id.End() <= e.End })
		kept := !replaced || slices.ContainsFunc(edits, func(e analysis.TextEdit) bool { return bytes.Contains(e.NewText, []byte(id.Name+".")) })
		left[pkg] = left[pkg] || kept
	}
	var removed []analysis.TextEdit
	for _, d := range c.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			object := c.TypesInfo.Implicits[spec]
			if spec.Name != nil {
				object = c.TypesInfo.Defs[spec.Name]
			}
			if kept, used := left[object]; used && !kept {
				removed = append(removed, c.removal(g, spec))
			}
		}
	}
	return removed
}

// removal removes an import with its line.
func (c *cursor) removal(g *ast.GenDecl, s *ast.ImportSpec) analysis.TextEdit {
	if !g.Lparen.IsValid() {
		return analysis.TextEdit{Pos: g.Pos(), End: g.End()}
	}
	file := c.Fset.File(s.Pos())
	at := func(p token.Pos) int { return file.PositionFor(p, false).Line }
	if line := at(s.Pos()); at(g.Lparen) < line && line < at(g.Rparen) {
		return analysis.TextEdit{Pos: file.LineStart(line), End: file.LineStart(line + 1)}
	}
	next := g.Rparen // of several in a line
	if i := slices.Index(g.Specs, ast.Spec(s)); i+1 < len(g.Specs) {
		next = g.Specs[i+1].Pos()
	}
	return analysis.TextEdit{Pos: s.Pos(), End: next}
}
