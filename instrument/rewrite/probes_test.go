package rewrite

import (
	"bytes"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write expected results anew")

// parseOne parses a package of one file.
func parseOne(t testing.TB, name string, src []byte) *File {
	t.Helper()
	files, broken := Parse([]Source{{Path: name, Text: src}})
	if len(broken) > 0 {
		t.Fatalf("%s does not parse", name)
	}
	return files[0]
}

// instrumentText gives every function that can have a probe the number of its
// place in the file, from 1. The compiler is said to inline those whose line
// ends with the word inlines.
func instrumentText(t *testing.T, name string, src []byte) []byte {
	t.Helper()
	f := parseOne(t, name, src)
	rows := make([]uint32, len(f.Funcs))
	for i, fn := range f.Funcs {
		if WhyUnprobed(fn) == "" {
			rows[i] = uint32(i + 1)
		}
	}
	inlines := func(pos token.Pos) bool {
		line, _, _ := bytes.Cut(src[f.offset(pos):], []byte("\n"))
		return bytes.HasSuffix(line, []byte("inlines"))
	}
	return f.Instrument(Probes{Rows: rows, Inlines: inlines, Name: ProbeName([]*File{f}), Path: "runtime"})
}

func TestEdits(t *testing.T) {
	const file = "testdata/edits.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string][]byte)
	var inputs []txtar.File
	for _, f := range archive.Files {
		if filepath.Ext(f.Name) == ".go" {
			inputs = append(inputs, f)
		} else {
			want[f.Name] = f.Data
		}
	}
	updated := &txtar.Archive{Comment: archive.Comment, Files: inputs}
	for _, in := range inputs {
		t.Run(in.Name, func(t *testing.T) {
			got := instrumentText(t, in.Name, in.Data)
			wantName := strings.TrimSuffix(in.Name, ".go") + ".want"
			updated.Files = append(updated.Files, txtar.File{Name: wantName, Data: got})
			if diff := cmp.Diff(string(want[wantName]), string(got)); diff != "" && !*update {
				t.Errorf("instrumented text differs (-want +got):\n%s", diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever parses must parse after it was instrumented, with as many lines,
// and with every line of the original as it was but for what was inserted.
func FuzzEdits(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/edits.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	f.Add([]byte("\xef\xbb\xbfpackage bom\r\n\r\nfunc F() {\r\n}\r\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.SkipObjectResolution); err != nil {
			return
		}
		got := instrumentText(t, "x.go", src)
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", got, parser.SkipObjectResolution); err != nil {
			t.Fatalf("does not parse any more: %v\n%s", err, got)
		}
		before, after := bytes.Split(src, []byte("\n")), bytes.Split(got, []byte("\n"))
		if len(before) != len(after) {
			t.Fatalf("%d lines became %d:\n%s", len(before), len(after), got)
		}
		for i := range before {
			if !subsequence(before[i], after[i]) {
				t.Fatalf("line %d %q became %q", i+1, before[i], after[i])
			}
		}
	})
}

func subsequence(short, long []byte) bool {
	for _, b := range long {
		if len(short) > 0 && short[0] == b {
			short = short[1:]
		}
	}
	return len(short) == 0
}
