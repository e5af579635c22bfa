// Package csvtext encodes text for a cell of a CSV file. Spreadsheets execute a cell
// that begins with =, +, - or @ as a formula, which can run programs: a name is never
// taken for one. Numbers need no encoding.
package csvtext

import "strings"

// Encode puts a single quote before what a spreadsheet could take for the beginning of
// a formula, as OWASP advises ("CSV Injection"): =, +, -, @ and their full-width forms,
// a tab or a line break, behind any blanks, where a cell begins. In countries with a
// decimal comma one also begins behind a semicolon, and behind a tab. Quotes that are
// there already get another one, so [Decode] gives back any text exactly.
func Encode(text string) string {
	return edit(text, func(b *strings.Builder, rest string) string {
		b.WriteByte('\'')
		return rest
	})
}

// Decode removes the quotes of [Encode], and of other programs that follow OWASP's
// advice. Text without them stays as it is.
func Decode(field string) string {
	return edit(field, func(_ *strings.Builder, rest string) string { return strings.TrimPrefix(rest, "'") })
}

// edit applies change to what follows each place where a cell begins and a formula
// could: quotes, blanks, and what begins a formula.
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
