package csvmatrix_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/record"
)

const table = "test,component,cpu_J,n,time_ms\n#t,c,1,1,1\n"

// Whether energy was measured or estimated survives the file, and where it is
// not said it is not made up. A test's name may begin like a comment.
func TestOrigin(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       record.Source
		fails      string
	}{
		{name: "no word", text: table},
		{name: "estimated", text: "# energy: estimated\n" + table, want: record.Estimated},
		{name: "measured, behind a mark, with CRLF", text: "\ufeff#energy:measured\r\n" + table, want: record.Measured},
		{name: "among comments", text: "#\n# made by a tool: v1\n# energy: estimated\n# more\n" + table, want: record.Estimated},
		{name: "unknown word", text: "# x\n# energy: guessed\n" + table, fails: `m.csv:2:1: energy is "guessed"; write measured or estimated`},
		{name: "no domain's source", text: "# energy: none\n" + table, fails: `m.csv:1:1: energy is "none"`},
		{name: "two words", text: "# energy: measured\n# energy: estimated\n" + table, fails: "m.csv:2:1: energy is estimated here and measured above"},
		{name: "a fault below", text: "# x\n" + table + "u,c,x,1,1\n", fails: `m.csv:4:5: "x" is not a number`},
		{name: "a quote below", text: "# x\n" + table + "u,c\"c,1,1,1\n", fails: "m.csv:4:4: misplaced quote"},
		{name: "nothing else", text: "# energy: estimated", fails: "m.csv:2:1: the file is empty"},
	} {
		m, got, err := csvmatrix.Read(strings.NewReader(test.text), "m.csv")
		if test.fails != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.fails) {
				t.Errorf("%s: error %v, want %s", test.name, err, test.fails)
			}
			continue
		}
		if err != nil || got != test.want || m.Tests[0] != "#t" {
			t.Errorf("%s: origin %q of %v, error %v; want %q", test.name, got, m, err, test.want)
		}
	}
}

func TestOriginIsWritten(t *testing.T) {
	energy := &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"#t"}, Components: []spell.Component{{ID: "c"}}}
	energy.Add(spell.Cell{N: 1, TimeMS: 1}, 1)
	none := &spell.Matrix{Tests: []string{"#t"}, Components: []spell.Component{{ID: "c"}}}
	none.Add(spell.Cell{N: 1, TimeMS: 1})
	for _, test := range []struct {
		m      *spell.Matrix
		origin record.Source
		want   string
	}{
		{energy, record.Estimated, "# energy: estimated\n" + table},
		{energy, record.Measured, "# energy: measured\n" + table},
		{energy, "", table},
		{none, record.NoEnergy, strings.Replace(table, "c,1,", "c,,", 1)},
		{none, record.Measured, strings.Replace(table, "c,1,", "c,,", 1)},
	} {
		var b bytes.Buffer
		if err := csvmatrix.Write(&b, test.m, test.origin); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("origin %q (-want +got):\n%s", test.origin, diff)
		}
	}
}
