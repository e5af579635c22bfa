package jsonmatrix

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A position is a place in the file, from 1; columns in bytes.
type position struct{ line, column int }

// A fault is what is wrong in a file, and where.
type fault struct {
	at   position
	what string
}

func (f *fault) Error() string { return f.what }

// A lexer takes JSON (RFC 8259) apart while it reads it. The decoder of
// encoding/json does not tell where a token begins, replaces what is not UTF-8
// without a word, and makes a value on the heap of each number.
type lexer struct {
	in     io.Reader
	buf    []byte // what was read
	next   int    // the first byte of buf that was not taken
	before int    // bytes of the input that came before buf
	end    error  // why no more is read: io.EOF, or the error of the input

	line      int // from 1
	lineBegin int // its offset in the input

	start position // of the token that was taken or looked at last
	text  []byte   // of the string, number or word that was taken last
	depth int      // of the value that is passed over
}

const bufferSize = 1 << 16

// maxToken is how many bytes of a string or number are read, and up to bufferSize more.
const maxToken = 16 << 20

func newLexer(r io.Reader) lexer {
	return lexer{in: r, buf: make([]byte, 0, bufferSize), line: 1}
}

// fill reads on where all of buf was taken, and tells whether there was more.
func (l *lexer) fill() bool {
	if l.end == nil && len(l.text) > maxToken {
		l.end = &fault{l.start, fmt.Sprintf("the string or number has more than %d MiB: make it shorter", maxToken>>20)}
	}
	if l.end != nil {
		return false
	}
	l.before += len(l.buf)
	l.next = 0
	n, err := io.ReadAtLeast(l.in, l.buf[:cap(l.buf)], 1)
	l.buf, l.end = l.buf[:n], err
	return n > 0
}

func (l *lexer) here() position {
	return position{l.line, l.before + l.next - l.lineBegin + 1}
}

// more passes over blanks, and tells whether a token follows.
func (l *lexer) more() bool {
	for {
		for ; l.next < len(l.buf); l.next++ {
			switch l.buf[l.next] {
			case ' ', '\t', '\r':
			case '\n':
				l.line++
				l.lineBegin = l.before + l.next + 1
			default:
				l.start = l.here()
				return true
			}
		}
		if !l.fill() {
			l.start = l.here()
			return false
		}
	}
}

// peek returns the first byte of the next token, which it does not take.
func (l *lexer) peek() (byte, error) {
	if !l.more() {
		return 0, l.ended()
	}
	return l.buf[l.next], nil
}

// ended says why there is nothing where something must come.
func (l *lexer) ended() error {
	if !errors.Is(l.end, io.EOF) {
		return l.end
	}
	return &fault{l.here(), "the matrix ends too early, it was cut off: copy or write it again"}
}

func (l *lexer) unexpected(want string) error {
	r, _ := utf8.DecodeRune(l.buf[l.next:])
	return &fault{l.start, fmt.Sprintf("%q stands where JSON has %s", r, want)}
}
