// Package csvtext encodes text for cells of CSV files. Spreadsheets execute a cell that
// begins with =, +, - or @ as a formula, which can run programs; encoded text is never taken
// for a formula. Numbers need no encoding.
package csvtext

import "strings"

// Encode puts a single quote before anything that a spreadsheet could take for the start of
// a formula, as OWASP advises ("CSV Injection"): =, +, -, @ and their full-width forms, a
// tab or a line break, after any blanks, at the start of a cell. Where the comma is the
// decimal separator, a cell also starts after a semicolon or a tab. Existing quotes get
// another one, so that [Decode] restores any text exactly.
func Encode(text string) string {
	return edit(text, func(b *strings.Builder, rest string) string {
		b.WriteByte('\'')
		return rest
	})
}

// Decode removes the quotes of [Encode], and of other programs that follow OWASP's advice.
// Other text is unchanged.
func Decode(field string) string {
	return edit(field, func(_ *strings.Builder, rest string) string { return strings.TrimPrefix(rest, "'") })
}

// edit calls change with the rest of the text wherever a cell starts with a formula, with
// or without quotes and blanks before it.
func edit(text string, change func(*strings.Builder, string) string) string {
	if !strings.ContainsAny(text, starts) {
		return text
	}
	var b strings.Builder
	for rest := text; ; {
		if formula(rest) {
			rest = change(&b, rest)
		}
		i := strings.IndexAny(rest, ";\t")
		if i < 0 {
			return b.String() + rest
		}
		b.WriteString(rest[:i+1])
		rest = rest[i+1:]
	}
}

const starts = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"

func formula(cell string) bool {
	cell = strings.TrimLeft(strings.TrimLeft(cell, "'"), " ")
	return strings.IndexAny(cell, starts) == 0
}
