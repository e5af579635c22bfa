package seeding

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strconv"
)

// An edit replaces the bytes from..to of a text.
type edit struct {
	from, to int
	text     string
}

func (f *function) replace(n ast.Node, text string) []edit {
	return []edit{{f.offset(n.Pos()), f.offset(n.End()), text}}
}

func (f *function) before(n ast.Node, text string) []edit {
	at := f.offset(n.Pos())
	return []edit{{at, at, text + "\n"}}
}

func (f *function) after(n ast.Node, text string) []edit {
	at := f.offset(n.End())
	return []edit{{at, at, "\n" + text}}
}

// inside puts a text at the beginning of a block.
func (f *function) inside(body *ast.BlockStmt, text string) []edit {
	at := f.offset(body.Lbrace) + 1
	if f.source.Text[at] != '\n' {
		text += "\n"
	}
	return []edit{{at, at, "\n" + text}}
}

// repeat is a statement that is executed several times.
func (f *function) repeat(times int, statement string) string {
	if times <= 1 {
		return statement
	}
	i := f.fresh("pass")
	return fmt.Sprintf("for %s := 0; %s < %d; %s++ {\n%s\n}", i, i, times, i, statement)
}

// evaluate is an expression of a type that is evaluated several times.
func (f *function) evaluate(times int, typ, expr string) string {
	if times <= 1 {
		return expr
	}
	return fmt.Sprintf("func() %s {\n%s\nreturn %s\n}()", typ, f.repeat(times-1, "_ = "+expr), expr)
}

// importing are the edits that import what the inserted text needs.
func (p *place) importing() []edit {
	if len(p.imports) == 0 {
		return nil
	}
	text := ""
	for _, pkg := range p.imports {
		text += "\n" + strconv.Quote(pkg)
	}
	for _, d := range p.source.Syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Lparen.IsValid() {
			at := p.offset(g.Lparen) + 1
			return []edit{{at, at, text}}
		}
	}
	return p.after(p.source.Syntax.Name, "\nimport ("+text+"\n)")
}

// change applies edits, which do not overlap, and formats what was formatted before.
func (s *Source) change(edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(s.Text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(s.Text[at:])
	formatted, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: the changed text is no Go: %w", s.Name, err)
	}
	if before, _ := format.Source(s.Text); bytes.Equal(before, s.Text) {
		return formatted, nil
	}
	return out.Bytes(), nil // the original is not formatted either
}
