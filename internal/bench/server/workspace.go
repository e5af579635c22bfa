package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/spell/gosource"
)

// testsInPackage is the number of tests in each package of a workspace; together they
// call all of its functions.
const testsInPackage = 20

// A workspace is a Go module that was generated for the bench, always with the same
// bytes.
type workspace struct {
	dir   string
	files []*file // those with functions, by name
	tests []string
	lines int
}

// A file has functions F0, F2, ... and methods M1, M3, ...: every second one is a
// method.
type file struct {
	path      string // absolute
	name      string // relative to the workspace, with slashes
	pkg       string // import path
	text      string
	test      *file // the file of the package's tests
	functions []gosource.Func
}

// newWorkspace writes a module with the given numbers of packages, files in each
// package, and functions in each file.
func newWorkspace(dir string, packages, files, functions int) (*workspace, error) {
	w := &workspace{dir: dir}
	module := "example.com/" + filepath.Base(dir)
	if err := w.write("go.mod", "module "+module+"\n\ngo 1.25\n"); err != nil {
		return nil, err
	}
	for p := range packages {
		pkg := fmt.Sprintf("p%03d", p)
		test := &file{path: filepath.Join(dir, pkg, "all_test.go"), name: pkg + "/all_test.go", text: testText(pkg, files, functions)}
		if err := w.write(test.name, test.text); err != nil {
			return nil, err
		}
		for t := range testsInPackage {
			w.tests = append(w.tests, fmt.Sprintf("%s/%s.%s", module, pkg, testName(t)))
		}
		for f := range files {
			name := fmt.Sprintf("%s/file%d.go", pkg, f)
			text := fileText(pkg, f, functions)
			if err := w.write(name, text); err != nil {
				return nil, err
			}
			made := &file{path: filepath.Join(dir, filepath.FromSlash(name)), name: name, pkg: module + "/" + pkg, test: test, text: text}
			if err := made.parse(); err != nil {
				return nil, err
			}
			w.files = append(w.files, made)
		}
	}
	return w, nil
}

func (w *workspace) write(name, text string) error {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	w.lines += strings.Count(text, "\n")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		return fmt.Errorf("writing a workspace: %w", err)
	}
	return nil
}

func (f *file) parse() error {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.path, f.text, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("reading what was written: %w", err)
	}
	f.functions = gosource.Functions(fset, syntax, []byte(f.text))
	return nil
}

// components is how many functions the workspace has.
func (w *workspace) components() int {
	n := 0
	for _, f := range w.files {
		n += len(f.functions)
	}
	return n
}

func fileText(pkg string, f, functions int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\ntype T%d struct{ sum int }\n", pkg, f)
	for i := range functions {
		head := fmt.Sprintf("// F%d_%d sums up.\nfunc F%[1]d_%[2]d(n int) int {\n\tsum := %[2]d\n", f, i)
		if i%2 == 1 {
			head = fmt.Sprintf("// M%[2]d sums up.\nfunc (t *T%[1]d) M%[2]d(n int) int {\n\tsum := t.sum\n", f, i)
		}
		fmt.Fprintf(&b, "\n%s\tfor j := range n {\n\t\tsum += j * %d\n\t}\n\treturn sum\n}\n", head, i)
	}
	return b.String()
}

func testName(t int) string { return fmt.Sprintf("TestPart%d", t) }

// testText is the file of a package's tests; each test calls its share of the
// functions.
func testText(pkg string, files, functions int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"testing\"\n", pkg)
	for t := range testsInPackage {
		fmt.Fprintf(&b, "\nfunc %s(t *testing.T) {\n\tsum := 0\n", testName(t))
		for f := range files {
			for i := t; i < functions; i += testsInPackage {
				if i%2 == 1 {
					fmt.Fprintf(&b, "\tsum += new(T%d).M%d(100)\n", f, i)
				} else {
					fmt.Fprintf(&b, "\tsum += F%d_%d(100)\n", f, i)
				}
			}
		}
		b.WriteString("\tif sum < 0 {\n\t\tt.Error(sum)\n\t}\n}\n")
	}
	return b.String()
}
