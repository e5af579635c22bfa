package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// A text consists of paragraphs and tables, as Markdown or plain text. Strings from elsewhere must
// go through words, name or strong before they are added.
type text struct {
	markdown bool
	spaced   bool // tables in Markdown have spaces between their columns
	parts    []string
}

func (t *text) add(part string) {
	if part != "" {
		t.parts = append(t.parts, part)
	}
}

// words returns s escaped, so that it is shown unchanged.
func (t *text) words(s string) string {
	if t.markdown {
		return escape(s)
	}
	return strings.Map(printable, s)
}

func (t *text) strong(s string) string {
	if t.markdown {
		return "**" + escape(s) + "**"
	}
	return t.words(s)
}

// name returns s as code, unless s is the name of a test that would end the code.
func (t *text) name(s string) string {
	if t.markdown && s != "" && !strings.ContainsAny(s, "`|") {
		return "`" + strings.Map(printable, s) + "`"
	}
	return t.words(s)
}

// table adds rows below a header; the first column is text, the others are
// numbers. Without rows it adds nothing.
func (t *text) table(header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if t.markdown {
		t.add(t.markdownTable(header, rows))
		return
	}
	t.add(plainTable(append([][]string{header}, rows...)))
}

func (t *text) content() *protocol.MarkupContent {
	kind := protocol.MarkupKindPlainText
	if t.markdown {
		kind = protocol.MarkupKindMarkdown
	}
	return &protocol.MarkupContent{Kind: kind, Value: strings.Join(t.parts, "\n\n")}
}

func (t *text) markdownTable(header []string, rows [][]string) string {
	gap := " "
	if t.spaced {
		gap = " &emsp;"
	}
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " |"+gap) + " |\n")
	}
	line(header)
	b.WriteString("| :-- " + strings.Repeat("| --: ", len(header)-1) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func plainTable(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	var lines []string
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i == 0 {
				line.WriteString(c + pad)
			} else {
				line.WriteString("  " + pad + c)
			}
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return strings.Join(lines, "\n")
}

// escape makes Markdown show s unchanged: without markup, HTML, automatic links (GitHub Flavored
// Markdown, "Autolinks"), lists and headings.
func escape(s string) string {
	var b strings.Builder
	s = strings.Map(printable, s)
	for i, r := range s {
		special := strings.ContainsRune("\\`*_[]<>|~&@", r)
		switch rest := s[i:]; {
		case r == ':':
			special = strings.HasPrefix(rest, "://")
		case r == '.':
			special = len(s[:i]) >= 3 && strings.EqualFold(s[i-3:i], "www") || begins(s[:i])
		case r == ')':
			special = begins(s[:i])
		case i == 0:
			special = special || strings.ContainsRune("#+-=", r)
		}
		if special {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// begins reports whether s is a number, as at the beginning of a list.
func begins(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// printable replaces line breaks and control characters by spaces.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}
