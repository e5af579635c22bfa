package outline

import (
	"strings"
	"sync"
	"unicode"

	"spell-lsp/lsp/location"
	"spell-lsp/spell"
)

// A Source is the text of a file together with its outline, which is computed on first
// use. The text does not change: an edit makes a new Source. A Source may be used by
// several goroutines.
type Source struct {
	Text   string
	Mapper func() *location.Mapper // of Text
	last   *Outline                // of the latest earlier text that parses; nil if there is none

	mu      sync.Mutex
	outline *Outline // of Text; nil until it is needed
}

// NewSource returns the source of a text that replaces older, which may be nil. While the
// new text does not parse, its outline is derived from that of the older one.
func NewSource(text string, older *Source) *Source {
	s := &Source{Text: text, Mapper: sync.OnceValue(func() *location.Mapper { return location.NewMapper(text) })}
	if older != nil {
		s.last = older.lastIntact()
	}
	return s
}

// lastIntact returns the outline of this text or, if it does not parse, of the latest
// earlier one that does.
func (s *Source) lastIntact() *Outline {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outline == nil && s.last == nil { // the outline was never needed: this is the last chance to get a valid one
		if found := Parse(s.Text); found.intact {
			s.outline = found
		}
	}
	if s.outline != nil && s.outline.intact {
		return s.outline
	}
	return s.last
}

// Outline returns what the text declares. While it does not parse, these are the
// functions of the last text that did, as far as they are still there.
func (s *Source) Outline() *Outline {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outline != nil {
		return s.outline
	}
	if s.last != nil {
		if s.outline = s.last.reparse(s.Text); s.outline != nil {
			return s.outline
		}
	}
	s.outline = Parse(s.Text)
	if !s.outline.intact && s.last != nil {
		s.outline = s.last.carryOver(s.Text)
	}
	return s.outline
}

// Package returns the name in the package clause; "" if there is none.
func (s *Source) Package() string {
	for _, f := range s.Outline().Functions {
		if f.Name == PackageClause {
			return s.Text[f.From:f.To]
		}
	}
	return ""
}

// Main returns the function main of a program; nil where the text is of another package, or has none.
func (s *Source) Main() *Function {
	if !strings.Contains(s.Text, "func main(") || s.Package() != "main" { // most files need not be parsed for this
		return nil
	}
	functions := s.Outline().Functions
	for i := range functions {
		if f := &functions[i]; f.Name == "main" && f.Kind == spell.KindFunction {
			return f
		}
	}
	return nil
}

// A Declaration identifies a function, type or package clause in another text or file. It
// does not keep the text alive.
type Declaration struct {
	Name, Hash string // as in Function
	Kind       spell.Kind
}

// Declarations lists what the text declares.
func (s *Source) Declarations() []Declaration {
	functions := s.Outline().Functions
	list := make([]Declaration, len(functions))
	for i := range functions {
		f := &functions[i]
		list[i] = Declaration{f.Name, f.Hash, f.Kind}
	}
	return list
}

// Line returns what stands on a line as a function, for components that are known by
// their line only, such as those of other languages. Lines count from 1, columns count
// bytes from 1. The name is the identifier at the column or, if there is none, the line
// without its leading and trailing blanks.
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
