package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// moduleDir is the folder of the module, seen from this one.
const moduleDir = "../.."

// tools are the folders that are no part of the product.
var tools = []string{"examples", "internal", "lsp/editors", "vscode-client"}

// A sourceFile is a Go file of the module, for whatever system it is built.
type sourceFile struct {
	name string // below the folder of the module, with forward slashes
	ast  *ast.File
	fset *token.FileSet
}

// sources parses the Go files of the module, once for all tests. Folders with a go.mod are
// other modules.
var sources = sync.OnceValues(func() (list []sourceFile, err error) {
	fset := token.NewFileSet()
	err = filepath.WalkDir(moduleDir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(moduleDir, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			base := entry.Name()
			if name != "." && (base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || isModule(file)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		list = append(list, sourceFile{name, parsed, fset})
		return err
	})
	return list, err
})

func isModule(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "go.mod")) // the pattern is a good one
	return len(found) > 0
}

// files lists the files that keep accepts.
func files(t *testing.T, keep func(name string) bool) (list []sourceFile) {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if keep(f.name) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		t.Fatal("no file is looked at: the test proves nothing")
	}
	return list
}

// inProduct tells whether a file is compiled into the product.
func inProduct(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && !slices.ContainsFunc(tools, func(dir string) bool { return under(name, dir) })
}

// imports gives the import paths of a file by the names that they have in it.
func (f sourceFile) imports() map[string]string {
	imported := make(map[string]string)
	for _, spec := range f.ast.Imports {
		from, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err) // the parser has accepted it
		}
		name := path.Base(from)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = from
	}
	return imported
}

// A use is a place where a file names what another package exports.
type use struct {
	pkg, name string // os, Open
	at        token.Position
	writes    bool // it is called with O_WRONLY
}

func (u use) call() string { return u.pkg + "." + u.name }

func (f sourceFile) uses() (list []use) {
	imported := f.imports()
	writes := make(map[ast.Node]bool)
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if len(n.Args) > 1 && mentions(n.Args[1], "O_WRONLY") {
				writes[n.Fun] = true
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imported[x.Name] != "" {
				list = append(list, use{imported[x.Name], n.Sel.Name, f.fset.Position(n.Pos()), writes[n]})
			}
		}
		return true
	})
	return list
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return true
	})
	return found
}

// A boundary reserves functions to a few files of the product.
type boundary struct {
	reserved map[string][]string // names by import path
	within   []string            // folders whose files it holds for; none: all
	exempt   func(use) bool      // nil: none
	instead  string              // what other files do
	// allowed has a reason for each exception: by file and call ("a/b.go os.Open"), or
	// by file where one reason holds for all calls in it.
	allowed map[string]string
}

// check reports each use that is not allowed, and each exception that is not needed.
func (b boundary) check(t *testing.T) {
	t.Helper()
	needed := make(map[string]bool)
	for _, f := range files(t, b.holdsFor) {
		for _, u := range f.uses() {
			if !slices.Contains(b.reserved[u.pkg], u.name) || b.exempt != nil && b.exempt(u) {
				continue
			}
			byCall := f.name + " " + u.call()
			needed[f.name], needed[byCall] = true, true
			if b.allowed[f.name] == "" && b.allowed[byCall] == "" {
				t.Errorf("%s: %s: %s", u.at, u.call(), b.instead)
			}
		}
	}
	for _, exception := range slices.Sorted(maps.Keys(b.allowed)) {
		if !needed[exception] {
			t.Errorf("the exception %q is not needed any more: take it out", exception)
		}
	}
}

func (b boundary) holdsFor(name string) bool {
	return inProduct(name) && (len(b.within) == 0 || slices.ContainsFunc(b.within, func(dir string) bool { return under(name, dir) }))
}

// under tells whether a path is the root or below it.
func under(name, root string) bool {
	return name == root || strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/")
}
