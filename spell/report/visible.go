package report

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"spell-lsp/spell/page"
)

// visible makes every character in the strings of a JSON text visible, as
// [page.CleanLines] does: the page shows names that somebody else wrote, and a reader
// may copy them to a terminal. The text must have been written by encoding/json.
func visible(text []byte) []byte {
	b := bytes.NewBuffer(make([]byte, 0, len(text)))
	for len(text) > 0 {
		r, size := unescaped(text)
		switch shown := page.CleanLines(string(r)); {
		case shown == string(r):
			b.Write(text[:size])
		case r == '\r' && bytes.HasPrefix(text[size:], []byte(`\n`)): // the line ends as on Windows
		default:
			quoted, _ := json.Marshal(shown) // text only: it cannot fail
			b.Write(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.Bytes()
}

// unescaped decodes the first character of a JSON text, which may be an escape, and
// returns its length in bytes.
func unescaped(text []byte) (r rune, size int) {
	if text[0] != '\\' {
		return utf8.DecodeRune(text)
	}
	switch text[1] {
	case 'u':
		code, _ := strconv.ParseUint(string(text[2:6]), 16, 16) // four digits: they are JSON
		return rune(code), 6
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'r':
		return '\r', 2
	}
	return rune(text[1]), 2 // no control character but \n and \t, which stay
}
