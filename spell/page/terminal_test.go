package page

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// What a compiler, a test or a name says must not set the clipboard, the title or the
// cursor of the terminal that shows it, nor turn the direction of its lines.
func TestTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"./a.go:3:\tundefined: é 公園\n":    "./a.go:3:\tundefined: é 公園\n",
		"\x1b]52;c;aGk=\a":                `\x1b]52;c;aGk=\a`,
		"\x1b]0;title\x1b\\":              `\x1b]0;title\x1b\`,
		"\x1b[2J\x1b[1;1H\x1b[31m":        `\x1b[2J\x1b[1;1H\x1b[31m`,
		"\u009b2J\u0085\u202e\u2066":      `\u009b2J\u0085\u202e\u2066`,
		"a\u2028b\u2029\ufeff\u200b":      `a\u2028b\u2029\ufeff\u200b`,
		"one\r\ntwo\rthree\r\r\n":         "one\ntwo" + `\rthree\r` + "\n",
		"\xff\x9b\xc3":                    `\xff\x9b\xc3`,
		"back\b\b\bspace\x00\x7f":         `back\b\b\bspace\x00\x7f`,
		Red + "own" + plain + "\x1b[5m":   Red + "own" + plain + `\x1b[5m`,
		strings.Repeat(Green, 2) + "\x1b": strings.Repeat(Green, 2) + `\x1b`,
	} {
		for _, size := range []int{1, 2, 3, len(in) + 1} { // characters may be divided among calls
			if got := encode(t, in, true, size); got != want {
				t.Errorf("%q, %d bytes at a time: %q, want %q", in, size, got, want)
			}
		}
	}
	if got, want := encode(t, Red+"x"+plain, false, 100), `\x1b[1;31mx\x1b[0m`; got != want {
		t.Errorf("without colours: %q, want %q", got, want)
	}
}

// encode writes text in pieces of at most size bytes.
func encode(t *testing.T, text string, colors bool, size int) string {
	t.Helper()
	var b bytes.Buffer
	w := NewTerminal(&b, colors)
	for rest := []byte(text); len(rest) > 0; {
		piece := rest[:min(size, len(rest))]
		if n, err := w.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
		rest = rest[len(piece):]
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A terminal that is gone is told to whoever writes.
func TestTerminalFails(t *testing.T) {
	gone := errors.New("gone")
	r, w := io.Pipe()
	r.CloseWithError(gone)
	broken := NewTerminal(w, false)
	if _, err := broken.Write([]byte("x")); !errors.Is(err, gone) {
		t.Errorf("Write: %v", err)
	}
	if _, err := broken.Write([]byte("\xc3")); err != nil {
		t.Errorf("Write of what is held back: %v", err)
	}
	if err := broken.Flush(); !errors.Is(err, gone) {
		t.Errorf("Flush: %v", err)
	}
}

// Whatever is written, in whatever pieces: no control character but line feed and tab
// comes out, all of it is UTF-8, text that can be printed stays as it is, and what was
// encoded is not encoded again.
func FuzzTerminal(f *testing.F) {
	for _, seed := range []string{"", "plain é 公園\n\t", "\x1b]52;c;aGk=\a", "\u009b2J\u202e\u2028", "\xff\xc3", "a\r\nb\rc\r", Red + "x" + plain} {
		f.Add(seed, byte(1))
		f.Add(seed, byte(3))
	}
	f.Fuzz(func(t *testing.T, text string, size byte) {
		got := encode(t, text, false, int(size)+1)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || !unicode.IsPrint(r)) {
				t.Errorf("%q has %U", got, r)
			}
		}
		if again := encode(t, got, false, 7); again != got {
			t.Errorf("%q became %q", got, again)
		}
		if whole := CleanLines(text); whole != got {
			t.Errorf("in pieces %q, at once %q", got, whole)
		}
		printable := func(r rune) bool { return r == '\n' || r == '\t' || unicode.IsPrint(r) }
		if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !printable(r) }) < 0 && got != text {
			t.Errorf("%q became %q", text, got)
		}
		colored := encode(t, text, true, int(size)+1)
		for _, own := range []string{Red, Yellow, Green, plain} {
			colored = strings.ReplaceAll(colored, own, "")
		}
		if strings.ContainsRune(colored, '\x1b') {
			t.Errorf("with colours: %q", colored)
		}
	})
}
