package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// byName are the functions of package os that make, move or remove what a name
// stands for at the moment. In a folder that others can write that may be something
// else than what was looked at: there a file is made and removed through an os.Root.
var byName = map[string]bool{
	"CreateTemp": true, "MkdirTemp": true, "Remove": true, "RemoveAll": true, "Rename": true, "TempDir": true,
}

// mayUseNames are the files that use them all the same.
var mayUseNames = map[string]string{
	"instrument/store.go":                "openStore takes no folder that others can write",
	"instrument/toolchain.go":            "the link is in the folder of openStore, or in the scratch folder",
	"instrument/probe/nameless.go":       "opens the folder as an os.Root",
	"instrument/probe/nameless_linux.go": "the file never has a name",
	"lsp/report.go":                      "ownership.Make takes no folder that others can write",
	"spell/atomicfile/atomicfile.go":     "the user names the file that is written, or the caller's folder is its own",
	"spell/atomicfile/target.go":         "the user names the file that is written",
	"spell/atomicfile/unfinished.go":     "the user names the file that is written, or the caller's folder is its own",
	"runner/profile.go":                  "the file is in the scratch folder",
	"runner/scratchplace.go":             "opens the folder as an os.Root",
	"spell/store/baseline.go":            "a store that others can change is used with --force only",
	"spell/store/save.go":                "a store that others can change is used with --force only",
	"spell/store/write.go":               "a store that others can change is used with --force only",
}

// Another user could flip a link between the moment when a folder is looked at and
// the one when what is in it is removed, and so have his neighbour's files removed.
func TestNothingIsRemovedByNameInSharedFolders(t *testing.T) {
	root := goList(t, "-f", "{{.Module.Dir}}", ".")[0]
	used := make(map[string]bool)
	for _, line := range goList(t, "-deps", "-f", `{{if not .Standard}}{{.ImportPath}}|{{.Dir}}|{{join .GoFiles "|"}}|{{join .IgnoredGoFiles "|"}}{{end}}`, ".") {
		parts := strings.Split(line, "|")
		if !under(parts[0], "spell-lsp") {
			continue
		}
		for _, name := range parts[2:] {
			if name == "" || strings.HasSuffix(name, "_test.go") {
				continue
			}
			file := filepath.Join(parts[1], name)
			short, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			short = filepath.ToSlash(short)
			for _, call := range usesNames(t, file) {
				used[short] = true
				if mayUseNames[short] == "" {
					t.Errorf("%s: use an os.Root, or say in mayUseNames why nobody else can write the folder", call)
				}
			}
		}
	}
	for file := range mayUseNames {
		if !used[file] {
			t.Errorf("%s uses no names any more: take it out of mayUseNames", file)
		}
	}
}

// usesNames lists the places where a file uses one of byName.
func usesNames(t *testing.T, file string) []string {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && byName[s.Sel.Name] {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
				places = append(places, fset.Position(s.Pos()).String()+": os."+s.Sel.Name)
			}
		}
		return true
	})
	return places
}
