package lsp_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/scanner"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
)

// A marker is an expectation in a comment: something that an editor must show.
type marker struct {
	at          string // file:line
	label, kind string
	args        []string
	line        string
	span        lsptest.Range // where its first argument is in the line, see holding
}

func (m marker) String() string {
	return fmt.Sprintf("%s: %s(%s)", m.at, m.kind, strings.Join(m.args, ", "))
}

// The smallest number of arguments of each kind.
var markerKinds = map[string]int{
	"diag": 2, "nodiag": 1, "lens": 2, "testlens": 1, "nolens": 1, "lenses": 2, "hover": 2, "nohover": 1, "hint": 2, "nohint": 1,
	"stale": 1, "absent": 1, "action": 2, "noaction": 2, "act": 4, "related": 2,
}

// markersOf finds the markers in the text of a file.
func markersOf(name, text string) ([]marker, error) {
	var all []marker
	for i, line := range strings.Split(text, "\n") {
		code, comment, ok := strings.Cut(strings.TrimSuffix(line, "\r"), "//@")
		if !ok {
			continue
		}
		found, err := parseMarkers(comment)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		for _, m := range found {
			m.at, m.line = fmt.Sprintf("%s:%d", name, i+1), code
			m.span, _ = find(code, m.args[0], i)
			all = append(all, m)
		}
	}
	return all, nil
}

// find returns the place of a word in a line, or else the place of a text.
func find(line, text string, number int) (lsptest.Range, bool) {
	at := word(line, text)
	if at < 0 {
		at = strings.Index(line, text)
	}
	if at < 0 {
		return lsptest.Range{}, false
	}
	start := len(utf16.Encode([]rune(strings.TrimPrefix(line[:at], "\ufeff"))))
	return lsptest.Range{
		Start: lsptest.Position{Line: number, Character: start},
		End:   lsptest.Position{Line: number, Character: start + len(utf16.Encode([]rune(text)))},
	}, true
}

// word returns the index of a text in a line where it is not part of a longer word, or -1.
func word(line, text string) int {
	for from := 0; ; from++ {
		next := strings.Index(line[from:], text)
		if next < 0 {
			return -1
		}
		from += next
		before, _ := utf8.DecodeLastRuneInString(line[:from])
		after, _ := utf8.DecodeRuneInString(line[from+len(text):])
		if !isWord(before) && !isWord(after) {
			return from
		}
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// parseMarkers reads what follows //@: label:kind("...", `...`), kind(...)
func parseMarkers(text string) ([]marker, error) {
	var s scanner.Scanner
	s.Init(strings.NewReader(text))
	s.Mode = scanner.ScanIdents | scanner.ScanStrings | scanner.ScanRawStrings
	s.IsIdentRune = func(r rune, i int) bool { return isWord(r) || i > 0 && (r == '-' || r == '.') }
	var problem error
	s.Error = func(_ *scanner.Scanner, message string) { problem = fmt.Errorf("%s in %s", message, text) }
	var all []marker
	for token := s.Scan(); token != scanner.EOF && problem == nil; token = s.Scan() {
		m := marker{kind: s.TokenText()}
		token = s.Scan()
		if token == ':' {
			m.label = m.kind
			s.Scan()
			m.kind = s.TokenText()
			token = s.Scan()
		}
		for token == '(' || token == ',' {
			if token = s.Scan(); token != scanner.String && token != scanner.RawString {
				break
			}
			arg, err := strconv.Unquote(s.TokenText())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.TokenText(), err)
			}
			m.args = append(m.args, arg)
			token = s.Scan()
		}
		least, known := markerKinds[m.kind]
		if token != ')' || !known || len(m.args) < least {
			return nil, fmt.Errorf("%q with %d arguments is no marker, near %v of %s", m.kind, len(m.args), s.Pos().Column, text)
		}
		all = append(all, m)
		if token = s.Scan(); token != ',' && token != scanner.EOF {
			return nil, fmt.Errorf("a comma must follow a marker, near %v of %s", s.Pos().Column, text)
		} else if token == scanner.EOF {
			break
		}
	}
	for _, m := range all {
		for _, arg := range m.args[1:] {
			if _, err := regexp.Compile(arg); err != nil && m.kind != "act" {
				return nil, err
			}
		}
	}
	return all, problem
}

// thing returns what a kind of marker is about: lens for lens, nolens and so on.
func (m marker) thing() string {
	switch m.kind {
	case "testlens":
		return "lens"
	case "lenses":
		return "lens"
	}
	return strings.TrimPrefix(m.kind, "no")
}

// holding returns the markers that hold in a check with a label, in an editor. It fails if the
// text of a marker is missing.
func holding(all []marker, label, client string) ([]marker, error) {
	labels := []string{"", client, label}
	if label == "" {
		labels = labels[:2]
	}
	rank := func(m marker) int { return 1 + slices.Index(labels, m.label) }
	key := func(m marker) string { return m.at + " " + m.thing() + " " + m.args[0] }
	var spread []marker
	best, absent := map[string]int{}, map[string]bool{}
	for _, m := range all {
		if rank(m) == 0 {
			continue
		}
		if m.kind == "absent" {
			absent[m.at+m.args[0]] = true
		}
		for _, n := range m.spread() {
			spread = append(spread, n)
			best[key(n)] = max(best[key(n)], rank(n))
		}
	}
	spread = slices.DeleteFunc(spread, func(m marker) bool {
		return rank(m) < best[key(m)] || absent[m.at+m.args[0]] && m.kind != "absent"
	})
	for _, m := range spread {
		if there := word(m.line, m.args[0]) >= 0; m.kind == "absent" && there {
			return nil, fmt.Errorf("%v: there is such a word in the line", m)
		}
		if m.kind != "absent" && !strings.Contains(m.line, m.args[0]) {
			return nil, fmt.Errorf("%v: there is no such text in the line", m)
		}
	}
	return spread, nil
}

// spread returns the markers that a marker stands for.
func (m marker) spread() []marker {
	as := func(kind string, args ...string) marker {
		n := m
		n.kind, n.args = kind, append([]string{m.args[0]}, args...)
		return n
	}
	switch m.kind {
	case "stale":
		return []marker{
			as("diag", "hint", "measured before this edit"), as("lens", "^measured before this edit"), as("hover", "Measured before this edit"),
		}
	case "testlens":
		return []marker{as("lens", "^measure energy$")}
	}
	return []marker{m}
}

// A marker that was misread could never fail.
func TestParseMarkers(t *testing.T) {
	got, err := markersOf("a.go", "/* 🚗 */ func add(a int) {} //@diag(\"a\", \"error\", `x\\.`), edited:stale(\"add\")\r\nvar x int //@nodiag(\"x\")\n")
	if err != nil {
		t.Fatal(err)
	}
	at := func(line, from, to int) lsptest.Range {
		return lsptest.Range{Start: lsptest.Position{Line: line, Character: from}, End: lsptest.Position{Line: line, Character: to}}
	}
	add, x := "/* 🚗 */ func add(a int) {} ", "var x int "
	want := []marker{
		{"a.go:1", "", "diag", []string{"a", "error", `x\.`}, add, at(0, 18, 19)},
		{"a.go:1", "edited", "stale", []string{"add"}, add, at(0, 14, 17)},
		{"a.go:2", "", "nodiag", []string{"x"}, x, at(1, 4, 5)},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(marker{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{
		`diag("f")`, `diga("f", "error")`, `diag("f", "error"`, `diag("f", "error") lens("f", "x")`,
		`diag("f", "error", "(")`, `diag("f", 1)`, `("f")`, `diag("f", "error", "\q")`, `diag("f", "error", "x)`,
	} {
		if found, err := markersOf("a.go", "func f() {} //@"+bad); err == nil {
			t.Errorf("%s was read as %v", bad, found)
		}
	}
	names := func(label, client string) (list []string) {
		all, err := markersOf("a.go", `func f() {} //@diag("f", "error"), lens("f", "x"), edited:stale("f"), eglot:diag("f", "hint"), other:nodiag("f")`)
		if err != nil {
			t.Fatal(err)
		}
		found, err := holding(all, label, client)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			list = append(list, m.kind+" "+strings.Join(m.args[1:], " "))
		}
		return list
	}
	for _, c := range []struct {
		label, Client string
		want          []string
	}{
		{"", "vscode", []string{"diag error", "lens x"}},
		{"", "eglot", []string{"lens x", "diag hint"}},
		{"other", "eglot", []string{"lens x", "nodiag "}},
		{"edited", "vscode", []string{"diag hint measured before this edit", "lens ^measured before this edit", "hover Measured before this edit"}},
	} {
		if diff := cmp.Diff(c.want, names(c.label, c.Client)); diff != "" {
			t.Errorf("check %q in %s (-want +got):\n%s", c.label, c.Client, diff)
		}
	}
}
