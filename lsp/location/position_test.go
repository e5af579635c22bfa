package location

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// naive converts a whole text to UTF-16 and counts: slow, and too simple to be wrong. It returns
// the position of each byte offset at which a character starts, and of the end.
func naive(text string) map[int]protocol.Position {
	positions := map[int]protocol.Position{}
	var at protocol.Position
	for i := 0; i < len(text); {
		positions[i] = at
		r, size := utf8.DecodeRuneInString(text[i:])
		units := uint32(len(utf16.Encode([]rune{r})))
		switch {
		case r == '\r' && i+1 < len(text) && text[i+1] == '\n':
			i++
			positions[i] = at // between \r and \n is still the end of the line
			at = protocol.Position{Line: at.Line + 1}
		case r == '\r' || r == '\n':
			at = protocol.Position{Line: at.Line + 1}
		default:
			at.Character += units
		}
		i += size
	}
	positions[len(text)] = at
	return positions
}

// At the start of every character, the mapper must agree with the naive count in both directions.
func FuzzMapper(f *testing.F) {
	for _, text := range []string{
		"", "\n", "\r", "\r\n", "a\r\nb\rc\nd", "\r\r\n\n\r",
		"\ufeffpackage p\n", "\tx := \"🅿️ π 漢\"\r\n\t🚗🚗()\n", "\xff\xfea\xf0\x9f\n", "no end of line",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := NewMapper(text)
		for offset, want := range naive(text) {
			if got := m.Position(offset); got != want {
				t.Errorf("%q: offset %d is at %v, must be %v", text, offset, got, want)
			}
			back := m.Offset(want)
			if back != offset && (offset == 0 || text[offset-1] != '\r' || text[offset] != '\n' || back != offset-1) {
				t.Errorf("%q: position %v is offset %d, must be %d", text, want, back, offset)
			}
		}
	})
}

// Some editors send positions outside the text or inside a character.
func TestMapperClamps(t *testing.T) {
	m := NewMapper("a🚗b\r\nlast")
	for _, c := range []struct {
		line, character uint32
		offset          int
		why             string
	}{
		{0, 2, 1, "between the halves of the surrogate pair"},
		{0, 3, 5, "after the pair"},
		{0, 99, 6, "beyond the end of the line, before its \\r\\n"},
		{1, 99, 12, "beyond the end of the last line"},
		{2, 0, 12, "beyond the last line"},
		{4294967295, 4294967295, 12, "the largest position there is"},
	} {
		if got := m.Offset(protocol.Position{Line: c.line, Character: c.character}); got != c.offset {
			t.Errorf("%d:%d, %s: offset %d, must be %d", c.line, c.character, c.why, got, c.offset)
		}
	}
	for offset, want := range map[int]protocol.Position{-1: {}, 3: {Character: 1}, 99: {Line: 1, Character: 4}} {
		if got := m.Position(offset); got != want {
			t.Errorf("offset %d is at %v, must be %v", offset, got, want)
		}
	}
}
