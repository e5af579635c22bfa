package page

import (
	"bytes"
	"strings"
)

// LineWidth is the number of columns that sentences are broken to.
const LineWidth = 100

// Paragraph writes text, broken between words, behind first; further lines are
// indented as far. Line breaks in the text are kept.
func Paragraph(b *bytes.Buffer, first, text string) {
	indent := strings.Repeat(" ", DisplayWidth(first))
	for line := range strings.Lines(text) {
		at := 0
		for word := range strings.FieldsSeq(line) {
			word = Clean(word)
			switch w := DisplayWidth(word); {
			case at == 0:
				b.WriteString(first + word)
				at = len(indent) + w
			case at+1+w > LineWidth:
				b.WriteString("\n" + indent + word)
				at = len(indent) + w
			default:
				b.WriteString(" " + word)
				at += 1 + w
			}
		}
		if at > 0 {
			b.WriteByte('\n')
			first = indent
		}
	}
}
