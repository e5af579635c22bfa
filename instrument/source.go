package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"spell-lsp/spell/gosource"
)

// probeImport is the import path of the probe, which an overlay adds to GOROOT.
const probeImport = "spell_lsp_probe"

// A sourceFile is a Go file of the module that is measured.
type sourceFile struct {
	path  string
	src   []byte
	fset  *token.FileSet
	ast   *ast.File
	funcs []gosource.Func
}

func parseSource(path string, src []byte) (*sourceFile, error) {
	f := &sourceFile{path: path, src: src, fset: token.NewFileSet()}
	var err error
	f.ast, err = parser.ParseFile(f.fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing: %w", err)
	}
	f.funcs = gosource.Functions(f.fset, f.ast, src)
	return f, nil
}

// instrumented returns the file with probes. The function f.funcs[i] is
// component ids[i]; where that is 0, it is left as it is.
// The probe is imported as name.
func (f *sourceFile) instrumented(ids []uint32, name string) []byte {
	out := text{src: f.src}
	out.insert(f.offset(f.ast.Name.End()), fmt.Sprintf("; import %s %q", name, probeImport))
	for i, fn := range f.funcs {
		if ids[i] == 0 {
			continue
		}
		out.insert(f.offset(fn.Body.Lbrace)+1, probeCall(name, "Enter", ids[i]))
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				out.insert(f.offset(lit.Body.Lbrace)+1, probeCall(name, "Literal", ids[i]))
			}
			return true
		})
	}
	return out.bytes()
}

// probeCall is the statement that goes behind an opening brace. A deferred
// call sees every way out: return, panic and Goexit.
func probeCall(name, enter string, id uint32) string {
	return fmt.Sprintf("defer %s.Exit(%s.%s(%d));", name, name, enter, id)
}

func (f *sourceFile) offset(pos token.Pos) int { return f.fset.File(f.ast.FileStart).Offset(pos) }

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
	name := "_" + probeImport
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
