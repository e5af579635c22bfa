//go:build go1.23

package bluemonday_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/microcosm-cc/bluemonday"
)

func page(rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, `<div style="color: #%06x; width: %dpx; animation-duration: 3s" onclick="x()"><p>text &amp; more</p><a href="http://example.com/%d">a link</a><table><tr><td>cell<td>cell</table></div>`, i, i, i)
	}
	return b.String()
}

func TestWorkloadStyles(t *testing.T) {
	policy := bluemonday.UGCPolicy()
	policy.AllowStyles("color", "width", "animation-duration").Globally()
	text := page(200)
	for range 16 {
		if policy.Sanitize(text) == "" {
			t.Fatal("nothing is left")
		}
	}
}

func TestWorkloadElements(t *testing.T) {
	text := page(200)
	for range 80 {
		if strings.Contains(bluemonday.UGCPolicy().Sanitize(text), "onclick") || strings.Contains(bluemonday.StrictPolicy().Sanitize(text), "<p>") {
			t.Fatal("something is left")
		}
	}
}
