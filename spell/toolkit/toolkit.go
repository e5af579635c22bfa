// Package toolkit reads and writes the two formats of the original SPELL tools
// (github.com/greensoftwarelab/SPELL), in the spellings of Carcao's thesis and
// of its framework (github.com/tcarcao/spellframework) too. Energy is in joules
// and time in milliseconds.
//
// A matrix has a line for each test, and on it a group for each component, in
// the same order in every line:
//
//	[ [ cpu = 37, n = 1, t = 75 ] _ [ cpu = 42, ram = 3.5, n = 1, t = 34 ] ]
//
// An empty cell is _ or 0. Keys come in any order: the domains cpu, ram (dram),
// disk, fans, gpu and net, n for executions, t (time) for milliseconds. As in
// the original, a missing n is 1, and any other missing key is 0; so a domain
// that some group has is 0 in the groups that do not have it. Blank lines are
// passed over. The framework's lines without brackets around them, its e for
// the processor's energy, and its 1 for a component that ran once, are read too;
// its totals behind > and | are not. The format has no names: components are
// c1, c2, ..., tests t1, t2, ....
//
// A trace has an entry and an exit for each call, with what meters and clock
// showed then:
//
//	/*test 1*/
//	> Park_add [ m = park, cpu = 48.005478, t = 1455 ]
//	> Park_sort [ m = park, cpu = 48.005478, t = 1455 ]
//	< Park_sort [ m = park, cpu = 48.005481, t = 1456 ]
//	< Park_add [ m = park, cpu = 48.057404, t = 1457 ]
//	;
//
// Tests are separated by a semicolon. Keys are those of a matrix, but for n,
// and m for the module; the framework has ( ) for [ ].
//
// Numbers are decimals without a sign; unlike the original, both readers take
// exponents. Errors read "name:line:column: what is wrong; what to do"; line
// and column count from 1, columns in bytes, not counting a byte order mark.
package toolkit

import (
	"fmt"
	"unicode/utf8"
)

// A fault says what is wrong and what to do about it.
type fault struct{ what, do string }

// A position is a place in a file, from 1; columns in bytes.
type position struct{ line, column int }

func errorAt(name string, at position, f fault) error {
	return fmt.Errorf("%s:%d:%d: %s; %s", name, at.line, at.column, f.what, f.do)
}

// byteOrderMark is what some editors put before UTF-8.
const byteOrderMark = "\ufeff"

// isEnd reports whether c ends a name or a number.
func isEnd(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '[', ']', '(', ')', ',', '=', ';':
		return true
	}
	return false
}

// word is what text begins with up to a blank or a sign of punctuation, cut
// after 60 bytes.
func word(text []byte) string {
	end := 0
	for end < min(len(text), 60) && !isEnd(text[end]) {
		end++
	}
	return string(text[:end])
}

// excerpt quotes the word that text begins with, or a single sign.
func excerpt(text []byte) string {
	w := word(text)
	if w == "" {
		_, size := utf8.DecodeRune(text)
		w = string(text[:size])
	}
	return fmt.Sprintf("%q", w)
}
