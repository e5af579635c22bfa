// Package location converts between the protocol's terms for places and the server's:
// URIs and paths, positions and byte offsets. It also applies the protocol's changes to
// a text. It reads no file; [Path] and [Resolve] follow symbolic links.
package location

import (
	"sort"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// A mapper converts between byte offsets of a text and the positions of the
// protocol, which count lines and, within a line, UTF-16 code units (LSP 3.18,
// "Position"). A byte order mark is a character like any other, a byte that is
// not UTF-8 counts as one unit.
type Mapper struct {
	text  string
	lines []int // offset of the first byte of each line; always at least one
}

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

// position gives the place of a byte offset. Offsets outside of the text are
// taken for its start or end, those within a character or a line ending for
// the place before it.
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

// offset gives the byte offset of a position. As the protocol wants it, a
// character beyond the end of its line is the end of the line; a line beyond
// the end of the text is the end of the text. A position between the two
// halves of a surrogate pair is the one before it.
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

// span gives the range from one byte offset to another.
func (m *Mapper) Span(from, to int) protocol.Range {
	return protocol.Range{Start: m.Position(from), End: m.Position(to)}
}

// line gives where a line begins and ends, before its ending; false where there is no
// such line.
func (m *Mapper) Line(number int) (start, end int, ok bool) {
	if number < 0 || number >= len(m.lines) {
		return 0, 0, false
	}
	return m.lines[number], m.lineEnd(number), true
}

// lineEnd is the offset at which the line ends, before its \n, \r\n or \r.
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
