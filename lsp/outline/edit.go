package outline

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"spell-lsp/spell"
)

// loneHeader makes one declaration a whole file. The declaration is indented by a space
// so that a comment before it is not taken for a //line directive, which must begin its
// line.
const loneHeader = "package p\n "

// reparse returns the outline of a text that differs from the one of f only inside one
// function, after its name, by parsing that function alone. Otherwise it returns nil. Two
// facts make that sound: if the function is again one complete function, the rest of the
// file reads as before; if it is broken, so is the file.
func (f *Outline) reparse(text string) *Outline {
	if text == f.text {
		return f
	}
	from := commonPrefix(f.text, text)
	to := len(f.text) - commonSuffix(f.text[from:], text[from:])
	shift := len(text) - len(f.text)
	edited := slices.IndexFunc(f.Functions, func(g Function) bool {
		return g.Kind == spell.KindFunction && g.Start < g.From && g.To < from && to < g.End // a literal does not parse on its own
	})
	if !f.intact || edited < 0 {
		return nil
	}
	old := f.Functions[edited]
	part := Parse(loneHeader + text[old.doc:old.End+shift])
	if !part.intact && endsDeclaration(part.text, text[old.End+shift:]) {
		return f.carryOver(text)
	}
	if !part.intact || len(part.Functions) != 2 { // the package clause is the first
		return nil
	}
	g := part.Functions[1]
	if g.From-len(loneHeader)+old.doc != old.From || g.End != len(part.text) {
		return nil // another function, or more than one
	}
	g.Name = old.Name // its receiver may be an alias that is declared elsewhere
	g.move(func(offset int) int { return offset - len(loneHeader) + old.doc })
	found := &Outline{text: text, intact: true, Functions: slices.Clone(f.Functions)}
	found.Stray = strayAfter(f.Stray, old, shift, moved(part.Stray, func(offset int) int { return offset - len(loneHeader) + old.doc }))
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

// endsDeclaration reports whether text ends with a closing brace and rest begins with the
// end of a line, so that rest is read independently of text. Then rest cannot repair a
// text that is broken: the braces of rest are balanced, and no declaration continues
// after such a line.
func endsDeclaration(text, rest string) bool {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var in scanner.Scanner
	in.Init(file, []byte(text), nil, 0)
	last, at := token.ILLEGAL, 0
	for {
		pos, tok, literal := in.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.SEMICOLON || literal == ";" { // not inserted at the end of a line
			last, at = tok, file.Offset(pos)
		}
	}
	return last == token.RBRACE && at == len(text)-1 && (rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n"))
}

// carryOver carries the functions of f over to a text that does not parse. A function
// whose text is still there has only moved; one whose name was edited is dropped; any
// other that was edited is Touched.
func (f *Outline) carryOver(text string) *Outline {
	from := commonPrefix(f.text, text)
	to := len(f.text) - commonSuffix(f.text[from:], text[from:])
	shift := len(text) - len(f.text)
	result := &Outline{text: text} // stray budgets are found again when the text parses
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
		g.Budgets = stillIn(text, g.Budgets)
		result.Functions = append(result.Functions, g)
	}
	return result
}

// move replaces every offset by what to returns for it.
func (g *Function) move(to func(int) int) {
	g.doc, g.Start, g.From, g.To, g.End = to(g.doc), to(g.Start), to(g.From), to(g.To), to(g.End)
	g.Budgets = moved(g.Budgets, to)
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
