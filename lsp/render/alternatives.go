package render

import (
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/alternatives/rendering"
)

// Alternatives shows the comparisons that a function is in, and where their numbers are from.
func Alternatives(r *results.Result, about *alternatives.Result, o HoverOptions, now time.Time) *protocol.MarkupContent {
	t := text{markdown: o.Markdown}
	switch {
	case o.Markdown && o.SpacedTables:
		t.add(spaced(rendering.Hover(about)))
	case o.Markdown:
		t.add(rendering.Hover(about))
	default:
		var b strings.Builder
		_ = rendering.Text(&b, about, 0) // a builder does not fail
		t.add(strings.TrimSuffix(b.String(), "\n"))
	}
	t.add(t.words(origin(r, now)))
	return t.content()
}

// spaced puts spaces between the columns of tables in Markdown.
func spaced(markdown string) string {
	lines := strings.Split(markdown, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "| ") && strings.Trim(line, "|:- ") != "" {
			lines[i] = strings.ReplaceAll(line, " | ", " | &emsp;")
		}
	}
	return strings.Join(lines, "\n")
}
