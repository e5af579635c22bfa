// Package page has the parts of the pages that are printed for a terminal: tables, sentences
// broken to lines, short names. What it writes has no control characters but the colours.
package page

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes every character visible: control characters, which could
// command the terminal, those that change the direction of writing, and bytes
// that are not UTF-8 become escapes like those of Go.
func Clean(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		b = appendClean(b, s[i:i+size], r)
	}
	return string(b)
}

// appendClean appends one character, whose bytes are given too, so that it is visible.
func appendClean[text string | []byte](b []byte, bytes text, r rune) []byte {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		return append(b, `\x`+strconv.FormatUint(uint64(bytes[0])|0x100, 16)[1:]...)
	case hidden(r):
		quoted := strconv.AppendQuoteRune(nil, r)
		return append(b, quoted[1:len(quoted)-1]...)
	}
	return append(b, bytes...)
}

// hidden tells whether r cannot be printed as it is. The replacement character
// counts, as it is also what a wrong byte is decoded to.
func hidden(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }

// DisplayWidth is the number of terminal columns that s takes: two for the
// wide characters of East Asia, none for combining marks, else one.
func DisplayWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			n++
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wide are the blocks whose characters are W or F in Unicode's East Asian
// Width (UAX #11), as far as terminals agree on them.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul Jamo, leading consonants
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, // radicals, CJK punctuation
		{Lo: 0x3041, Hi: 0x4dbf, Stride: 1}, // kana to CJK extension A
		{Lo: 0x4e00, Hi: 0xa4cf, Stride: 1}, // CJK ideographs, Yi
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1}, // Hangul Jamo extended A
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul syllables
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, // CJK compatibility ideographs
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, // CJK compatibility forms
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, // fullwidth forms
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1}, // fullwidth signs
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, // pictographs
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1}, // supplemental pictographs
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}, // CJK extensions B and later
	},
}
