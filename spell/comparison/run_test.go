package comparison_test

import (
	"bytes"
	"io"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// compared ranks and compares two runs.
func compared(t *testing.T, base, head *record.Run, o comparison.Options) *comparison.Comparison {
	t.Helper()
	ranking.Analyze(base, spell.Options{}, o.IncludeFailed)
	ranking.Analyze(head, spell.Options{}, o.IncludeFailed)
	c, err := comparison.Compare(base, head, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func find(t *testing.T, c *comparison.Comparison, id string) *comparison.Component {
	t.Helper()
	for i := range c.Components {
		if c.Components[i].ID == id {
			return &c.Components[i]
		}
	}
	t.Fatalf("%s is in neither run", id)
	return nil
}

func rendered(t *testing.T, as func(io.Writer, *comparison.Comparison, rendering.Options) error, c *comparison.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := as(&b, c, rendering.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
