package render

import (
	"slices"
	"testing"
	"time"
)

// An age is shown beside the exact time, so whole units are enough.
func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "", 0: ", just now", 59 * time.Second: ", just now", time.Minute: ", 1 minute ago", 59*time.Minute + 59*time.Second: ", 59 minutes ago",
		time.Hour: ", 1 hour ago", 47*time.Hour + 59*time.Minute: ", 47 hours ago", 48 * time.Hour: ", 2 days ago", 1000 * time.Hour: ", 41 days ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("%v is %q, must be %q", d, got, want)
		}
	}
}

// A share that is not zero must not look like zero.
func TestShares(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0 %", 0.0001: "<0.1 %", 0.0005: "0.1 %", 0.414: "41.4 %", 1: "100.0 %"} {
		if got := share(x); got != want {
			t.Errorf("share %g is %q, must be %q", x, got, want)
		}
	}
}

// Names of functions and subtests may contain any characters. They must not become markup.
func TestMarkdown(t *testing.T) {
	in := text{markdown: true}
	for name, want := range map[string]string{
		"p.(*T).M":     "`p.(*T).M`",
		"T/a_b*c*":     "`T/a_b*c*`",
		"T/a|b":        "T/a\\|b",
		"T/`_x_`":      "T/\\`\\_x\\_\\`",
		"T/a\n# head":  "`T/a # head`",
		"T/`a`\n# x":   "T/\\`a\\` # x",
		"T/http://x.y": "`T/http://x.y`",
		"T/`http://x":  "T/\\`http\\://x",
		"`www.x.y a@b": "\\`www\\.x.y a\\@b",
		"`<script>":    "\\`\\<script\\>",
		"T/a[0|1](x)":  "T/a\\[0\\|1\\](x)",
		"":             "",
		"T/<b>&lt;":    "`T/<b>&lt;`",
	} {
		if got := in.name(name); got != want {
			t.Errorf("%q is %q, must be %q", name, got, want)
		}
	}
	for text, want := range map[string]string{
		"# head": `\# head`, "- item": `\- item`, "1. item": `1\. item`, "12) item": `12\) item`, "1.5 J (2)": `1\.5 J (2)`, "  a\tb": "  a b",
		"5 mJ. 3 - 2 = 1 # x": "5 mJ. 3 - 2 = 1 # x", "a: b": "a: b",
	} {
		if got := in.words(text); got != want {
			t.Errorf("%q is %q, must be %q", text, got, want)
		}
	}
	if got, want := new(text).words("T/a\n| <b>\x1b"), "T/a | <b> "; got != want {
		t.Errorf("plain words are %q, must be %q", got, want)
	}
	if got, want := in.words("<b>[x](y) ~a~ 5 % & 2*3"), `\<b\>\[x\](y) \~a\~ 5 % \& 2\*3`; got != want {
		t.Errorf("words are %q, must be %q", got, want)
	}
}

// A hover lists the costliest of many tests: the same ones as a sort of all tests would put first.
func TestLargest(t *testing.T) {
	descending := func(a, b int) int { return b - a }
	for _, list := range [][]int{nil, {3}, {1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {2, 9, 2, 7, 2, 9, 1}} {
		want := slices.SortedFunc(slices.Values(list), descending)
		if got := largest(list, 3, descending); !slices.Equal(got, want[:min(3, len(want))]) {
			t.Errorf("of %v the largest are %v", list, got)
		}
	}
}
