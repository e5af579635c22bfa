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
	"math.Min": true, "math.Max": true, "math.Abs": true, "math.Sqrt": true, "math.Pow": true, "math.Exp": true, "math.Log": true, "math.Log2": true, "math.Log10": true,
	"math.Sin": true, "math.Cos": true, "math.Tan": true, "math.Atan2": true, "math.Hypot": true, "math.Floor": true, "math.Ceil": true, "math.Round": true,
	"unicode/utf8.RuneCountInString": true, "html.EscapeString": true, "net/url.QueryEscape": true, "net/url.PathEscape": true,
}

// invariant finds calls in a loop that give the same value in each turn.
var invariant = analyzer("invariant", "calls whose result does not change in a loop", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !pure[c.callee(call)] || c.constant(call) != nil || slices.ContainsFunc(c.stack, c.invariantCall) {
		return
	}
	if loop := c.outermostInvariant(call); loop != nil {
		callees := []string{c.callee(call)}
		if strings.HasPrefix(callees[0], "math.") { // inlined, or an instruction
			callees = nil
		}
		c.report(call, callees, c.hoist(call, loop), "%s of the same value in each turn of the loop", c.callee(call))
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
		if !c.leaves(loop) && !c.declares(loop, call) && !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return !c.same(e, changed) }) {
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
	if !c.inList(loop) || c.jumps() || c.guarded(loop) {
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
	f, found := c.function(), false
	if f == nil {
		return true // in a variable of the package
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.GOTO {
			found = true
		}
		return !found
	})
	return found
}
