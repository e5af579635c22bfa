package toolkit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// traceBuffer is how much of a trace is in memory; a longer entry needs more.
const traceBuffer = 1 << 18

// maxEntry limits the length of an entry.
const maxEntry = 16 << 20

// A scanner holds the part of a trace that is being read.
type scanner struct {
	input
	cursor
	buffer   int // how much text to hold at least
	text     []byte
	unclosed position // of a comment whose end is not in the text; 0 = none
	title    string   // text of the first comment
	titled   bool     // the title is known, or can no longer come
}

// A cursor is a place in a scanner's text.
type cursor struct {
	at    int // index of the next byte
	line  int // of it, from 1
	begin int // index at which that line begins; negative if that part was dropped
}

// position returns the place of index i, which is on the current line.
func (c cursor) position(i int) position { return position{c.line, i - c.begin + 1} }

// more drops the text that was consumed, and reads more. It reports whether there was more.
func (s *scanner) more() bool {
	if s.err != nil {
		return false
	}
	if len(s.text)-s.at > maxEntry {
		s.err = fmt.Errorf("line %d: an entry has more than %d MiB: write calls as > name [ t = 0 ] and < name [ t = 75 ]", s.line, maxEntry>>20)
		return false
	}
	rest := copy(s.text, s.text[s.at:])
	s.text = s.text[:rest]
	s.begin -= s.at
	s.at = 0
	if rest == cap(s.text) {
		s.text = slices.Grow(s.text, max(s.buffer, rest))
	}
	s.text = s.fill(s.text)
	return len(s.text) > rest
}

// skipMark skips a byte order mark at the start of the text; columns count from after it.
func (s *scanner) skipMark() {
	for len(s.text) < len(byteOrderMark) && strings.HasPrefix(byteOrderMark, string(s.text)) && s.more() {
	}
	if bytes.HasPrefix(s.text, []byte(byteOrderMark)) {
		s.at, s.begin = len(byteOrderMark), len(byteOrderMark)
	}
}

// peek returns the next byte after blanks, line breaks and comments; 0 at the end of the
// text.
func (s *scanner) peek() byte {
	text, at := s.text, s.at
	for at < len(text) {
		switch text[at] {
		case '\n':
			s.line++
			s.begin = at + 1
		case ' ', '\t', '\r':
		case '/':
			s.at = at
			if !s.comment() {
				return '/'
			}
			at = s.at
			continue
		default:
			s.at = at
			return text[at]
		}
		at++
	}
	s.at = at
	return 0
}

// comment skips a comment, and reports whether one begins here. A comment whose end is not in
// the text is skipped as far as it is there.
func (s *scanner) comment() bool {
	rest := s.text[s.at:]
	if !bytes.HasPrefix(rest, []byte("/*")) {
		return false
	}
	size := bytes.Index(rest[2:], []byte("*/")) + 4
	if size < 4 {
		s.unclosed = s.position(s.at)
		size = len(rest)
	} else if !s.titled {
		s.title, s.titled = string(bytes.TrimSpace(rest[2:size-2])), true
	}
	if i := bytes.LastIndexByte(rest[:size], '\n'); i >= 0 {
		s.line += bytes.Count(rest[:size], []byte{'\n'})
		s.begin = s.at + i + 1
	}
	s.at += size
	return true
}

// atWordsEnd reports whether the word here, if any, ends before the text does.
func (s *scanner) atWordsEnd() bool {
	for _, c := range s.text[s.at:] {
		if isEnd(c) {
			return true
		}
	}
	return false
}
