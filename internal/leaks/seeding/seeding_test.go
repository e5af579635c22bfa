package seeding

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// One importer reads what the go command exports of the standard library, once.
var (
	fset    = token.NewFileSet()
	library = importer.ForCompiler(fset, "gc", nil)
)

// check parses and type-checks a program of one file.
func check(t *testing.T, text []byte) Source {
	t.Helper()
	file, err := parser.ParseFile(fset, "before.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Implicits: make(map[ast.Node]types.Object),
	}
	pkg, err := (&types.Config{Importer: library}).Check("sample", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return Source{Name: "before.go", Text: text, Fset: fset, Syntax: file, Types: pkg, Info: info}
}

// archives are the samples, each with sites of the kind that it is named after.
func archives(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no samples: %v", err)
	}
	all := make(map[string]*txtar.Archive)
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".txtar")] = a
	}
	return all
}

// Every kind finds its sites, and changes the code at the first of them like this.
func TestKinds(t *testing.T) {
	samples := archives(t)
	for _, k := range Kinds() {
		if samples[k.Name] == nil {
			t.Errorf("%s has no sample", k.Name)
		}
	}
	for name, a := range samples {
		t.Run(name, func(t *testing.T) {
			before := check(t, a.Files[0].Data)
			var list strings.Builder
			after := []byte("")
			for _, s := range Sites([]Source{before}) {
				if s.Kind != name && name != "none" {
					continue
				}
				fmt.Fprintf(&list, "%s %d: %s\n", s.Function, s.Line, before.Text[s.Offset:min(s.End, s.Offset+bytes.IndexByte(before.Text[s.Offset:], '\n'))])
				if len(after) == 0 {
					var err error
					if after, err = Apply([]Source{before}, s, 3); err != nil {
						t.Fatal(err)
					}
				}
			}
			got := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{a.Files[0], {Name: "sites", Data: []byte(list.String())}, {Name: "after.go", Data: after}}}
			if *update {
				if err := os.WriteFile(filepath.Join("testdata", name+".txtar"), txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); diff != "" {
				t.Errorf("sample %s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// Every leak, at every site of every sample, can be compiled.
func TestLeaksAreGo(t *testing.T) {
	for name, a := range archives(t) {
		before := []Source{check(t, a.Files[0].Data)}
		for _, s := range Sites(before) {
			for _, strength := range []int{1, 3} {
				after, err := Apply(before, s, strength)
				if err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprintf("%s/%s:%d/%d", name, s.Kind, s.Line, strength), func(t *testing.T) { check(t, after) })
			}
		}
	}
}

// A program returns the same with any of the leaks in it.
func TestLeaksChangeNoResult(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var imports, calls strings.Builder
	n := 0
	add := func(what string, text []byte) string {
		n++
		write(fmt.Sprintf("p%d/p.go", n), text)
		fmt.Fprintf(&imports, "import p%d \"sample/p%d\"\n", n, n)
		fmt.Fprintf(&calls, "fmt.Printf(\"%%s: %%q\\n\", %q, p%d.Run())\n", what, n)
		return fmt.Sprintf("p%d.Run()", n)
	}
	for name, a := range archives(t) {
		before := []Source{check(t, a.Files[0].Data)}
		plain := add(name, before[0].Text)
		for _, s := range Sites(before) {
			after, err := Apply(before, s, 2)
			if err != nil {
				t.Fatal(err)
			}
			leaky := add(s.String(), after)
			fmt.Fprintf(&calls, "if %s != %s { fmt.Println(\"DIFFERENT\") }\n", plain, leaky)
		}
	}
	write("go.mod", []byte("module sample\n\ngo 1.26\n"))
	write("main.go", []byte("package main\n\nimport \"fmt\"\n"+imports.String()+"func main() {\n"+calls.String()+"}\n"))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("DIFFERENT")) || bytes.Count(out, []byte("\n")) != n {
		t.Errorf("%d programs: %v\n%s", n, err, out)
	}
}
