// Package rewrite puts probes into the Go source of one package. It parses the files,
// says what of them can have a probe, and returns their text with calls of the probe
// inserted on lines that are there, so that every line keeps its number. It reads and
// writes no files, and does not decide what is measured.
package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"spell-lsp/spell/gosource"
)

// A Source is a Go file that is given to Parse.
type Source struct {
	Path string // for positions
	Text []byte
	Old  bool // its language has no generics
}

// A File is a parsed Go file of a package.
type File struct {
	Index int // in what Parse was given
	Path  string
	Funcs []gosource.Func

	src      []byte
	fset     *token.FileSet // of the package
	ast      *ast.File
	scope    *scope          // likewise
	imported map[string]bool // names of packages
	old      bool            // its language has no generics
}

// Parse parses the files of a package. Functions have the names that the linker gives
// them, for which all files are needed. A file that does not parse is left out, and its
// index is in broken.
func Parse(sources []Source) (files []*File, broken []int) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	var funcs [][]gosource.Func
	for i, source := range sources {
		f, err := parser.ParseFile(fset, source.Path, source.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			broken = append(broken, i)
			continue
		}
		file := &File{Index: i, Path: source.Path, src: source.Text, old: source.Old, fset: fset, ast: f, imported: importedBy(f), Funcs: gosource.Functions(fset, f, source.Text)}
		files, parsed, funcs = append(files, file), append(parsed, f), append(funcs, file.Funcs)
	}
	gosource.Unalias(parsed, funcs)
	gosource.Number(funcs)
	numberLiterals(files)
	declared := scopeOf(parsed)
	for _, f := range files {
		f.scope = declared
	}
	return files, broken
}

// Position is the position of a function as the compiler reports it. In a file that cgo
// generated, that is the one of the line directive.
func (f *File) Position(pos token.Pos) token.Position {
	return f.fset.PositionFor(pos, f.usesC())
}

// Budgets lists the budgets above a function of the file.
func (f *File) Budgets(fn *gosource.Func) []gosource.Budget { return fn.Budgets(f.fset, f.src) }

// StrayBudgets lists the budgets of the file that are above none of its functions.
func (f *File) StrayBudgets() []gosource.Budget {
	return gosource.StrayBudgets(f.fset, f.ast, f.Funcs, f.src)
}

// A Bodiless function has no body in Go.
type Bodiless struct {
	Name string // as gosource.DeclName has it
	Line int
}

// Bodiless lists the functions that are written in assembly, or linked to others.
func (f *File) Bodiless() (list []Bodiless) {
	for _, decl := range f.ast.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Body == nil && d.Name.Name != "_" {
			list = append(list, Bodiless{gosource.DeclName(d), f.fset.PositionFor(d.Name.Pos(), false).Line})
		}
	}
	return list
}

func (f *File) offset(pos token.Pos) int { return f.fset.File(f.ast.FileStart).Offset(pos) }

// usesC reports whether the compiler gets a file that cgo generated instead.
func (f *File) usesC() bool {
	for _, spec := range f.ast.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// ProbeName is an import name for the probe that no file of the package uses, so that it
// neither shadows another name nor is shadowed.
func ProbeName(files []*File) string {
	used := make(map[string]bool)
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	name := "_spell_lsp_probe"
	for used[name] {
		name += "_"
	}
	return name
}

// WhyUnprobed says why a function cannot have a probe, or is "".
func WhyUnprobed(fn gosource.Func) string {
	if fn.Decl == nil || fn.Decl.Doc == nil {
		return ""
	}
	for _, c := range fn.Decl.Doc.List {
		directive, _, _ := strings.Cut(c.Text, " ")
		switch directive {
		case "//go:nosplit", "//go:systemstack", "//go:nowritebarrier", "//go:nowritebarrierrec":
			return "it is marked " + directive
		}
	}
	return ""
}
