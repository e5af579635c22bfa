package text

import (
	"slices"
	"strings"
	"testing"
)

func TestUnits(t *testing.T) {
	for _, test := range []struct {
		got, want string
	}{
		{quantity(0, "J"), "0 J"},
		{quantity(1e-12, "J"), "<1 nJ"},
		{quantity(1e-9, "J"), "1.00 nJ"},
		{quantity(123.4e-9, "J"), "123 nJ"},
		{quantity(999.4e-9, "J"), "999 nJ"},
		{quantity(999.6e-9, "J"), "1.00 µJ"},
		{quantity(0.00345, "J"), "3.45 mJ"},
		{quantity(0.0999, "J"), "99.9 mJ"},
		{quantity(0.09999, "J"), "100 mJ"},
		{quantity(0.9996, "J"), "1.00 J"},
		{quantity(9.996, "J"), "10.0 J"},
		{quantity(3600, "J"), "3.60 kJ"},
		{quantity(5e6, "J"), "5000 kJ"},
		{quantity(5e40, "J"), "5e+37 kJ"},
		{duration(0), "0 s"},
		{duration(0.0005), "500 ns"},
		{duration(12.5), "12.5 ms"},
		{duration(59_940), "59.9 s"},
		{duration(119_000), "119 s"},
		{duration(600_000), "10.0 min"},
		{duration(7.2e6), "2.00 h"},
		{percent(0), "0.0"},
		{percent(0.0004), "<0.1"},
		{percent(0.0005), "0.1"},
		{percent(1), "100.0"},
		{similarity(0), "0.0000"},
		{similarity(0.00004), "<.0001"},
		{similarity(0.49563), "0.4956"},
		{similarity(1), "1.0000"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

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
		if got := clean(in); got != want {
			t.Errorf("clean(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestDisplayWidth(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "abc": 3, "Größe": 5, "e\u0301te\u0301": 3, "公園": 4, "한글": 4, "ｗ": 2, "±µ": 2, "😀": 2, "𠀀": 2, "ığ": 2,
	} {
		if got := displayWidth(in); got != want {
			t.Errorf("width of %q is %d, want %d", in, got, want)
		}
	}
}

// A short name must still tell which function it is.
func TestShorten(t *testing.T) {
	for _, test := range []struct {
		name, module string
		full, want   []string
	}{
		{"root and below", "m.org/x", []string{"m.org/x.(*T).M", "m.org/x/sub.F", "other.F"}, []string{"(*T).M", "sub.F", "other.F"}},
		{"no module", "", []string{"a.F", "b.F"}, []string{"a.F", "b.F"}},
		{"another module with the same beginning", "m.org/x", []string{"m.org/xy.F", "m.org/x2/sub.F"}, []string{"m.org/xy.F", "m.org/x2/sub.F"}},
		{"full name of another", "m.org/x", []string{"m.org/x/sub.F", "sub.F"}, []string{"m.org/x/sub.F", "sub.F"}},
		{"short name of another", "m", []string{"m.a.F", "m/a.F", "m.G"}, []string{"m.a.F", "m/a.F", "G"}},
		{"name of the module", "m", []string{"m", "m."}, []string{"m", "m."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := shorten(test.full, test.module); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Columns stand under each other as a terminal shows them, and one long name
// pushes only its own row.
func TestTableAligns(t *testing.T) {
	tab := table{columns: []column{{head: "n", right: true, over: "est. "}, {head: "name", cap: 6}, {head: "end"}}}
	tab.add(cell{text: "1"}, cell{text: "公園", color: red}, cell{text: "x"})
	tab.add(cell{text: "22"}, cell{text: "a long name"}, cell{text: "x"})
	tab.add(cell{text: "333"}, cell{text: "a"}, cell{})
	p := page{}
	tab.write(&p.b, false)
	want := strings.TrimPrefix(`
est.
   n  name    end
   1  公園    x
  22  a long name  x
 333  a
`, "\n")
	if got := p.b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestParagraph(t *testing.T) {
	p := page{}
	p.paragraph("- ", strings.Repeat("word ", 25)+"\n\n next")
	want := "- " + strings.TrimSpace(strings.Repeat("word ", 19)) + "\n  " + strings.TrimSpace(strings.Repeat("word ", 6)) + "\n  next\n"
	if got := p.b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
