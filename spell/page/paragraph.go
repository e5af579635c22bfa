package page

import (
	"bytes"
	"strings"
)

// LineWidth is the largest number of columns that sentences are broken to.
const LineWidth = 100

// Paragraph is ParagraphOf lines of LineWidth.
func Paragraph(b *bytes.Buffer, first, text string) { ParagraphOf(b, LineWidth, first, text) }

// ParagraphOf writes text behind first, broken between words so that lines have at most width
// columns; further lines are indented as far as the first. Line breaks in the text are kept.
func ParagraphOf(b *bytes.Buffer, width int, first, text string) {
	indent := strings.Repeat(" ", DisplayWidth(first))
	for line := range strings.Lines(text) {
		at := 0
		for word := range strings.FieldsSeq(line) {
			word = Clean(word)
			switch w := DisplayWidth(word); {
			case at == 0:
				b.WriteString(first + word)
				at = len(indent) + w
			case at+1+w > width:
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
