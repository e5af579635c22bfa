package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
)

// Probes say what a file gets.
type Probes struct {
	Rows    []uint32             // of the functions in the file; 0 for one that stays as it is
	Inlines func(token.Pos) bool // the compiler can inline the function, or literal, that it says is there
	Name    string               // of the import
	Path    string
	// Blocks of the function with that index have probes too, where it is not nil. The
	// first has the row FirstBlock, the others follow.
	Blocks     *Blocks
	Function   int
	FirstBlock uint32
}

// Instrument returns the text of the file with probes.
//
// A function is timed, with a deferred call, which sees every way out: return,
// panic and Goexit; or it is counted only.
func (f *File) Instrument(p Probes) []byte {
	out := NewText(f.src)
	out.Insert(f.offset(f.ast.Name.End()), fmt.Sprintf("; import %s %q", p.Name, p.Path))
	for i, fn := range f.Funcs {
		row := p.Rows[i]
		if row == 0 {
			continue
		}
		before, enter := f.enter(&f.Funcs[i], &p, row)
		probe := before + p.timed(enter)
		if f.CountedOnly(i, p.Inlines) {
			probe = fmt.Sprintf("%s.SpellCount(%d);", p.Name, row)
		} else if fn.Decl != nil {
			probe += f.freeResults(out, p.Name, fn.Decl.Type, fn.Body)
		}
		out.Insert(f.offset(fn.Body.Lbrace)+1, probe)
		for _, lit := range timedLiterals(fn.Body, p.Inlines) {
			out.Insert(f.offset(lit.Body.Lbrace)+1, p.timed(fmt.Sprintf("%s.SpellLiteral(%d)", p.Name, row))+f.freeResults(out, p.Name, lit.Type, lit.Body))
		}
	}
	if p.Blocks != nil {
		p.Blocks.insert(out, p.Name, p.Rows[p.Function], p.FirstBlock)
	}
	return out.Bytes()
}

func (p *Probes) timed(enter string) string {
	return fmt.Sprintf("defer %s.SpellExit(%s);", p.Name, enter)
}

// FuncPos is the position that the compiler reports for f.Funcs[i]: its receiver, its
// name if it has no receiver, or the keyword func of a literal.
func (f *File) FuncPos(i int) token.Pos {
	if d := f.Funcs[i].Decl; d != nil && d.Recv != nil {
		return d.Recv.Opening
	}
	return f.fset.File(f.ast.FileStart).Pos(f.Funcs[i].Start.Offset)
}

// CountedOnly reports whether f.Funcs[i] is only counted, not timed.
func (f *File) CountedOnly(i int, inlines func(token.Pos) bool) bool {
	return countedOnly(f.Funcs[i].Body, f.FuncPos(i), inlines)
}

// The compiler open-codes the deferred calls of a function with at most so many of them, and so
// many times its returns (maxOpenDefers in cmd/compile/internal/walk, and hasOpenDefers in
// cmd/compile/internal/ssagen). In others the runtime runs them.
const (
	maxOpenDefers  = 8
	maxOpenReturns = 15
)

// Defers reports whether the runtime would run deferred calls of f.Funcs[i], or of one of its
// literals, without a probe too.
func (f *File) Defers(i int) bool { return runsDefers(f.Funcs[i].Body) }

func runsDefers(body *ast.BlockStmt) bool {
	defers, returns, loops, found := 0, 1, 0, false // the end is a return
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || runsDefers(n.Body)
			return false
		case *ast.ForStmt:
			loops++
			ast.Inspect(n.Body, inspect)
			loops--
			return false
		case *ast.RangeStmt:
			loops++
			ast.Inspect(n.Body, inspect)
			loops--
			return false
		case *ast.DeferStmt:
			defers++
			found = found || loops > 0
		case *ast.ReturnStmt:
			returns++
		}
		return true
	}
	ast.Inspect(body, inspect)
	return found || defers > maxOpenDefers || defers*returns > maxOpenReturns
}

// countedOnly reports whether a function or literal is only counted. With a timed probe,
// the compiler would not inline it any more, and an inlined function takes less time than
// two time stamps. With a loop it may run for long, though, and at a channel it may wait.
func countedOnly(body *ast.BlockStmt, at token.Pos, inlines func(token.Pos) bool) bool {
	if !inlines(at) {
		return false
	}
	long := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SendStmt:
			long = true
		case *ast.UnaryExpr:
			long = long || n.Op == token.ARROW
		case *ast.FuncLit:
			return false
		}
		return !long
	})
	return !long
}

// timedLiterals lists the literals of a function whose time has to be taken.
// One that is called where it stands, or deferred, runs within its function,
// which has a probe or is on the stack when a sample is taken; one that the
// compiler inlines is not worth a probe. Where a goroutine starts with it, no
// function is below it.
func timedLiterals(body *ast.BlockStmt, inlines func(token.Pos) bool) []*ast.FuncLit {
	var timed []*ast.FuncLit
	started, within := make(map[ast.Expr]bool), make(map[ast.Expr]bool)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			started[ast.Unparen(n.Call.Fun)] = true
		case *ast.CallExpr:
			within[ast.Unparen(n.Fun)] = true // also of defer
		case *ast.FuncLit:
			if started[n] || !within[n] && !countedOnly(n.Body, n.Pos(), inlines) {
				timed = append(timed, n)
			}
		}
		return true
	})
	return timed
}
