package lsp

import (
	"strings"
	"unicode"

	"spell-lsp/spell"
)

// matchLines places the components that are known by a line only, as those of
// other languages: they hold to it, and are stale as soon as their file is not
// what it was.
func (r *result) matchLines(path string, s *source) []mark {
	var marks []mark
	stale := s.text != r.texts[path]
	for _, i := range r.lines[path] {
		c := &r.run.Components[i]
		f, ok := s.line(c.Line, c.Column)
		if !ok {
			continue // a deleted function has no line
		}
		f.kind = c.Kind
		marks = append(marks, mark{result: r, component: i, function: f, stale: stale})
	}
	return marks
}

// line takes what stands on a line, from 1, for a function. It begins at the
// given column, which counts bytes from 1, if there is a name; otherwise it is
// all of the line but blanks.
func (s *source) line(line, column int) (function, bool) {
	m := s.mapper()
	if line < 1 || line > len(m.lines) {
		return function{}, false
	}
	start, end := m.lines[line-1], m.lineEnd(line-1)
	text := s.text[start:end]
	f := function{kind: spell.KindFunction, start: start, end: end}
	f.to = start + len(strings.TrimRightFunc(text, unicode.IsSpace))
	f.from = min(f.to, end-len(strings.TrimLeftFunc(text, unicode.IsSpace)))
	if column > 1 && column <= len(text) {
		notInName := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' }
		rest := text[column-1:]
		length := strings.IndexFunc(rest, notInName)
		if length < 0 {
			length = len(rest)
		}
		if length > 0 {
			f.from, f.to = start+column-1, start+column-1+length
		}
	}
	return f, true
}
