package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Files that users name, and what the product keeps for them, are written by package
// atomicfile alone: it knows umask, owners and what a crash leaves. Any other way to
// make a file in these packages is a second one.
func TestOneWriterOfFiles(t *testing.T) {
	makes := map[string]bool{"Create": true, "WriteFile": true, "CreateTemp": true, "Rename": true}
	const writer = "spell-lsp/spell/atomicfile"
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{.Dir}}`, "spell-lsp/cmd/...", "spell-lsp/lsp", "spell-lsp/spell/...", "spell-lsp/runner/meters") {
		pkg, dir, _ := strings.Cut(line, " ")
		if pkg == writer {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseDir(files, dir, func(f os.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // no types are needed
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parsed {
			ast.Inspect(p, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && makes[s.Sel.Name] {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
						t.Errorf("%s: os.%s: write by package atomicfile", files.Position(n.Pos()), s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
