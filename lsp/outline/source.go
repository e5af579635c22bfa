// Package outline finds what a source file declares: functions, types and the package
// clause of Go, with their places, kinds and hashes of their bodies; of other languages
// what stands on a line. It works on text that is being edited, which may not parse, and
// keeps what it found in files on disk while they stay as they are.
//
// It knows nothing of documents, results or clients.
package outline

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

	"spell-lsp/lsp/location"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
)

// Names of what is no function: a type T is "type T".
const (
	TypePrefix    = "type "
	PackageClause = "package"
)

// A function is a function of a Go file, by byte offsets into its text. A type
// and the package clause are taken for functions too, as results may be of them.
type Function struct {
	Name     string // as gosource has it: init functions and literals have no number
	Kind     spell.Kind
	doc      int    // of the comment before it, or else of the declaration
	Start    int    // of the declaration
	From, To int    // of the name
	End      int    // after the closing brace
	Hash     string // "" of what is no function
	Test     bool   // a test or benchmark that go test runs
	Touched  bool   // the text does not parse, and what was edited since it did overlaps the function
}

// Findings are the functions of a text in their order.
type Outline struct {
	text      string
	Functions []Function
	intact    bool // the text parses
}

// A source is the text of a file and what can be seen in it, which is looked
// for when first asked.
type Source struct {
	Text   string
	Mapper func() *location.Mapper
	last   *Outline // of the last text before this that parses, nil if unknown

	once  sync.Mutex
	found *Outline
}

// newSource makes the source of a text that replaces an older one, if there is
// one.
func NewSource(text string, older *Source) *Source {
	s := &Source{Text: text, Mapper: sync.OnceValue(func() *location.Mapper { return location.NewMapper(text) })}
	if older != nil {
		s.last = older.lastIntact()
	}
	return s
}

func (s *Source) lastIntact() *Outline {
	s.once.Lock()
	defer s.once.Unlock()
	if s.found == nil && s.last == nil { // nobody has looked yet: later there is nothing to hold on to
		if found := Parse(s.Text); found.intact {
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
func (s *Source) Outline() *Outline {
	s.once.Lock()
	defer s.once.Unlock()
	if s.found != nil {
		return s.found
	}
	if s.last != nil {
		if s.found = s.last.reparsed(s.Text); s.found != nil {
			return s.found
		}
	}
	s.found = Parse(s.Text)
	if !s.found.intact && s.last != nil {
		s.found = s.last.edited(s.Text)
	}
	return s.found
}

func Parse(text string) *Outline {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	found := &Outline{intact: err == nil, text: text}
	if file == nil {
		return found
	}
	found.declare(fset, file)
	for _, f := range gosource.Functions(fset, file, []byte(text)) {
		g := Function{
			Name: f.Name, Kind: spell.KindFunction, Hash: f.Hash,
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

// alone is what a declaration is parsed behind that is parsed alone. What is indented
// is no //line directive, and must not look like one.
const alone = "package p\n "

// reparsed finds the functions of a text that differs within one function only,
// behind its name, by parsing just that: as all of it is a function again, what
// follows is read as before; and as it is broken, all of the text is. It returns nil
// where that is not so.
func (f *Outline) reparsed(text string) *Outline {
	if text == f.text {
		return f
	}
	from := commonPrefix(f.text, text)
	to := len(f.text) - commonSuffix(f.text[from:], text[from:])
	shift := len(text) - len(f.text)
	edited := slices.IndexFunc(f.Functions, func(g Function) bool {
		return g.Kind == spell.KindFunction && g.Start < g.From && g.To < from && to < g.End // a literal is nothing alone
	})
	if !f.intact || edited < 0 {
		return nil
	}
	old := f.Functions[edited]
	part := Parse(alone + text[old.doc:old.End+shift])
	if !part.intact && ends(part.text, text[old.End+shift:]) {
		return f.edited(text)
	}
	if !part.intact || len(part.Functions) != 2 { // the package clause is the first
		return nil
	}
	g := part.Functions[1]
	if g.From-len(alone)+old.doc != old.From || g.End != len(part.text) {
		return nil // another function, or more behind it
	}
	g.Name = old.Name // its receiver may be an alias that is declared elsewhere
	g.move(func(offset int) int { return offset - len(alone) + old.doc })
	found := &Outline{text: text, intact: true, Functions: slices.Clone(f.Functions)}
	for i := range found.Functions {
		switch h := &found.Functions[i]; {
		case i == edited:
			*h = g
		case h.Start >= old.End:
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

// blocks lists the blocks of a function, none while the text does not parse. It
// parses anew: trees take many times the memory of their text.
func (f *Outline) Blocks(of Function) []gosource.Block {
	if !f.intact {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", f.text, parser.SkipObjectResolution)
	if err != nil {
		return nil // it did parse
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Body != nil && fset.PositionFor(d.Name.Pos(), false).Offset == of.From {
			return gosource.Blocks(fset, d.Body, []byte(f.text))
		}
	}
	return nil
}

// edited carries the functions over into a text that does not parse. One that
// is there word by word only moved; one whose name was edited is gone.
func (f *Outline) edited(text string) *Outline {
	from := commonPrefix(f.text, text)
	to := len(f.text) - commonSuffix(f.text[from:], text[from:])
	shift := len(text) - len(f.text)
	result := &Outline{text: text}
	for _, g := range f.Functions {
		whole := f.text[g.Start:g.End]
		switch {
		case g.Start+len(whole) <= len(text) && strings.HasPrefix(text[g.Start:], whole):
		case g.Start+shift >= 0 && strings.HasPrefix(text[g.Start+shift:], whole):
			g.move(func(offset int) int { return offset + shift })
		case g.From < to && g.To > from:
			continue
		default:
			g.Touched = true
			g.move(func(offset int) int {
				if offset >= to {
					return offset + shift
				}
				return min(offset, from)
			})
		}
		result.Functions = append(result.Functions, g)
	}
	return result
}

func (g *Function) move(to func(int) int) {
	g.doc, g.Start, g.From, g.To, g.End = to(g.doc), to(g.Start), to(g.From), to(g.To), to(g.End)
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
	return ok && (sel.Sel.Name == "T" && HasTestPrefix(d.Name.Name, "Test") || sel.Sel.Name == "B" && HasTestPrefix(d.Name.Name, "Benchmark"))
}

func HasTestPrefix(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

// A trait is what a function, or what is taken for one, is known again by.
type Declaration struct {
	Name, Hash string // see function
	Kind       spell.Kind
}

// traits lists what a text declares. It holds nothing of the text.
func (s *Source) Declarations() []Declaration {
	functions := s.Outline().Functions
	list := make([]Declaration, len(functions))
	for i := range functions {
		f := &functions[i]
		list[i] = Declaration{f.Name, f.Hash, f.Kind}
	}
	return list
}

// line takes what stands on a line, from 1, for a function. It begins at the
// given column, which counts bytes from 1, if there is a name; otherwise it is
// all of the line but blanks.
func (s *Source) Line(line, column int) (Function, bool) {
	start, end, ok := s.Mapper().Line(line - 1)
	if !ok {
		return Function{}, false
	}
	text := s.Text[start:end]
	f := Function{Kind: spell.KindFunction, Start: start, End: end}
	f.To = start + len(strings.TrimRightFunc(text, unicode.IsSpace))
	f.From = min(f.To, end-len(strings.TrimLeftFunc(text, unicode.IsSpace)))
	if column > 1 && column <= len(text) {
		notInName := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' }
		rest := text[column-1:]
		length := strings.IndexFunc(rest, notInName)
		if length < 0 {
			length = len(rest)
		}
		if length > 0 {
			f.From, f.To = start+column-1, start+column-1+length
		}
	}
	return f, true
}
