package csvtext

import (
	"strings"
	"testing"
)

// A name that a spreadsheet would execute gets a quote; one that begins with a quote
// by itself is still another name; anything else stays as it is.
func TestEncode(t *testing.T) {
	for name, want := range map[string]string{
		"":                     "",
		"pkg.(*T).M":           "pkg.(*T).M",
		"a-b+c=d@e":            "a-b+c=d@e",
		"=cmd|' /C calc'!A0":   "'=cmd|' /C calc'!A0",
		"+1":                   "'+1",
		"-1":                   "'-1",
		"@SUM(A1)":             "'@SUM(A1)",
		"\t=1":                 "'\t'=1",
		"\r=1":                 "'\r=1",
		"  =1":                 "'  =1",
		"\uff1d1":              "'\uff1d1",
		"'quoted'":             "'quoted'",
		"'=1":                  "''=1",
		"''=1":                 "'''=1",
		"' =1":                 "'' =1",
		"a;=cmd|'!A0":          "a;'=cmd|'!A0",
		"Ljava/lang/String;-V": "Ljava/lang/String;'-V",
	} {
		if got := Encode(name); got != want {
			t.Errorf("%q is written as %q, want %q", name, got, want)
		}
		if got := Decode(want); got != name {
			t.Errorf("%q is read as %q, want %q", want, got, name)
		}
	}
	for _, field := range []string{"=1", "-a", "a;+b"} { // of a file that nobody encoded
		if got := Decode(field); got != field {
			t.Errorf("%q is read as %q", field, got)
		}
	}
}

// Whatever the text: it comes back, and no cell of it, however a spreadsheet divides
// it, begins a formula.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{"", "a", "=1", "'=1", "''", "' =", "a;=;'+\t@", "\t\t=", "\uff1d", "\xff=", "-1e5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		field := Encode(text)
		if got := Decode(field); got != text {
			t.Errorf("%q is written as %q and read as %q", text, field, got)
		}
		for _, cell := range strings.FieldsFunc(field, func(r rune) bool { return r == ';' || r == '\t' }) {
			if cell = strings.TrimLeft(cell, " "); cell != "" && strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20\r\n", []rune(cell)[0]) {
				t.Errorf("%q has the cell %q", field, cell)
			}
		}
	})
}
