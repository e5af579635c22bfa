package location

import (
	"errors"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// Lines is a text cut into lines, each with its line ending, to which changes are
// applied. An editor may replace thousands of places with one notification, each counted
// after the change before it: applied to the whole text, that would take quadratic time.
// The last line has no ending and may be empty.
type Lines []string

// SplitLines cuts a text into lines.
func SplitLines(text string) Lines {
	starts := NewMapper(text).lines
	list := make(Lines, len(starts))
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		list[i] = text[at:end]
	}
	return list
}

// Text joins the lines.
func (ls Lines) Text() string { return strings.Join(ls, "") }

// find returns the line of a position and the byte offset in that line.
func (ls Lines) find(p protocol.Position) (line, offset int) {
	if line = int(p.Line); line >= len(ls) {
		line = len(ls) - 1
		return line, len(ls[line])
	}
	return line, NewMapper(ls[line]).Offset(protocol.Position{Character: p.Character})
}

// A Change is the protocol's TextDocumentContentChangeEvent, tolerant of clients that
// write null for a missing range.
type Change struct {
	Range *struct{ Start, End protocol.Position } // nil for the whole text
	Text  *string
}

// Apply returns the lines after a change. It may reuse ls, which must not be used
// afterwards.
func (ls Lines) Apply(c Change) (Lines, error) {
	switch {
	case c.Text == nil:
		return nil, errors.New("it has no text")
	case c.Range == nil:
		return SplitLines(*c.Text), nil
	}
	first, from := ls.find(c.Range.Start)
	last, to := ls.find(c.Range.End)
	if first > last || first == last && from > to {
		return nil, errors.New("its range ends before it starts")
	}
	text := ls[first][:from] + *c.Text + ls[last][to:]
	if first > 0 && strings.HasPrefix(text, "\n") && strings.HasSuffix(ls[first-1], "\r") {
		first-- // \r and \n have become one ending
		text = ls[first] + text
	}
	changed := SplitLines(text)
	if last+1 < len(ls) {
		changed = changed[:len(changed)-1] // an empty last line: the next line follows
	}
	return slices.Replace(ls, first, last+1, changed...), nil
}
