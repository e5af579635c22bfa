// Package outline finds what a source file declares: in Go its functions, types and
// package clause with their byte ranges and the hashes of their bodies, in other languages
// what stands on a given line. It keeps doing so while a text is being edited and does not
// parse, and caches the outlines of files on disk.
//
// It knows nothing of documents, results or clients.
package outline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
)

// Names of declarations that are no functions: a type T is named "type T".
const (
	TypePrefix    = "type "
	PackageClause = "package"
)

// A Function is a function of a Go file, as byte offsets into its text. Types and the
// package clause are Functions too, because results may be about them.
type Function struct {
	Name     string // as in gosource; init functions and literals are not numbered
	Kind     spell.Kind
	doc      int    // of its doc comment, or of the declaration if it has none
	Start    int    // of the declaration
	From, To int    // of the name
	End      int    // after the closing brace
	Hash     string // of the body; "" for types and the package clause
	Test     bool   // go test runs it as a test or benchmark
	Touched  bool   // the text does not parse, and the edits since it last did overlap the function
	Budgets  []Budget
}

// An Outline lists the functions of a text in source order.
type Outline struct {
	text      string
	Functions []Function
	Stray     []Budget // those that are above no function
	intact    bool     // the text parses
}

// Parse returns the outline of a text. Of a text that does not parse it has what the
// parser recovered.
func Parse(text string) *Outline {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	found := &Outline{intact: err == nil, text: text}
	if file == nil {
		return found
	}
	found.declare(fset, file)
	src := []byte(text)
	functions := gosource.Functions(fset, file, src)
	found.Stray = budgetsOf(gosource.StrayBudgets(fset, file, functions, src))
	for _, f := range functions {
		g := Function{
			Name: f.Name, Kind: spell.KindFunction, Hash: f.Hash, Budgets: budgetsOf(f.Budgets(fset, src)),
			Start: f.Start.Offset, From: f.Start.Offset, To: f.NameTo.Offset, End: max(f.End.Offset+1, f.NameTo.Offset),
		}
		g.doc = g.Start
		if f.Decl != nil {
			g.Start, g.Test = fset.PositionFor(f.Decl.Pos(), false).Offset, isTest(f.Decl)
			g.doc = g.Start
			if f.Decl.Doc != nil {
				g.doc = fset.PositionFor(f.Decl.Doc.Pos(), false).Offset
			}
		}
		found.Functions = append(found.Functions, g)
	}
	return found
}

// declare adds the package clause and the types.
func (f *Outline) declare(fset *token.FileSet, file *ast.File) {
	add := func(name string, kind spell.Kind, id *ast.Ident, whole ast.Node) {
		offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
		if id != nil && id.Name != "_" {
			from, to := offset(id.Pos()), offset(id.End())
			f.Functions = append(f.Functions, Function{Name: name, Kind: kind, doc: from, Start: from, From: from, To: to, End: max(to, offset(whole.End()))})
		}
	}
	add(PackageClause, spell.KindFile, file.Name, file.Name)
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					add(TypePrefix+spec.Name.Name, spell.KindType, spec.Name, spec)
				}
			}
		}
	}
}

// Blocks lists the blocks of a function; it lists none while the text does not parse. The
// text is parsed again each time, because a syntax tree takes many times the memory of
// its text.
func (f *Outline) Blocks(of Function) []gosource.Block {
	if !f.intact {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", f.text, parser.SkipObjectResolution)
	if err != nil {
		return nil // impossible: the text is intact
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Body != nil && fset.PositionFor(d.Name.Pos(), false).Offset == of.From {
			return gosource.Blocks(fset, d.Body, []byte(f.text))
		}
	}
	return nil
}

// isTest reports whether go test runs the function as TestX(*testing.T) or
// BenchmarkX(*testing.B).
func isTest(d *ast.FuncDecl) bool {
	params := d.Type.Params.List
	if d.Recv != nil || d.Type.TypeParams != nil || len(params) != 1 || len(params[0].Names) > 1 {
		return false
	}
	pointer, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := pointer.X.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "T" && HasTestPrefix(d.Name.Name, "Test") || sel.Sel.Name == "B" && HasTestPrefix(d.Name.Name, "Benchmark"))
}

// HasTestPrefix reports whether go test accepts the name of a test with this prefix, such
// as "Test": what follows must not begin with a lower-case letter.
func HasTestPrefix(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}
