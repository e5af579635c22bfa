package report

import (
	"encoding/json"
	"strings"
	"testing"

	"spell-lsp/spell/page"
)

// What the page reads of a string is what a terminal would show of it, and other JSON
// stays as it is.
func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"", `plain "é" \ 公園`, "\x1b[31m\a\b\f\r\n\t\x00\x7f", "\u202e\u2028\u2029\u009b", "<script>&", `\u202e\x1b`, "\r\r\n", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd") // as encoding/json does
		in, err := json.Marshal(map[string]any{"a": text, "n": []float64{1, 2.5e-7}, text: nil})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(visible(in), &got); err != nil {
			t.Fatalf("%s: %v", visible(in), err)
		}
		want := page.CleanLines(text)
		if _, ok := got[want]; !ok || want != "a" && got["a"] != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	})
}
