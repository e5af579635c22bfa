// Package location converts between the protocol's terms for places and the server's:
// URIs and paths, positions and byte offsets. It also applies content changes to a text.
// It reads no file; Path and Resolve follow symbolic links.
package location

import (
	"sort"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// A Mapper converts between byte offsets into a text and positions of the protocol, which
// count lines and, within a line, UTF-16 code units (LSP 3.18, "Position"). A byte order
// mark is a character like any other; a byte that is not UTF-8 counts as one unit.
type Mapper struct {
	text  string
	lines []int // offset of the first byte of each line; always at least one
}

// NewMapper returns the mapper of a text. Lines end with \n, \r\n or \r.
func NewMapper(text string) *Mapper {
	lines := []int{0}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				continue // the line ends after the \n
			}
			lines = append(lines, i+1)
		case '\n':
			lines = append(lines, i+1)
		}
	}
	return &Mapper{text: text, lines: lines}
}

// Position returns the position of a byte offset. Offsets outside the text are clamped to
// it; an offset within a character or a line ending counts as the place before it.
func (m *Mapper) Position(offset int) protocol.Position {
	offset = max(0, min(offset, len(m.text)))
	line := sort.SearchInts(m.lines, offset+1) - 1
	units := 0
	for at := m.lines[line]; at < m.lineEnd(line); {
		r, size := utf8.DecodeRuneInString(m.text[at:])
		if at+size > offset {
			break
		}
		units += unitsOf(r)
		at += size
	}
	return protocol.Position{Line: uint32(line), Character: uint32(units)}
}

// Offset returns the byte offset of a position. As the protocol requires, a character
// beyond the end of its line means the end of the line. A line beyond the end of the text
// means the end of the text. A position between the halves of a surrogate pair means the
// one before the pair.
func (m *Mapper) Offset(p protocol.Position) int {
	line := int(p.Line)
	if line >= len(m.lines) {
		return len(m.text)
	}
	at, end := m.lines[line], m.lineEnd(line)
	for units := int(p.Character); at < end && units > 0; {
		r, size := utf8.DecodeRuneInString(m.text[at:])
		units -= unitsOf(r)
		if units < 0 {
			break
		}
		at += size
	}
	return at
}

// Span returns the range between two byte offsets.
func (m *Mapper) Span(from, to int) protocol.Range {
	return protocol.Range{Start: m.Position(from), End: m.Position(to)}
}

// Line returns the offsets at which a line starts and ends, without its line ending, or
// false if there is no such line. Lines count from 0.
func (m *Mapper) Line(number int) (start, end int, ok bool) {
	if number < 0 || number >= len(m.lines) {
		return 0, 0, false
	}
	return m.lines[number], m.lineEnd(number), true
}

// lineEnd returns the offset at which a line ends, before its \n, \r\n or \r.
func (m *Mapper) lineEnd(line int) int {
	if line+1 == len(m.lines) {
		return len(m.text)
	}
	end := m.lines[line+1] - 1
	if m.text[end] == '\n' && end > m.lines[line] && m.text[end-1] == '\r' {
		end--
	}
	return end
}

func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
