package lsp

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
)

// Names of what is no function: a type T is "type T".
const (
	typePrefix    = "type "
	packageClause = "package"
)

// A function is a function of a Go file, by byte offsets into its text. A type
// and the package clause are taken for functions too, as results may be of them.
type function struct {
	name     string // as gosource has it: init functions and literals have no number
	kind     spell.Kind
	doc      int    // of the comment before it, or else of the declaration
	start    int    // of the declaration
	from, to int    // of the name
	end      int    // after the closing brace
	hash     string // "" of what is no function
	test     bool   // a test or benchmark that go test runs
	touched  bool   // the text does not parse, and what was edited since it did overlaps the function
}

// Findings are the functions of a text in their order.
type findings struct {
	text      string
	functions []function
	intact    bool // the text parses
}

// A source is the text of a file and what can be seen in it, which is looked
// for when first asked.
type source struct {
	text   string
	mapper func() *mapper
	last   *findings // of the last text before this that parses, nil if unknown

	once  sync.Mutex
	found *findings
}

// newSource makes the source of a text that replaces an older one, if there is
// one.
func newSource(text string, older *source) *source {
	s := &source{text: text, mapper: sync.OnceValue(func() *mapper { return newMapper(text) })}
	if older != nil {
		s.last = older.lastIntact()
	}
	return s
}

func (s *source) lastIntact() *findings {
	s.once.Lock()
	defer s.once.Unlock()
	if s.found == nil && s.last == nil { // nobody has looked yet: later there is nothing to hold on to
		if found := parse(s.text); found.intact {
			s.found = found
		}
	}
	if s.found != nil && s.found.intact {
		return s.found
	}
	return s.last
}

// look finds the functions. While the text does not parse, they are those of
// the last text that did, as far as they are still there.
func (s *source) look() *findings {
	s.once.Lock()
	defer s.once.Unlock()
	if s.found != nil {
		return s.found
	}
	if s.last != nil {
		if s.found = s.last.reparsed(s.text); s.found != nil {
			return s.found
		}
	}
	s.found = parse(s.text)
	if !s.found.intact && s.last != nil {
		s.found = s.last.edited(s.text)
	}
	return s.found
}

func parse(text string) *findings {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	found := &findings{intact: err == nil, text: text}
	if file == nil {
		return found
	}
	found.declare(fset, file)
	for _, f := range gosource.Functions(fset, file, []byte(text)) {
		g := function{
			name: f.Name, kind: spell.KindFunction, hash: f.Hash,
			start: f.Start.Offset, from: f.Start.Offset, to: f.NameTo.Offset, end: max(f.End.Offset+1, f.NameTo.Offset),
		}
		g.doc = g.start
		if f.Decl != nil {
			g.start, g.test = fset.PositionFor(f.Decl.Pos(), false).Offset, isTest(f.Decl)
			g.doc = g.start
			if f.Decl.Doc != nil {
				g.doc = fset.PositionFor(f.Decl.Doc.Pos(), false).Offset
			}
		}
		found.functions = append(found.functions, g)
	}
	return found
}

// alone is what a declaration is parsed behind that is parsed alone. What is indented
// is no //line directive, and must not look like one.
const alone = "package p\n "

// reparsed finds the functions of a text that differs within one function only,
// behind its name, by parsing just that: as all of it is a function again, what
// follows is read as before; and as it is broken, all of the text is. It returns nil
// where that is not so.
func (f *findings) reparsed(text string) *findings {
	if text == f.text {
		return f
	}
	from := commonPrefix(f.text, text)
	to := len(f.text) - commonSuffix(f.text[from:], text[from:])
	shift := len(text) - len(f.text)
	edited := slices.IndexFunc(f.functions, func(g function) bool {
		return g.kind == spell.KindFunction && g.start < g.from && g.to < from && to < g.end // a literal is nothing alone
	})
	if !f.intact || edited < 0 {
		return nil
	}
	old := f.functions[edited]
	part := parse(alone + text[old.doc:old.end+shift])
	if !part.intact && ends(part.text, text[old.end+shift:]) {
		return f.edited(text)
	}
	if !part.intact || len(part.functions) != 2 { // the package clause is the first
		return nil
	}
	g := part.functions[1]
	if g.from-len(alone)+old.doc != old.from || g.end != len(part.text) {
		return nil // another function, or more behind it
	}
	g.name = old.name // its receiver may be an alias that is declared elsewhere
	g.move(func(offset int) int { return offset - len(alone) + old.doc })
	found := &findings{text: text, intact: true, functions: slices.Clone(f.functions)}
	for i := range found.functions {
		switch h := &found.functions[i]; {
		case i == edited:
			*h = g
		case h.start >= old.end:
			h.move(func(offset int) int { return offset + shift })
		}
	}
	return found
}

// ends reports whether a text ends with a closing brace and a line, so that what
// follows is read as if it stood alone. If that is right, it cannot make the text
// right: its own braces are in pairs, and no declaration goes on behind such a line.
func ends(text, rest string) bool {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var in scanner.Scanner
	in.Init(file, []byte(text), nil, 0)
	last, at := token.ILLEGAL, 0
	for {
		pos, tok, literal := in.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.SEMICOLON || literal == ";" { // no line's end
			last, at = tok, file.Offset(pos)
		}
	}
	return last == token.RBRACE && at == len(text)-1 && (rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n"))
}

// declare adds the package clause and the types.
func (f *findings) declare(fset *token.FileSet, file *ast.File) {
	add := func(name string, kind spell.Kind, id *ast.Ident, whole ast.Node) {
		offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
		if id != nil && id.Name != "_" {
			from, to := offset(id.Pos()), offset(id.End())
			f.functions = append(f.functions, function{name: name, kind: kind, doc: from, start: from, from: from, to: to, end: max(to, offset(whole.End()))})
		}
	}
	add(packageClause, spell.KindFile, file.Name, file.Name)
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					add(typePrefix+spec.Name.Name, spell.KindType, spec.Name, spec)
				}
			}
		}
	}
}

// blocks lists the blocks of a function, none while the text does not parse. It
// parses anew: trees take many times the memory of their text.
func (f *findings) blocks(of function) []gosource.Block {
	if !f.intact {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", f.text, parser.SkipObjectResolution)
	if err != nil {
		return nil // it did parse
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Body != nil && fset.PositionFor(d.Name.Pos(), false).Offset == of.from {
			return gosource.Blocks(fset, d.Body, []byte(f.text))
		}
	}
	return nil
}

// edited carries the functions over into a text that does not parse. One that
// is there word by word only moved; one whose name was edited is gone.
func (f *findings) edited(text string) *findings {
	from := commonPrefix(f.text, text)
	to := len(f.text) - commonSuffix(f.text[from:], text[from:])
	shift := len(text) - len(f.text)
	result := &findings{text: text}
	for _, g := range f.functions {
		whole := f.text[g.start:g.end]
		switch {
		case g.start+len(whole) <= len(text) && strings.HasPrefix(text[g.start:], whole):
		case g.start+shift >= 0 && strings.HasPrefix(text[g.start+shift:], whole):
			g.move(func(offset int) int { return offset + shift })
		case g.from < to && g.to > from:
			continue
		default:
			g.touched = true
			g.move(func(offset int) int {
				if offset >= to {
					return offset + shift
				}
				return min(offset, from)
			})
		}
		result.functions = append(result.functions, g)
	}
	return result
}

func (g *function) move(to func(int) int) {
	g.doc, g.start, g.from, g.to, g.end = to(g.doc), to(g.start), to(g.from), to(g.to), to(g.end)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// isTest reports whether go test takes the function for a test or benchmark:
// TestX(t *testing.T) or BenchmarkX(b *testing.B), X not beginning with a
// lower-case letter.
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
	return ok && (sel.Sel.Name == "T" && named(d.Name.Name, "Test") || sel.Sel.Name == "B" && named(d.Name.Name, "Benchmark"))
}

func named(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}
