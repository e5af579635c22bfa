package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"

	"spell-lsp/instrument/probe"
)

// A gorootEdit inserts text into one function, or type, of the standard
// library. The place is found in the syntax tree; where it is not found, the
// Go version has another shape than the ones that are known.
type gorootEdit struct {
	file, decl string
	place      func(decl ast.Node) token.Pos // NoPos where the declaration has no such place
	what       string
}

// The runtime gives each goroutine the probe's state and tells the probe when
// it runs; package testing tells it which test is running.
var gorootEdits = []gorootEdit{
	{"runtime/runtime2.go", "g", structEnd, "spell spellG "},
	{"runtime/runtime2.go", "m", structEnd, "spell spellM "},
	{"runtime/proc.go", "main", bodyStart, " spellAttach();"},
	{"runtime/proc.go", "main", beforeAssign("maxstackceiling"), "spellStack(); "},
	{"runtime/proc.go", "casgstatus", bodyStart, " if spellTable != nil { spellStatus(gp, oldval, newval) };"},
	{"runtime/proc.go", "casGToPreemptScan", bodyStart, " if spellTable != nil { spellStatus(gp, old, new) };"},
	{"runtime/proc.go", "reentersyscall", bodyStart, " if spellTable != nil { spellStatus(getg(), _Grunning, _Gsyscall) };"},
	{"runtime/proc.go", "exitsyscall", bodyStart, " if spellTable != nil { spellSyscallEnds(getg()) };"},
	// The fast path of iter.Pull changes the status without casgstatus.
	{"runtime/coro.go", "coroswitch_m", afterAssign("canCAS"), "; canCAS = spellTable == nil"},

	{"testing/testing.go", "MainStart", bodyStart, " spellStart();"},
	{"testing/testing.go", "tRunner", bodyStart, " spellBegin(t.name);"},
	{"testing/testing.go", "tRunner", firstCall("release"), "spellLeave(&t.common); "},
	{"testing/testing.go", "tRunner", lastCall("release"), "spellLeave(&t.common); "},
	{"testing/testing.go", "tRunner", beforeAssign("cleanupStart"), "spellCleanup(t); "},
	{"testing/testing.go", "tRunner", firstCall("report"), "spellEnd(&t.common); "},
	{"testing/testing.go", "Parallel", beforeSend, "spellLeave(&t.common); "},
	{"testing/testing.go", "Parallel", afterCall("waitParallel"), "; spellBegin(t.name)"},
	{"testing/fuzz.go", "fRunner", bodyStart, " spellBegin(f.name);"},
	{"testing/fuzz.go", "fRunner", firstCall("release"), "spellLeave(&f.common); "},
	{"testing/fuzz.go", "fRunner", beforeAssign("cleanupStart"), "spellBegin(f.name); "},
	{"testing/fuzz.go", "fRunner", firstCall("report"), "spellEnd(&f.common); "},
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
	for _, pkg := range []string{"runtime", "testing", probeImport} {
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
	at := e.place(declaration(file, e.decl))
	if !at.IsValid() {
		return nil, fmt.Errorf("this version's %s has not the shape that spell-lsp knows: use a Go release that README.md lists", e.decl)
	}
	out := text{src: src}
	out.insert(fset.File(file.FileStart).Offset(at), e.what)
	return out.bytes(), nil
}

// declaration finds a function, method or type by its name alone. Without it
// the file's name stands for it, in which no place is found.
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
	return file.Name
}

func bodyStart(decl ast.Node) token.Pos {
	if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
		return f.Body.Lbrace + 1
	}
	return token.NoPos
}

func structEnd(decl ast.Node) token.Pos {
	if s, ok := decl.(*ast.TypeSpec); ok {
		if s, ok := s.Type.(*ast.StructType); ok {
			return s.Fields.Closing
		}
	}
	return token.NoPos
}

// find lists the places within decl that place knows, in the order of the
// source.
func find(decl ast.Node, place func(ast.Node) token.Pos) []token.Pos {
	var found []token.Pos
	ast.Inspect(decl, func(n ast.Node) bool {
		if n != nil {
			if at := place(n); at.IsValid() {
				found = append(found, at)
			}
		}
		return true
	})
	return found
}

func first(at []token.Pos) token.Pos {
	if len(at) == 0 {
		return token.NoPos
	}
	return at[0]
}

// firstCall is before the first statement that calls a method of that name,
// lastCall before the last, afterCall behind the first.
func firstCall(method string) func(ast.Node) token.Pos {
	return func(decl ast.Node) token.Pos { return first(find(decl, callOf(method, ast.Node.Pos))) }
}

func lastCall(method string) func(ast.Node) token.Pos {
	return func(decl ast.Node) token.Pos {
		found := find(decl, callOf(method, ast.Node.Pos))
		slices.Reverse(found)
		return first(found)
	}
}

func afterCall(method string) func(ast.Node) token.Pos {
	return func(decl ast.Node) token.Pos { return first(find(decl, callOf(method, ast.Node.End))) }
}

func callOf(method string, side func(ast.Node) token.Pos) func(ast.Node) token.Pos {
	return func(n ast.Node) token.Pos {
		if stmt, ok := n.(*ast.ExprStmt); ok {
			if call, ok := stmt.X.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == method {
					return side(stmt)
				}
			}
		}
		return token.NoPos
	}
}

func beforeSend(decl ast.Node) token.Pos {
	return first(find(decl, func(n ast.Node) token.Pos {
		if _, ok := n.(*ast.SendStmt); ok {
			return n.Pos()
		}
		return token.NoPos
	}))
}

// beforeAssign is before the first statement that sets or defines a variable,
// afterAssign behind it.
func beforeAssign(variable string) func(ast.Node) token.Pos {
	return func(decl ast.Node) token.Pos {
		return first(find(decl, assignmentOf(variable, ast.Node.Pos)))
	}
}

func afterAssign(variable string) func(ast.Node) token.Pos {
	return func(decl ast.Node) token.Pos {
		return first(find(decl, assignmentOf(variable, ast.Node.End)))
	}
}

func assignmentOf(variable string, side func(ast.Node) token.Pos) func(ast.Node) token.Pos {
	return func(n ast.Node) token.Pos {
		if set, ok := n.(*ast.AssignStmt); ok {
			if id, ok := set.Lhs[0].(*ast.Ident); ok && id.Name == variable {
				return side(set)
			}
		}
		return token.NoPos
	}
}
