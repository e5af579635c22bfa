package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"spell-lsp/spell/gosource"
)

// A sourceFile is a Go file of the module that is measured.
type sourceFile struct {
	index int // in the package
	path  string
	src   []byte
	fset  *token.FileSet // of the package
	ast   *ast.File
	funcs []gosource.Func
}

func parseSource(path string, src []byte) (*sourceFile, error) {
	return parseInto(token.NewFileSet(), path, src)
}

// parseInto parses a file of a package, all of whose files are in fset.
func parseInto(fset *token.FileSet, path string, src []byte) (*sourceFile, error) {
	parsed, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing: %w", err)
	}
	return &sourceFile{path: path, src: src, fset: fset, ast: parsed, funcs: gosource.Functions(fset, parsed, src)}, nil
}

func (f *sourceFile) offset(pos token.Pos) int { return f.fset.File(f.ast.FileStart).Offset(pos) }

// usesC says that the compiler is given what cgo made of the file.
func (f *sourceFile) usesC() bool {
	for _, spec := range f.ast.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// probeName is a name for the import of the probe that no file of a package
// uses, so that nothing in them can hide it, and it hides nothing.
func probeName(files []*sourceFile) string {
	used := make(map[string]bool)
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	name := "_spell_lsp_probe"
	for used[name] {
		name += "_"
	}
	return name
}

// unprobed says why a function cannot have a probe, or is "".
func unprobed(fn gosource.Func) string {
	if fn.Decl == nil || fn.Decl.Doc == nil {
		return ""
	}
	for _, c := range fn.Decl.Doc.List {
		directive, _, _ := strings.Cut(c.Text, " ")
		switch directive {
		case "//go:nosplit", "//go:systemstack", "//go:nowritebarrier", "//go:nowritebarrierrec":
			return "it is marked " + directive
		}
	}
	return ""
}
