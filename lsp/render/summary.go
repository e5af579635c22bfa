package render

import (
	"strings"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/scaling/rendering"
	"spell-lsp/spell/wording"
)

// Summary says in a sentence or two for each result what it is about: what holds most of the
// energy, and whether that was measured, or how a function grows if that was asked.
func Summary(list ...*results.Result) string {
	var texts []string
	for _, r := range list {
		ids := make([]string, len(r.Run.Components))
		for i := range ids {
			ids[i] = r.Run.Components[i].ID
		}
		name := func(component int) string {
			return page.Shorten(ids, r.Run.Workspace.Module)[component]
		}
		text := grown(r)
		if text == "" {
			text = wording.Headline(ranking.Summarize(r.Run, r.Run.Tallies(), nil), name)
		}
		if len(list) > 1 {
			text = r.Dir + ": " + text
		}
		texts = append(texts, text)
	}
	return page.CleanLines(strings.Join(texts, " "))
}

// grown says how the function grows whose growth was measured; "" if another thing was.
func grown(r *results.Result) string {
	if !strings.HasPrefix(r.Scope, results.GrowthScope) {
		return ""
	}
	all, err := scaling.Of(r.Run, scaling.Options{})
	if err != nil {
		return "" // the benchmark did not run
	}
	return rendering.Steepest(all)
}
