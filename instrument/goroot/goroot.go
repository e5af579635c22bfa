// Package goroot makes the files of the standard library that an instrumented build has in
// place of the installed ones: package runtime with the probe in it, package syscall, which
// tells it of each system call, and package testing, which says what test is running. It edits texts; it writes nothing, and builds nothing.
package goroot

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/instrument/rewrite"
	"spell-lsp/spell/regularfile"
)

// An edit inserts text into one function or type of the standard library. The place is
// found in the syntax tree; if it is not found, the source of this Go release differs from
// those that are known.
type edit struct {
	file, decl string
	place      func(decl ast.Node) token.Pos // NoPos where the declaration has no such place
	what       string
}

// The runtime gives each goroutine the probe's state and tells the probe when
// it runs.
var runtimeEdits = []edit{
	{"runtime/runtime2.go", "g", structEnd, "spell spellG "},
	{"runtime/runtime2.go", "m", structEnd, "spell spellM "},
	{"runtime/runtime2.go", "p", structEnd, "spell spellP "},
	{"runtime/proc.go", "main", bodyStart, " spellAttach();"},
	{"runtime/proc.go", "main", beforeAssign("maxstackceiling"), "spellStack(); "},
	{"runtime/proc.go", "main", beforeAssign("fn"), "spellBeforeMain(); "},
	{"runtime/rdebug.go", "setMaxStack", bodyStart, " if in >= 0 { return spellSetMaxStack(in) };"},
	{"runtime/stack.go", "newstack", ifBody("newsize > maxstacksize || newsize > maxstackceiling"), " spellOverflow();"},
	{"runtime/proc.go", "(*p).destroy", bodyStart, " pp.spell.allocs = spellCountdown{};"},
	{"runtime/proc.go", "newproc1", afterAssign("newg.startpc"), "; spellNew(newg, callergp)"},
	{"runtime/proc.go", "wirep", afterAssign("pp.status"), "; if spellTable != nil { spellWire(pp) }"},
	{"runtime/proc.go", "execute", bodyStart, " if spellSampling { spellThread(getg().m) };"},
	{"runtime/proc.go", "mexit", bodyStart, " spellThreadEnds(getg().m);"},
	{"runtime/signal_unix.go", "sighandler", bodyStart, " if spellSignal(sig, info, ctxt, gp) { return };"},
	{"runtime/preempt.go", "isAsyncSafePoint", afterAssign("f"), "; if spellTable != nil && f.valid() && spellWithin(f, pc) { return false, 0 }"},
	// The first collection starts the collector's goroutines, and waits for each through a channel.
	{"runtime/mgc.go", "gcBgMarkStartWorkers", bodyStart, " defer spellServe(spellServes());"},
	{"runtime/malloc.go", "profilealloc", bodyStart, " if spellTable != nil && !spellCountedDown(mp, size) { return };"},
	{"runtime/malloc.go", "profilealloc", afterAssign("c.nextSample"), "; if spellTable != nil { spellHeapSampled(mp, c) }"},
	{"runtime/proc.go", "casgstatus", bodyStart, " if spellTable != nil { spellStatus(gp, oldval, newval) };"},
	{"runtime/proc.go", "casGToPreemptScan", bodyStart, " if spellTable != nil { spellStatus(gp, old, new) };"},
	{"runtime/proc.go", "reentersyscall", bodyStart, " if spellTable != nil { spellStatus(getg(), _Grunning, _Gsyscall) };"},
	{"runtime/proc.go", "exitsyscall", bodyStart, " if spellTable != nil { spellSyscallEnds(getg()) };"},
	// The fast path of iter.Pull changes the status without casgstatus.
	{"runtime/coro.go", "coroswitch_m", afterAssign("canCAS"), "; canCAS = spellTable == nil"},
	// All that moves bytes passes here: packages os, net, internal/poll and x/sys/unix.
	{"syscall/syscall_linux.go", "Syscall", afterCall("runtime_entersyscall"), "; spellCallBegins(trap, a1)"},
	{"syscall/syscall_linux.go", "Syscall", firstCall("runtime_exitsyscall"), "spellCallEnds(trap, a2, a3, 0, 0, r1); "},
	{"syscall/syscall_linux.go", "Syscall", afterCall("runtime_exitsyscall"), "; spellCalled(trap, a1, a2, a3, r1, uintptr(err))"},
	{"syscall/syscall_linux.go", "Syscall6", afterCall("runtime_entersyscall"), "; spellCallBegins(trap, a1)"},
	{"syscall/syscall_linux.go", "Syscall6", firstCall("runtime_exitsyscall"), "spellCallEnds(trap, a2, a3, a4, a5, r1); "},
	{"syscall/syscall_linux.go", "Syscall6", afterCall("runtime_exitsyscall"), "; spellCalled(trap, a1, a2, a3, r1, uintptr(err))"},
	// What a process that is measured starts.
	{"syscall/exec_unix.go", "forkExec", bodyStart, " argv0, argv = spellStart(argv0, argv, attr);"},
}

// Package testing tells which test is running.
var testingEdits = []edit{
	{"testing/testing.go", "MainStart", bodyStart, " spellStart();"},
	{"testing/testing.go", "(*M).Run", bodyStart, " spellRun(); defer spellRan();"},
	{"testing/testing.go", "tRunner", bodyStart, " spellStartTest(t.name);"},
	{"testing/testing.go", "tRunner", firstCall("release"), "spellLeave(&t.common); "},
	{"testing/testing.go", "tRunner", lastCall("release"), "spellClosed(&t.common); spellLeave(&t.common); "},
	{"testing/testing.go", "tRunner", beforeAssign("cleanupStart"), "spellCleanup(t); "},
	{"testing/testing.go", "tRunner", firstCall("report"), "spellEnd(&t.common); "},
	{"testing/testing.go", "(*T).Parallel", beforeSend, "spellLeave(&t.common); "},
	{"testing/testing.go", "(*T).Parallel", afterCall("waitParallel"), "; spellBegin(t.name)"},
	{"testing/fuzz.go", "fRunner", bodyStart, " spellStartTest(f.name);"},
	{"testing/fuzz.go", "fRunner", firstCall("release"), "spellLeave(&f.common); "},
	{"testing/fuzz.go", "fRunner", beforeAssign("cleanupStart"), "spellBegin(f.name); "},
	{"testing/fuzz.go", "fRunner", firstCall("report"), "spellEnd(&f.common); "},
	{"testing/testing.go", "common", structEnd, "spellExits int "},
	{"testing/testing.go", "(*common).FailNow", afterAssign("c.finished"), "; c.spellExits++"},
	{"testing/testing.go", "(*common).SkipNow", afterAssign("c.finished"), "; c.spellExits++"},
	{"testing/benchmark.go", "B", structEnd, "spell, spellBefore uint64; spellTimed, spellBusy, spellReturned, spellCleaned bool; spellStops, spellExitsBefore int "},
	{"testing/benchmark.go", "(*B).runN", bodyStart, " defer spellBenchmarkRan(b);"},
	{"testing/benchmark.go", "(*B).runN", beforeAssign("b.N"), "spellBenchmark(b); "},       // what earlier runs left is collected by then
	{"testing/benchmark.go", "(*B).runN", firstCall("benchFunc"), "spellTimerStarted(b); "}, // it may be on already
	{"testing/benchmark.go", "(*B).runN", afterCall("benchFunc"), "; b.spellReturned = true"},
	{"testing/benchmark.go", "(*B).runN", firstCall("runCleanup"), "spellCleaning(b); "},
	{"testing/benchmark.go", "(*B).runN", afterCall("checkRaces"), "; b.spellCleaned = true"},
	{"testing/benchmark.go", "(*B).StartTimer", beforeAssign("b.start"), "spellTimerStarted(b); "}, // the benchmark's own time is without it
	{"testing/benchmark.go", "(*B).StopTimer", afterAssign("b.duration"), "; spellTimerStopped(b)"},
	{"testing/benchmark.go", "(*B).ResetTimer", bodyStart, " spellTimerReset(b);"},
	{"testing/benchmark.go", "(*B).Run", bodyStart, " defer spellSubbenchmark(b)();"},
	{"testing/run_example.go", "runExample", bodyStart, " spellStartTest(eg.Name); defer func() { spellEndExample(eg.Name, ok) }();"},
}

// The probe is in package runtime, or in a package of its own if the runtime cannot be
// edited.
const (
	runtimeProbe = "runtime"
	plainProbe   = "spell_lsp_probe"
)

// knownRuntimes are the Go releases that the edits of the runtime are tested on. On
// others they could compile and still be wrong.
var knownRuntimes = []string{"go1.25", "go1.26"}

// Files are the edited and added files of the standard library.
type Files struct {
	Texts    map[string][]byte // by absolute path
	Probe    string            // import path of the package of the probe
	Fallback string            // why the runtime is not edited; "" if it is
}

// Edit edits the standard library of a Go release, such as go1.26.8, that is installed in
// dir. If its runtime is not a known one, or plain is set, the runtime stays as it is.
func Edit(dir, version string, plain bool) (*Files, error) {
	f := &Files{Probe: runtimeProbe}
	switch {
	case plain:
		f.Fallback = "it was asked to leave the runtime as it is"
	case !slices.Contains(knownRuntimes, release(version)):
		f.Fallback = fmt.Sprintf("the runtime of %s is not known", version)
	default:
		if err := f.edit(dir, runtimeEdits); err != nil {
			f.Fallback = err.Error()
		}
	}
	own := map[string][]string{"runtime": {"runtime", "calibration"}, "syscall": {"syscall"}, "testing": {"testing"}}
	if f.Fallback != "" {
		f.Probe, f.Texts = plainProbe, nil
		own = map[string][]string{"runtime": {"runtime_plain"}, "testing": {"testing"}, plainProbe: {plainProbe, "calibration"}}
	}
	if err := f.edit(dir, testingEdits); err != nil {
		return nil, err
	}
	for pkg, folders := range own {
		for _, sources := range folders {
			if err := f.add(dir, pkg, sources); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// release is a version without its patch number: go1.26 for go1.26.8.
func release(version string) string {
	version, _, _ = strings.Cut(version, " ")
	if major, rest, ok := strings.Cut(version, "."); ok {
		minor, _, _ := strings.Cut(rest, ".")
		return major + "." + minor
	}
	return version
}

// edit applies the edits, all or none.
func (f *Files) edit(dir string, edits []edit) error {
	files := maps.Clone(f.Texts)
	if files == nil {
		files = make(map[string][]byte)
	}
	var names []string // in the order of the edits
	of := make(map[string][]edit)
	for _, e := range edits {
		if of[e.file] == nil {
			names = append(names, e.file)
		}
		of[e.file] = append(of[e.file], e)
	}
	for _, file := range names {
		path := filepath.Join(dir, "src", filepath.FromSlash(file))
		content, ok := files[path]
		if !ok {
			var err error
			if content, err = regularfile.Read(path, regularfile.MaxSource); err != nil {
				return fmt.Errorf("reading the standard library: %w", err)
			}
		}
		edited, err := apply(of[file], content)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		files[path] = edited
	}
	f.Texts = files
	return nil
}

// add adds files of the probe to a package.
func (f *Files) add(dir, pkg, sources string) error {
	entries, err := probe.Sources.ReadDir("_" + sources)
	if err != nil {
		return err
	}
	syscalls := "internal/runtime/syscall/linux"
	if _, err := os.Stat(filepath.Join(dir, "src", syscalls)); err != nil {
		syscalls = "internal/runtime/syscall" // up to Go 1.25
	}
	for _, e := range entries {
		content, err := probe.Sources.ReadFile("_" + sources + "/" + e.Name())
		if err != nil {
			return err
		}
		content = bytes.ReplaceAll(content, []byte("probe_package"), []byte(f.Probe))
		content = bytes.ReplaceAll(content, []byte("syscall_package"), []byte(syscalls))
		f.Texts[filepath.Join(dir, "src", pkg, e.Name())] = content
	}
	return nil
}

// apply applies the edits of a file.
func apply(edits []edit, src []byte) ([]byte, error) {
	out := rewrite.NewText(src)
	for _, e := range edits {
		decl, start := declaration(src, e.decl)
		at := token.NoPos
		if decl != nil {
			at = e.place(decl)
		}
		if !at.IsValid() {
			return nil, fmt.Errorf("this version's %s has not the shape that spell-lsp knows", e.decl)
		}
		out.Insert(start+int(at), e.what)
	}
	return out.Bytes(), nil
}

// declaration finds a type, function, or method, such as (*T).M; nil if there is none. A position in
// it, added to start, is an offset in src. Nothing else is parsed, as proc.go has 8,000 lines: gofmt
// begins and ends a declaration at the beginning of a line.
func declaration(src []byte, name string) (decl ast.Node, start int) {
	const header = "package p;"
	begins := []string{"\nfunc " + name + "(", "\ntype " + name + " "}
	if receiver, method, ok := strings.Cut(name, ")."); ok {
		begins = []string{" " + receiver[1:] + ") " + method + "("}
	}
	for _, begin := range begins {
		at := bytes.Index(src, []byte(begin))
		if at < 0 {
			continue
		}
		from := bytes.LastIndexByte(src[:at+1], '\n') + 1
		text, _, _ := bytes.Cut(src[from:], []byte("\n}\n"))
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", slices.Concat([]byte(header), text, []byte("\n}\n")), parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		return declared(file, name), from - len(header) - fset.File(file.FileStart).Base()
	}
	return nil, 0
}

// declared is the declaration of that name in a file; nil if there is none.
func declared(file *ast.File, name string) ast.Node {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if qualified(d) == name {
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
	return nil
}

func qualified(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return "(" + types.ExprString(d.Recv.List[0].Type) + ")." + d.Name.Name
}

func bodyStart(decl ast.Node) token.Pos {
	if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
		return f.Body.Lbrace + 1
	}
	return token.NoPos
}

// ifBody is the position after the opening brace of the first if statement with that
// condition.
func ifBody(condition string) func(ast.Node) token.Pos {
	return func(decl ast.Node) token.Pos {
		return first(find(decl, func(n ast.Node) token.Pos {
			if stmt, ok := n.(*ast.IfStmt); ok && types.ExprString(stmt.Cond) == condition {
				return stmt.Body.Lbrace + 1
			}
			return token.NoPos
		}))
	}
}

func structEnd(decl ast.Node) token.Pos {
	if s, ok := decl.(*ast.TypeSpec); ok {
		if s, ok := s.Type.(*ast.StructType); ok {
			return s.Fields.Closing
		}
	}
	return token.NoPos
}

// find lists the valid positions that place returns for the nodes of decl, in source
// order.
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

// firstCall is the position before the first statement that calls a function or method of that
// name, lastCall before the last one, afterCall after the first one.
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
			if call, ok := stmt.X.(*ast.CallExpr); ok && calledName(call) == method {
				return side(stmt)
			}
		}
		return token.NoPos
	}
}

// calledName is the name of the function or method that is called; "" of any other value.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func beforeSend(decl ast.Node) token.Pos {
	return first(find(decl, func(n ast.Node) token.Pos {
		if _, ok := n.(*ast.SendStmt); ok {
			return n.Pos()
		}
		return token.NoPos
	}))
}

// beforeAssign is the position before the first statement that assigns or defines a
// variable, afterAssign the one after it.
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
			if to := types.ExprString(set.Lhs[0]); to == variable {
				return side(set)
			}
		}
		return token.NoPos
	}
}
