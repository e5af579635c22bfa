package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// pure are the functions of the standard library whose result depends on nothing but arguments that
// cannot change, and is a value that cannot change either.
var pure = map[string]bool{
	"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true,
	"strconv.Itoa": true, "strconv.FormatInt": true, "strconv.FormatUint": true, "strconv.FormatFloat": true, "strconv.FormatBool": true, "strconv.Quote": true,
	"strings.ToUpper": true, "strings.ToLower": true, "strings.ToTitle": true, "strings.TrimSpace": true, "strings.Trim": true, "strings.TrimLeft": true,
	"strings.TrimRight": true, "strings.TrimPrefix": true, "strings.TrimSuffix": true, "strings.Replace": true, "strings.ReplaceAll": true,
	"strings.Count": true, "strings.Contains": true, "strings.ContainsAny": true, "strings.ContainsRune": true, "strings.Index": true, "strings.LastIndex": true,
	"strings.IndexByte": true, "strings.IndexAny": true, "strings.HasPrefix": true, "strings.HasSuffix": true, "strings.EqualFold": true, "strings.Compare": true,
	"path.Base": true, "path.Dir": true, "path.Clean": true, "path.Ext": true, "path.Join": true,
	"path/filepath.Base": true, "path/filepath.Dir": true, "path/filepath.Clean": true, "path/filepath.Ext": true, "path/filepath.Join": true, "path/filepath.ToSlash": true,
	"unicode/utf8.RuneCountInString": true, "html.EscapeString": true, "net/url.QueryEscape": true, "net/url.PathEscape": true,
}

// invariant finds calls in a loop that give the same value in each turn.
var invariant = analyzer("invariant", "calls whose result does not change in a loop", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !pure[c.callee(call)] || c.constant(call) != nil || slices.ContainsFunc(c.stack, c.invariantCall) {
		return
	}
	if loop := c.outermostInvariant(call); loop != nil {
		c.report(call, []string{c.callee(call)}, c.hoist(call, loop), "%s of the same value in each turn of the loop", c.callee(call))
	}
})

// invariantCall tells whether a node is a call that is reported as a whole.
func (c *cursor) invariantCall(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	return ok && pure[c.callee(call)] && c.outermostInvariant(call) != nil
}

// outermostInvariant is the outermost loop in which a call always has the same arguments.
func (c *cursor) outermostInvariant(call *ast.CallExpr) ast.Stmt {
	loops := c.loops(call)
	if len(loops) == 0 || !c.total(call) {
		return nil
	}
	shared := c.shared(loops[0])
	for _, loop := range loops {
		changed := c.changes(loop)
		maps.Copy(changed, shared)
		if c.around(loop, call) && !c.declares(loop, call) && !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return !c.same(e, changed) }) {
			return loop
		}
	}
	return nil
}

// total tells whether a call has a result for all values of its arguments, and calls no methods of them.
func (c *cursor) total(call *ast.CallExpr) bool {
	name := c.callee(call)
	if strings.HasPrefix(name, "fmt.") {
		return !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return !predeclared(c.TypesInfo.TypeOf(e)) })
	}
	if name == "strconv.FormatInt" || name == "strconv.FormatUint" || name == "strconv.FormatFloat" {
		return !slices.ContainsFunc(call.Args[1:], func(e ast.Expr) bool { return c.constant(e) == nil })
	}
	return true
}

// declares tells whether a loop declares something that an expression uses.
func (c *cursor) declares(loop ast.Stmt, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if object := c.TypesInfo.Uses[id]; object != nil && object.Pkg() == c.Pkg && loop.Pos() <= object.Pos() && object.Pos() <= loop.End() {
				found = true
			}
		}
		return !found
	})
	return found
}

// around tells whether a loop is around a node: one that was passed on the way to it is.
func (c *cursor) around(loop ast.Stmt, n ast.Node) bool {
	return loop.Pos() <= n.Pos() && n.End() <= loop.End()
}

// same tells whether an expression has the same value while the changed variables change.
func (c *cursor) same(e ast.Expr, changed map[*types.Var]bool) bool {
	if c.constant(e) != nil {
		return true
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := c.TypesInfo.ObjectOf(x).(*types.Var)
		return ok && !changed[v] && immutable(v.Type()) && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() // others may change a package's
	case *ast.BinaryExpr:
		return c.same(x.X, changed) && c.same(x.Y, changed)
	case *ast.CallExpr: // conversions and other pure calls
		if t := c.TypesInfo.Types[x.Fun]; t.IsType() && immutable(t.Type) && len(x.Args) == 1 && immutable(c.typeOf(x.Args[0])) {
			return c.same(x.Args[0], changed)
		}
		return pure[c.callee(x)] && c.total(x) && !slices.ContainsFunc(x.Args, func(e ast.Expr) bool { return !c.same(e, changed) })
	}
	return false
}

// hoist computes a call before a loop.
func (c *cursor) hoist(call *ast.CallExpr, loop ast.Stmt) []analysis.TextEdit {
	if !c.inList(loop) || c.jumps() {
		return nil
	}
	name := c.callee(call)
	fresh := c.fresh(lowerFirst(name[strings.LastIndexByte(name, '.')+1:]))
	return []analysis.TextEdit{
		{Pos: loop.Pos(), End: loop.Pos(), NewText: []byte(fresh + " := " + c.text(call) + "\n" + c.indent(loop))},
		{Pos: call.Pos(), End: call.End(), NewText: []byte(fresh)},
	}
}

// jumps tells whether the function has a goto, which must not jump over a declaration.
func (c *cursor) jumps() bool {
	found := false
	ast.Inspect(c.function(), func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.GOTO {
			found = true
		}
		return !found
	})
	return found
}

// concatenation finds strings that grow in a loop.
var concatenation = analyzer("concatenation", "strings that grow in a loop", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	v := c.root(s.Lhs[0])
	if b, ok := c.typeOf(s.Lhs[0]).(*types.Basic); v == nil || !ok || b.Info()&types.IsString == 0 {
		return
	}
	grows := s.Tok == token.ADD_ASSIGN
	if sum, ok := ast.Unparen(s.Rhs[0]).(*ast.BinaryExpr); s.Tok == token.ASSIGN && ok && sum.Op == token.ADD {
		grows = c.text(s.Lhs[0]) == c.text(leftmost(sum))
	}
	if loops := c.loops(s); grows && len(loops) > 0 && v.Pos() < loops[len(loops)-1].Pos() {
		c.report(s, nil, nil, "%s is copied whenever something is added to it", c.text(s.Lhs[0]))
	}
})

func leftmost(e ast.Expr) ast.Expr {
	for {
		sum, ok := ast.Unparen(e).(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			return ast.Unparen(e)
		}
		e = sum.X
	}
}

// sorting finds slices that are sorted in a loop that also adds to them.
var sorting = analyzer("sorting", "slices that are sorted after each append", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	if !sorts[c.callee(call)] || c.conditional() {
		return
	}
	sorted := call.Args[0]
	if conversion, ok := ast.Unparen(sorted).(*ast.CallExpr); ok && len(conversion.Args) == 1 { // sort.Sort(byName(list))
		sorted = conversion.Args[0]
	}
	v, loops := c.root(sorted), c.loops(call)
	if v == nil || len(loops) == 0 || v.Pos() > loops[len(loops)-1].Pos() || !c.appends(loops[len(loops)-1], v) {
		return
	}
	c.report(call, nil, nil, "%s is sorted whenever something is added to it", c.text(sorted))
})

// sorts are the functions that sort their first argument.
var sorts = map[string]bool{
	"sort.Strings": true, "sort.Ints": true, "sort.Float64s": true, "sort.Slice": true, "sort.SliceStable": true, "sort.Sort": true, "sort.Stable": true,
	"slices.Sort": true, "slices.SortFunc": true, "slices.SortStableFunc": true,
}

// conditional tells whether the node is only reached under a condition within its innermost loop.
func (c *cursor) conditional() bool {
	for i := len(c.stack) - 1; i >= 0; i-- {
		switch c.stack[i].(type) {
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return true
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncDecl, *ast.FuncLit:
			return false
		}
	}
	return false
}

// appends tells whether a node appends to a variable, or to what belongs to it.
func (c *cursor) appends(n ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			_, isAppend := c.builtin(s.Rhs[0], "append")
			found = found || isAppend && c.root(s.Lhs[0]) == v
		}
		return !found
	})
	return found
}

// waiting finds timers that a loop makes.
var waiting = analyzer("waiting", "timers that a loop makes", func(c *cursor, n ast.Node) {
	if call, ok := n.(*ast.CallExpr); ok && len(c.loops(call)) > 0 && slices.Contains([]string{"time.After", "time.Tick", "time.NewTimer"}, c.callee(call)) {
		c.report(call, nil, nil, "%s makes a timer in each turn of the loop", c.callee(call))
	}
})

// deferring finds deferred calls that pile up.
var deferring = analyzer("deferring", "deferred calls in a loop", func(c *cursor, n ast.Node) {
	if s, ok := n.(*ast.DeferStmt); ok && len(c.loops(s)) > 0 {
		c.report(s, nil, nil, "deferred calls pile up until the function returns")
	}
})

// spinning finds loops that ask again and again instead of waiting.
var spinning = analyzer("spinning", "loops that spin while they wait", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.ForStmt)
	if !ok || len(s.Body.List) != 1 {
		return
	}
	choice, ok := s.Body.List[0].(*ast.SelectStmt)
	if !ok {
		return
	}
	for _, clause := range choice.Body.List {
		if one := clause.(*ast.CommClause); one.Comm == nil && (len(one.Body) == 0 || c.yields(one.Body)) {
			c.report(s, nil, nil, "the loop spins while there is nothing to receive")
		}
	}
})

// yields tells whether statements only let others run.
func (c *cursor) yields(list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			branch, ok := s.(*ast.BranchStmt)
			return !ok || branch.Label != nil || branch.Tok == token.GOTO
		}
		call, ok := e.X.(*ast.CallExpr)
		return !ok || c.callee(call) != "runtime.Gosched"
	})
}

// recomputed finds calls that an inner loop makes for the same elements in each turn of the outer one.
var recomputed = analyzer("recomputed", "values that are computed again for the same elements", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !pure[c.callee(call)] || c.constant(call) != nil || c.outermostInvariant(call) != nil {
		return
	}
	loops := c.loops(call)
	if len(loops) < 2 || !c.ofElements(call, loops[len(loops)-2], loops[len(loops)-1]) {
		return
	}
	c.report(call, []string{c.callee(call)}, nil, "%s of the same elements in each turn of the outer loop", c.callee(call))
})

// ofElements tells whether the arguments of a call are elements that the inner loop goes through, of
// what is there before the outer loop.
func (c *cursor) ofElements(call *ast.CallExpr, outer, inner ast.Stmt) bool {
	elements, others, replaced := false, false, c.replaced(outer)
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, isVar := c.TypesInfo.Uses[id].(*types.Var)
			switch {
			case !isVar || v.IsField():
			case v.Pos() < outer.Pos():
				others = others || replaced[v]
			case c.stepsOf(inner, v, outer, replaced):
				elements = true
			default:
				others = true
			}
			return true
		})
	}
	return elements && !others
}

// replaced are the variables that a node sets as a whole; those of which it only sets elements hold the
// same ones in another order, more often than not.
func (c *cursor) replaced(n ast.Node) map[*types.Var]bool {
	set := make(map[*types.Var]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			for _, e := range s.Lhs {
				if _, element := ast.Unparen(e).(*ast.IndexExpr); !element && c.root(e) != nil {
					set[c.root(e)] = true
				}
			}
		}
		return true
	})
	return set
}

// stepsOf tells whether a variable is what a loop steps: its index, or the element of what was there
// before the outer loop and is not replaced in it.
func (c *cursor) stepsOf(loop ast.Stmt, v *types.Var, outer ast.Stmt, replaced map[*types.Var]bool) bool {
	switch s := loop.(type) {
	case *ast.ForStmt:
		init, ok := s.Init.(*ast.AssignStmt)
		return ok && slices.ContainsFunc(init.Lhs, func(e ast.Expr) bool { return c.root(e) == v })
	case *ast.RangeStmt:
		x := c.root(s.X)
		return x != nil && x.Pos() < outer.Pos() && !replaced[x] && v.Pos() >= s.Pos() && v.Pos() < s.Body.Pos()
	}
	return false
}
