package jsonmatrix

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// stringToken takes a string, its opening quote being next, into text.
func (l *lexer) stringToken() error {
	l.text = l.text[:0]
	l.next++
	for {
		rest := l.buf[l.next:]
		i := 0
		for i < len(rest) && rest[i] != '"' && rest[i] != '\\' && rest[i] >= ' ' {
			i++
		}
		l.text = append(l.text, rest[:i]...)
		l.next += i
		switch {
		case i == len(rest):
			if !l.fill() {
				return l.ended()
			}
		case rest[i] == '"':
			l.next++
			if !utf8.Valid(l.text) {
				return &fault{l.start, fmt.Sprintf("the string %s is not UTF-8, which JSON must be", quoted(l.text))}
			}
			return nil
		case rest[i] == '\\':
			if err := l.escape(); err != nil {
				return err
			}
		default:
			return &fault{l.here(), fmt.Sprintf(`a control character stands in a string, must be written \u%04x`, rest[i])}
		}
	}
}

// escape takes an escape sequence, its backslash being next, into text.
func (l *lexer) escape() error {
	at := l.here()
	l.next++
	b, err := l.take()
	if err != nil {
		return err
	}
	switch b {
	case '"', '\\', '/':
		l.text = append(l.text, b)
	case 'b':
		l.text = append(l.text, '\b')
	case 'f':
		l.text = append(l.text, '\f')
	case 'n':
		l.text = append(l.text, '\n')
	case 'r':
		l.text = append(l.text, '\r')
	case 't':
		l.text = append(l.text, '\t')
	case 'u':
		r, err := l.escapedRune(at)
		l.text = utf8.AppendRune(l.text, r)
		return err
	default:
		return &fault{at, fmt.Sprintf(`\%c is no escape sequence of JSON; a backslash is written as \\`, b)}
	}
	return nil
}

// escapedRune takes what follows on \u, and the second half of a pair.
func (l *lexer) escapedRune(at position) (rune, error) {
	r, err := l.hex(at)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	for _, want := range []byte(`\u`) {
		if b, err := l.take(); err != nil {
			return 0, err
		} else if b != want {
			return 0, halfPair(at)
		}
	}
	low, err := l.hex(at)
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, halfPair(at)
	}
	return r, nil
}

func halfPair(at position) error {
	return &fault{at, "half of a surrogate pair stands here, must be a whole character"}
}

// hex takes four hexadecimal digits.
func (l *lexer) hex(at position) (rune, error) {
	var r rune
	for range 4 {
		b, err := l.take()
		if err != nil {
			return 0, err
		}
		switch {
		case b >= '0' && b <= '9':
			r = r<<4 | rune(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			r = r<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, &fault{at, `after \u must come four hexadecimal digits`}
		}
	}
	return r, nil
}

// take takes one byte.
func (l *lexer) take() (byte, error) {
	if l.next == len(l.buf) && !l.fill() {
		return 0, l.ended()
	}
	l.next++
	return l.buf[l.next-1], nil
}

// run takes bytes into text as long as part says so.
func (l *lexer) run(part func(byte) bool) error {
	l.text = l.text[:0]
	for {
		rest := l.buf[l.next:]
		i := 0
		for i < len(rest) && part(rest[i]) {
			i++
		}
		l.text = append(l.text, rest[:i]...)
		l.next += i
		if i < len(rest) {
			return nil
		}
		if !l.fill() {
			if errors.Is(l.end, io.EOF) {
				return nil
			}
			return l.end
		}
	}
}

// numberToken takes a number into text.
func (l *lexer) numberToken() error {
	if err := l.run(numeric); err != nil {
		return err
	}
	if !isNumber(l.text) {
		return &fault{l.start, clipped(l.text) + " is not a number as JSON writes it, such as 0.5 or 5e-1"}
	}
	return nil
}

func numeric(b byte) bool {
	return b >= '0' && b <= '9' || b == '.' || b == '-' || b == '+' || b|0x20 == 'e'
}

// isNumber reports whether text is a number by RFC 8259, section 6.
func isNumber(text []byte) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	whole := digits(text)
	if whole == 0 || whole > 1 && text[0] == '0' {
		return false
	}
	text = text[whole:]
	if len(text) > 0 && text[0] == '.' {
		fraction := digits(text[1:])
		if fraction == 0 {
			return false
		}
		text = text[1+fraction:]
	}
	return len(text) == 0 || isExponent(text)
}

func isExponent(text []byte) bool {
	if text[0]|0x20 != 'e' {
		return false
	}
	text = text[1:]
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return len(text) > 0 && digits(text) == len(text)
}

// digits is how many digits text begins with.
func digits(text []byte) int {
	for i, b := range text {
		if b < '0' || b > '9' {
			return i
		}
	}
	return len(text)
}

// word takes true, false or null into text.
func (l *lexer) word() error {
	if err := l.run(letter); err != nil {
		return err
	}
	switch string(l.text) {
	case "true", "false", "null":
		return nil
	}
	return &fault{l.start, fmt.Sprintf("%s stands where JSON has a value; a text must be in quotes", clipped(l.text))}
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// clipped is text as an error shows it.
func clipped(text []byte) string {
	const most = 60
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

// quoted is a string as an error shows it.
func quoted(text []byte) string { return fmt.Sprintf("%q", clipped(text)) }
