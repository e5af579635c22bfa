package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"

	"spell-lsp/instrument/probe"
)

// A gorootEdit inserts text into one function, or type, of the standard
// library. The place is found in the syntax tree; where it is not found, the
// Go version has another shape than the ones that are known.
type gorootEdit struct {
	file, decl string
	place      func(ast.Node) token.Pos // within the declaration; NoPos to look on
	what       string
}

// The runtime gives each goroutine the probe's state and tells the probe when
// it runs; package testing tells it which test is running.
var gorootEdits = []gorootEdit{
	{"runtime/runtime2.go", "g", structEnd, "spell spellG "},
	{"runtime/proc.go", "main", bodyStart, " spellAttach();"},
	{"runtime/proc.go", "casgstatus", bodyStart, " if spellTable != nil { spellStatus(gp, oldval, newval) };"},
	{"runtime/proc.go", "casGToPreemptScan", bodyStart, " if spellTable != nil { spellStatus(gp, old, new) };"},
	// The fast path of iter.Pull changes the status without casgstatus.
	{"runtime/coro.go", "coroswitch_m", afterDefine("canCAS"), "; canCAS = spellTable == nil"},

	{"testing/testing.go", "MainStart", bodyStart, " spellStart();"},
	{"testing/testing.go", "tRunner", bodyStart, " spellBegin(t.name);"},
	{"testing/testing.go", "tRunner", beforeCall("t", "report"), "spellEnd(&t.common); "},
	{"testing/testing.go", "Parallel", beforeSend, "spellPause(&t.common); "},
	{"testing/testing.go", "Parallel", afterCall("waitParallel"), "; spellBegin(t.name)"},
	{"testing/fuzz.go", "fRunner", bodyStart, " spellBegin(f.name);"},
	{"testing/fuzz.go", "fRunner", beforeCall("f", "report"), "spellEnd(&f.common); "},
	{"testing/benchmark.go", "runN", bodyStart, " defer spellBenchmark(b)();"},
	{"testing/run_example.go", "runExample", bodyStart, " spellBegin(eg.Name); defer func() { spellEndExample(eg.Name, ok) }();"},
}

// gorootFiles returns the files of the standard library that an instrumented
// build replaces or adds, by their absolute paths.
func gorootFiles(goroot string) (map[string][]byte, error) {
	src := filepath.Join(goroot, "src")
	files := make(map[string][]byte)
	for _, e := range gorootEdits {
		path := filepath.Join(src, filepath.FromSlash(e.file))
		content, ok := files[path]
		if !ok {
			var err error
			if content, err = os.ReadFile(path); err != nil {
				return nil, fmt.Errorf("reading the standard library: %w", err)
			}
		}
		edited, err := e.apply(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files[path] = edited
	}
	for _, pkg := range []string{"runtime", "testing", "spellprobe"} {
		entries, err := probe.Sources.ReadDir("_" + pkg)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			content, err := probe.Sources.ReadFile("_" + pkg + "/" + e.Name())
			if err != nil {
				return nil, err
			}
			files[filepath.Join(src, pkg, e.Name())] = content
		}
	}
	return files, nil
}

func (e *gorootEdit) apply(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, e.file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := token.NoPos
	ast.Inspect(declaration(file, e.decl), func(n ast.Node) bool {
		if n != nil && !at.IsValid() {
			at = e.place(n)
		}
		return !at.IsValid()
	})
	if !at.IsValid() {
		return nil, fmt.Errorf("this version's %s has not the shape that spell-lsp knows: use a Go release that README.md lists", e.decl)
	}
	out := text{src: src}
	out.insert(fset.File(file.FileStart).Offset(at), e.what)
	return out.bytes(), nil
}

// declaration finds a function, method or type by its name alone; nil if
// there is none.
func declaration(file *ast.File, name string) ast.Node {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == name {
				return d
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == name {
					return s
				}
			}
		}
	}
	return file.Name // holds no place
}

func bodyStart(n ast.Node) token.Pos {
	if f, ok := n.(*ast.FuncDecl); ok && f.Body != nil {
		return f.Body.Lbrace + 1
	}
	return token.NoPos
}

func structEnd(n ast.Node) token.Pos {
	if s, ok := n.(*ast.StructType); ok {
		return s.Fields.Closing
	}
	return token.NoPos
}

func beforeCall(receiver, method string) func(ast.Node) token.Pos {
	return func(n ast.Node) token.Pos {
		if x, m := methodCall(n); m == method && x == receiver {
			return n.Pos()
		}
		return token.NoPos
	}
}

func afterCall(method string) func(ast.Node) token.Pos {
	return func(n ast.Node) token.Pos {
		if _, m := methodCall(n); m == method {
			return n.End()
		}
		return token.NoPos
	}
}

// methodCall takes a statement x.m(...) or a.b.x.m(...) apart.
func methodCall(n ast.Node) (receiver, method string) {
	stmt, ok := n.(*ast.ExprStmt)
	if !ok {
		return "", ""
	}
	call, ok := stmt.X.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		receiver = x.Name
	}
	return receiver, sel.Sel.Name
}

func beforeSend(n ast.Node) token.Pos {
	if _, ok := n.(*ast.SendStmt); ok {
		return n.Pos()
	}
	return token.NoPos
}

func afterDefine(variable string) func(ast.Node) token.Pos {
	return func(n ast.Node) token.Pos {
		def, ok := n.(*ast.AssignStmt)
		if !ok || def.Tok != token.DEFINE {
			return token.NoPos
		}
		if id, ok := def.Lhs[0].(*ast.Ident); ok && id.Name == variable {
			return def.End()
		}
		return token.NoPos
	}
}
