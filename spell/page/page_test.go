package page

import (
	"bytes"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"pkg.(*T).M":      "pkg.(*T).M",
		"公園.追加 é e\u0301": "公園.追加 é e\u0301",
		"a\x1b[2Jb":       `a\x1b[2Jb`,
		"a\tb\nc\r":       `a\tb\nc\r`,
		"\x00\x7f\u0085":  `\x00\x7f\u0085`,
		"\u202eabc\u2066": `\u202eabc\u2066`,
		"\u00a0\u2028":    `\u00a0\u2028`,
		"\xff\x05\xc3":    `\xff\x05\xc3`,
		"\ufffd":          "\ufffd",
		"\U000e0001":      `\U000e0001`,
	} {
		if got := Clean(in); got != want {
			t.Errorf("clean(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestDisplayWidth(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "abc": 3, "Größe": 5, "e\u0301te\u0301": 3, "公園": 4, "한글": 4, "ｗ": 2, "±µ": 2, "😀": 2, "𠀀": 2, "ığ": 2,
	} {
		if got := DisplayWidth(in); got != want {
			t.Errorf("width of %q is %d, want %d", in, got, want)
		}
	}
}

// Columns stand under each other as a terminal shows them, and one long name
// pushes only its own row.
func TestTableAligns(t *testing.T) {
	tab := Table{Columns: []Column{{Head: "n", Right: true, Over: "est. "}, {Head: "name", Cap: 6}, {Head: "end"}}}
	tab.Add(Cell{Text: "1"}, Cell{Text: "公園", Color: Red}, Cell{Text: "x"})
	tab.Add(Cell{Text: "22"}, Cell{Text: "a long name"}, Cell{Text: "x"})
	tab.Add(Cell{Text: "333"}, Cell{Text: "a"}, Cell{})
	var b bytes.Buffer
	tab.Write(&b, false)
	want := strings.TrimPrefix(`
est.
   n  name    end
   1  公園    x
  22  a long name  x
 333  a
`, "\n")
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestParagraph(t *testing.T) {
	var b bytes.Buffer
	Paragraph(&b, "- ", strings.Repeat("word ", 25)+"\n\n next")
	want := "- " + strings.TrimSpace(strings.Repeat("word ", 19)) + "\n  " + strings.TrimSpace(strings.Repeat("word ", 6)) + "\n  next\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// GitHub makes links of addresses in plain text ("Autolinks" of its flavour of Markdown).
func TestEscapedMarkdownHasNoLinks(t *testing.T) {
	for text, want := range map[string]string{
		"www.example.com":    "www&#46;example.com",
		"see WwW.a":          "see WwW&#46;a",
		"https://a.b":        "https&#58;//a.b",
		"a@b.c":              "a&#64;b.c",
		"ww.a, 1.5 J, www":   "ww.a, 1.5 J, www",
		"example.com/a.F":    "example.com/a.F",
		"[a](javascript:b)":  "&#91;a&#93;(javascript&#58;b)",
		"<script>&amp;`code": "&#60;script&#62;&#38;amp;&#96;code",
	} {
		if got := EscapeMarkdown(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
