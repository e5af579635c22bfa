package text_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/text"
	"spell-lsp/spell/wording"
)

func markdown(t *testing.T, r *record.Run, c *comparison.Comparison, o text.Options) string {
	t.Helper()
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	var b bytes.Buffer
	if err := text.Markdown(&b, r, c, o); err != nil {
		t.Fatal(err)
	}
	checkPage(t, b.String(), false)
	checkMarkdown(t, b.String())
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for name, change := range map[string]func(*record.Run){
		"measured":    func(*record.Run) {},
		"estimated":   estimated,
		"none":        noEnergy,
		"detailed":    detailed,
		"troubled":    troubled,
		"hostile":     hostile,
		"nothing-ran": func(r *record.Run) { r.Components, r.Matrix = nil, record.MatrixOf(r.Meter.Domains) },
		"no-tests":    func(r *record.Run) { r.Components, r.Matrix, r.Tests = nil, record.MatrixOf(r.Meter.Domains), nil },
	} {
		t.Run(name, func(t *testing.T) {
			r := park()
			change(r)
			recordtest.Golden(t, name+".md", markdown(t, r, nil, text.Options{}))
		})
	}
	t.Run("top", func(t *testing.T) {
		recordtest.Golden(t, "top-2-by-energy.md", markdown(t, park(), nil, text.Options{Top: 2, Sort: "energy"}))
	})
}

// A comparison stands before the ranking, with its verdict.
func TestMarkdownOfAComparison(t *testing.T) {
	base, head := park(), park()
	for _, r := range []*record.Run{base, head} {
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	}
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := markdown(t, head, c, text.Options{})
	change, ranking := strings.Index(got, rendering.Headline(c, wording.CommandLine)), strings.Index(got, "### Energy")
	if change < 0 || change > ranking {
		t.Errorf("%q does not stand before the ranking:\n%s", rendering.Headline(c, wording.CommandLine), got)
	}
}

// tags are what the page writes itself.
var tags = regexp.MustCompile(`</?(details|summary|sub)>`)

// checkMarkdown holds for every page: rows have as many cells as their heads, and of
// HTML there is only what the page writes itself.
func checkMarkdown(t *testing.T, got string) {
	t.Helper()
	cells := 0
	for i, line := range strings.Split(tags.ReplaceAllString(got, ""), "\n") {
		if strings.ContainsAny(strings.TrimPrefix(line, ">"), "<>`\\") {
			t.Errorf("line %d is not escaped: %s", i+1, line)
		}
		n := strings.Count(line, "|")
		if n > 0 && cells > 0 && n != cells {
			t.Errorf("line %d has %d cells, want %d: %s", i+1, n-1, cells-1, line)
		}
		cells = n
	}
}

func TestMarkdownWriteError(t *testing.T) {
	r := park()
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	if err := text.Markdown(brokenPipe{}, r, nil, text.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the error is %v", err)
	}
	if err := text.Markdown(&bytes.Buffer{}, r, nil, text.Options{Sort: "taste"}); errors.Unwrap(err) != nil || err == nil {
		t.Errorf("the error of an unknown order is %v", err)
	}
}
