package location

import (
	"errors"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// A text in lines, each with its ending, is what changes are made in: an editor
// replaces thousands of places in one notification, and each place counts lines
// after the change before. The last line has no ending; it may be empty.
type Lines []string

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

func (ls Lines) Text() string { return strings.Join(ls, "") }

// find gives the line of a position, and its byte offset in there.
func (ls Lines) find(p protocol.Position) (line, offset int) {
	if line = int(p.Line); line >= len(ls) {
		line = len(ls) - 1
		return line, len(ls[line])
	}
	return line, NewMapper(ls[line]).Offset(protocol.Position{Character: p.Character})
}

// A contentChange is the protocol's TextDocumentContentChangeEvent, but for clients that
// write null.
type Change struct {
	Range *struct{ Start, End protocol.Position } // nil for the whole text
	Text  *string
}

// change makes one change. The lines given must not be used any more.
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
		first-- // both are one ending now
		text = ls[first] + text
	}
	changed := SplitLines(text)
	if last+1 < len(ls) {
		changed = changed[:len(changed)-1] // empty: what follows the ending of a line is the next one
	}
	return slices.Replace(ls, first, last+1, changed...), nil
}
