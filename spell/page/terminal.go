package page

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"unicode/utf8"
)

// CleanLines is [Clean] for a text of several lines: it keeps line breaks and tabs.
// A line that ends as on Windows ends in a line feed only.
func CleanLines(s string) string {
	text, _ := appendVisible(nil, []byte(s), false, true)
	return string(text)
}

// A Terminal encodes text for a terminal, whoever wrote it. Every control character
// but line feed and tab, every character that changes the direction of writing, and
// every byte that is not UTF-8 becomes an escape like those of Go, so that no name or
// message commands the terminal. Several goroutines may write to it.
type Terminal struct {
	w      io.Writer
	colors bool

	mu   sync.Mutex
	held []byte // the beginning of a character whose other bytes may follow
}

// NewTerminal encodes what is written for w. With colors it lets the colours of this
// package through, letter by letter as they are, and no other escape sequence.
func NewTerminal(w io.Writer, colors bool) *Terminal { return &Terminal{w: w, colors: colors} }

// Write implements [io.Writer]. A character may be divided among several calls.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := p
	if len(t.held) > 0 {
		text = slices.Concat(t.held, p)
	}
	encoded, rest := appendVisible(make([]byte, 0, len(text)), text, t.colors, false)
	t.held = bytes.Clone(rest)
	if len(encoded) > 0 {
		if _, err := t.w.Write(encoded); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush writes what was held back for bytes that never came.
func (t *Terminal) Flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	encoded, _ := appendVisible(nil, t.held, t.colors, true)
	t.held = nil
	if len(encoded) == 0 {
		return nil
	}
	_, err := t.w.Write(encoded)
	return err
}

// appendVisible appends the encoded text to b. Unless the text ends here, rest is an
// incomplete character or sequence at its end.
func appendVisible(b, text []byte, colors, ends bool) (encoded, rest []byte) {
	for len(text) > 0 {
		if n := plainLength(text); n > 0 {
			b, text = append(b, text[:n]...), text[n:]
			continue
		}
		if size, open := ownSequence(text, colors); size > 0 {
			b, text = append(b, text[:size]...), text[size:]
			continue
		} else if !ends && (open || !utf8.FullRune(text) || string(text) == "\r") {
			return b, text
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\t':
			b = append(b, byte(r))
		case r == '\r' && len(text) > 1 && text[1] == '\n':
		default:
			b = appendClean(b, text[:size], r)
		}
		text = text[size:]
	}
	return b, nil
}

// plainLength is how many bytes at the start of text are printable ASCII, line feeds and
// tabs: nearly all of a page.
func plainLength(text []byte) int {
	for i, c := range text {
		if (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return i
		}
	}
	return len(text)
}

// ownSequence is the length of one of this package's colours at the start of text, 0
// if there is none, and whether there may be one once more bytes are known.
func ownSequence(text []byte, colors bool) (size int, open bool) {
	if !colors || text[0] != '\x1b' {
		return 0, false
	}
	for _, own := range []string{Red, Yellow, Green, plain} {
		if bytes.HasPrefix(text, []byte(own)) {
			return len(own), false
		}
		open = open || bytes.HasPrefix([]byte(own), text)
	}
	return 0, open
}
