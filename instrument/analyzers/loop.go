package analyzers

import (
	"go/ast"
	"go/constant"
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

// leaves tells whether the node is in statements that end with leaving a loop, so that they run once.
func (c *cursor) leaves(loop ast.Stmt) bool {
	breaks := true // an unlabelled break leaves the loop
	at := slices.Index(c.stack, ast.Node(loop))
	for i, n := range c.stack[at+1:] {
		var list []ast.Stmt
		switch s := n.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt:
			breaks = false
		case *ast.ReturnStmt:
			return true
		case *ast.ExprStmt:
			if c.exits(s) {
				return true
			}
		case *ast.BlockStmt:
			list = s.List
		case *ast.CaseClause:
			list = s.Body
		case *ast.CommClause:
			list = s.Body
		}
		if len(list) == 0 || i == 0 && c.continues(loop) {
			continue
		}
		switch last := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			if last.Tok == token.GOTO || last.Tok == token.BREAK && (breaks || last.Label != nil) {
				return true
			}
		case *ast.ExprStmt:
			if c.exits(last) {
				return true
			}
		}
	}
	return false
}

// continues tells whether a loop has a continue statement, so that its last statement is not always
// reached.
func (c *cursor) continues(loop ast.Stmt) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.CONTINUE {
			found = true
		}
		return !found
	})
	return found
}

// exits tells whether a statement ends the function or the program.
func (c *cursor) exits(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	if _, panics := c.builtin(call, "panic"); panics {
		return true
	}
	name := c.callee(call)
	return name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") || strings.HasPrefix(name, "log.Panic")
}

// guarded tells whether the node is reached under a condition within a loop.
func (c *cursor) guarded(loop ast.Stmt) bool {
	at := slices.Index(c.stack, ast.Node(loop))
	for i := at + 1; i < len(c.stack); i++ {
		inner := ast.Node(nil)
		if i+1 < len(c.stack) {
			inner = c.stack[i+1]
		}
		switch s := c.stack[i].(type) {
		case *ast.IfStmt:
			if inner == s.Body || inner != nil && inner == s.Else {
				return true
			}
		case *ast.CaseClause, *ast.CommClause:
			return true
		case *ast.BinaryExpr: // the node itself is not on the stack
			if (s.Op == token.LAND || s.Op == token.LOR) && inner != s.X {
				return true
			}
		}
	}
	return false
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
	loops := c.loops(s)
	if !grows || len(loops) == 0 {
		return
	}
	if loop := loops[len(loops)-1]; v.Pos() < loop.Pos() && c.sameText(s.Lhs[0], loop) && !c.readsText(s.Lhs[0], loop) && !c.leaves(loop) {
		c.report(s, nil, nil, "%s is copied whenever something is added to it", c.text(s.Lhs[0]))
	}
})

// sameText tells whether an expression is the same variable in each turn of a loop: a name, or fields of
// one that the loop does not set.
func (c *cursor) sameText(e ast.Expr, loop ast.Stmt) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return c.sameText(x.X, loop)
	case *ast.SelectorExpr:
		id, ok := ast.Unparen(x.X).(*ast.Ident)
		return ok && !c.setsName(loop, c.TypesInfo.ObjectOf(id))
	}
	return false
}

// setsName tells whether a loop assigns to a variable itself.
func (c *cursor) setsName(loop ast.Stmt, v types.Object) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			found = found || slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return ok && c.TypesInfo.ObjectOf(id) == v
			})
		}
		return !found
	})
	return found
}

// readsText tells whether a loop needs the text that grows in it, other than its length and whether
// it is empty.
func (c *cursor) readsText(text ast.Expr, loop ast.Stmt) bool {
	found := false
	ast.PreorderStack(loop, nil, func(n ast.Node, around []ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || found || !c.equal(e, text) {
			return !found
		}
		found = !c.growsOrMeasures(e, around)
		return false
	})
	return found
}

// equal tells whether two expressions name the same variable.
func (c *cursor) equal(a, b ast.Expr) bool {
	switch x := ast.Unparen(a).(type) {
	case *ast.Ident:
		y, ok := ast.Unparen(b).(*ast.Ident)
		return ok && c.TypesInfo.ObjectOf(x) != nil && c.TypesInfo.ObjectOf(x) == c.TypesInfo.ObjectOf(y)
	case *ast.SelectorExpr:
		y, ok := ast.Unparen(b).(*ast.SelectorExpr)
		return ok && x.Sel.Name == y.Sel.Name && c.equal(x.X, y.X)
	case *ast.StarExpr:
		y, ok := ast.Unparen(b).(*ast.StarExpr)
		return ok && c.equal(x.X, y.X)
	}
	return false
}

// growsOrMeasures tells whether an occurrence of a text only makes it longer, or asks for its length.
func (c *cursor) growsOrMeasures(e ast.Expr, around []ast.Node) bool {
	switch s := around[len(around)-1].(type) {
	case *ast.AssignStmt:
		return len(s.Lhs) == 1 && s.Lhs[0] == e
	case *ast.CallExpr:
		_, length := c.builtin(s, "len")
		return length
	case *ast.BinaryExpr:
		if s.Op == token.EQL || s.Op == token.NEQ {
			return c.isEmptyText(s.X) || c.isEmptyText(s.Y)
		}
	}
	for _, n := range around { // text = text + more
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Lhs) == 1 && len(s.Rhs) == 1 && s.Tok == token.ASSIGN && c.equal(s.Lhs[0], e) {
			return leftmost(s.Rhs[0]) == e
		}
	}
	return false
}

func (c *cursor) isEmptyText(e ast.Expr) bool {
	v := c.constant(e)
	return v != nil && v.Kind() == constant.String && constant.StringVal(v) == ""
}

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
	if v != nil && len(loops) > 0 && v.Pos() > loops[len(loops)-1].Pos() {
		if original := c.copiedIn(loops[len(loops)-1], v); original != nil {
			c.report(call, nil, nil, "a copy of %s, which stays the same, is sorted in each turn of the loop", c.text(original))
		}
		return
	}
	if v == nil || len(loops) == 0 || !c.appends(loops[len(loops)-1], v) {
		return
	}
	c.report(call, nil, nil, "%s is sorted whenever something is added to it", c.text(sorted))
})

// copiedIn is what a loop copies to a variable in each turn, and does not change; nil if there is no such.
func (c *cursor) copiedIn(loop ast.Stmt, v *types.Var) (original ast.Expr) {
	ast.Inspect(loop, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 || c.root(s.Lhs[0]) != v || s.Tok != token.DEFINE {
			return true
		}
		if of := c.copyOf(s.Rhs[0]); of != nil && c.root(of) != nil && c.root(of).Pos() < loop.Pos() && !c.changes(loop)[c.root(of)] {
			original = of
		}
		return true
	})
	return original
}

// swapping finds slices of basic values that are sorted through reflection.
var swapping = analyzer("swapping", "slices that are sorted by sort.Slice", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || c.callee(call) != "sort.Slice" || len(call.Args) != 2 || !c.plain(call.Args[0]) || !c.since("go1.21") {
		return
	}
	t, isSlice := c.typeOf(call.Args[0]).(*types.Slice)
	less, isLit := call.Args[1].(*ast.FuncLit)
	if !isSlice || !isLit || len(less.Body.List) != 1 {
		return
	}
	b, basic := t.Elem().Underlying().(*types.Basic)
	result, returns := less.Body.List[0].(*ast.ReturnStmt)
	if !basic || b.Info()&(types.IsInteger|types.IsString) == 0 || !returns || !c.lessOf(less, result.Results[0], call.Args[0]) {
		return
	}
	var fix []analysis.TextEdit
	if pkg, imports, ok := c.use("slices", call); ok {
		fix = append(imports, analysis.TextEdit{Pos: call.Pos(), End: call.End(), NewText: []byte(pkg + ".Sort(" + c.text(call.Args[0]) + ")")})
	}
	c.report(call, nil, fix, "%s is sorted through reflection, although its elements have an order", c.text(call.Args[0]))
})

// lessOf tells whether an expression is list[i] < list[j] of the parameters i and j.
func (c *cursor) lessOf(less *ast.FuncLit, e, list ast.Expr) bool {
	test, ok := ast.Unparen(e).(*ast.BinaryExpr)
	var parameters []types.Object
	for _, f := range less.Type.Params.List {
		for _, id := range f.Names {
			parameters = append(parameters, c.TypesInfo.Defs[id])
		}
	}
	if !ok || test.Op != token.LSS || len(parameters) != 2 {
		return false
	}
	for i, side := range []ast.Expr{test.X, test.Y} {
		at, ok := ast.Unparen(side).(*ast.IndexExpr)
		if !ok || !c.equal(at.X, list) {
			return false
		}
		if id, ok := ast.Unparen(at.Index).(*ast.Ident); !ok || c.TypesInfo.Uses[id] != parameters[i] {
			return false
		}
	}
	return true
}

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
	s, ok := n.(*ast.DeferStmt)
	if !ok {
		return
	}
	loops := c.loops(s)
	if len(loops) == 0 {
		return
	}
	// Under a condition it may run once; and an array has few elements.
	if loop := loops[len(loops)-1]; !c.guarded(loop) && !c.leaves(loop) && !c.overArray(loop) {
		c.report(s, nil, nil, "deferred calls pile up until the function returns")
	}
})

// overArray tells whether a loop ranges over an array.
func (c *cursor) overArray(loop ast.Stmt) bool {
	s, ok := loop.(*ast.RangeStmt)
	if !ok {
		return false
	}
	_, isArray := c.typeOf(s.X).(*types.Array)
	return isArray
}

// spinning finds loops that ask again and again instead of waiting.
var spinning = analyzer("spinning", "loops that spin while they wait", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.ForStmt)
	if !ok {
		return
	}
	if s.Cond != nil && c.yields(s.Body.List) && c.asks(s.Cond) {
		c.report(s, nil, nil, "the loop spins until another goroutine sets a value: wait for a channel, a sync.Cond or the lock")
		return
	}
	if len(s.Body.List) != 1 {
		return
	}
	switch choice := s.Body.List[0].(type) {
	case *ast.IfStmt:
		if choice.Else == nil && c.tries(choice.Cond) {
			c.report(s, nil, nil, "the loop tries to get a lock again and again: wait for it with Lock")
		}
	case *ast.SelectStmt:
		for _, clause := range choice.Body.List {
			if one := clause.(*ast.CommClause); one.Comm == nil && (len(one.Body) == 0 || c.yields(one.Body)) {
				c.report(s, nil, nil, "the loop spins while there is nothing to receive: leave out the default case, so that select waits")
			}
		}
	}
})

// asks tells whether a condition is about what another goroutine sets.
func (c *cursor) asks(cond ast.Expr) bool {
	found := c.tries(cond)
	ast.Inspect(cond, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name := c.callee(call)
			found = found || strings.HasPrefix(name, "sync/atomic.Load") || strings.HasPrefix(name, "(*sync/atomic.") && strings.HasSuffix(name, ").Load")
		}
		return !found
	})
	return found
}

// tries tells whether a condition tries to get a lock.
func (c *cursor) tries(cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && c.ofMutex(call, "TryLock", "TryRLock")
		return !found
	})
	return found
}

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
	if !ok {
		return
	}
	name := c.callee(call)
	callees := []string{name}
	if c.conversion(call, types.NewSlice(types.Typ[types.Rune])) != nil {
		name, callees = "[]rune", []string{"runtime.stringtoslicerune"}
	} else if !pure[name] || strings.HasPrefix(name, "math.") || c.constant(call) != nil || c.outermostInvariant(call) != nil {
		return
	}
	loops := c.loops(call)
	if len(loops) < 2 || !c.ofElements(call, loops[len(loops)-2], loops[len(loops)-1]) || c.guarded(loops[len(loops)-1]) {
		return
	}
	c.report(call, callees, nil, "%s of the same elements in each turn of the outer loop", name)
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

// differs tells whether an expression may be about something else in another turn of a loop.
func (c *cursor) differs(e ast.Expr, loop ast.Stmt, replaced map[*types.Var]bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, isVar := c.TypesInfo.Uses[id].(*types.Var)
			found = found || isVar && !v.IsField() && (v.Pos() > loop.Pos() || replaced[v])
		}
		return !found
	})
	return found
}

// stepsOf tells whether a variable is what a loop steps: its index, or the element of what was there
// before the outer loop and is not replaced in it.
func (c *cursor) stepsOf(loop ast.Stmt, v *types.Var, outer ast.Stmt, replaced map[*types.Var]bool) bool {
	switch s := loop.(type) {
	case *ast.ForStmt:
		init, ok := s.Init.(*ast.AssignStmt)
		return ok && slices.ContainsFunc(init.Lhs, func(e ast.Expr) bool { return c.root(e) == v })
	case *ast.RangeStmt:
		return c.root(s.X) != nil && !c.differs(s.X, outer, replaced) && v.Pos() >= s.Pos() && v.Pos() < s.Body.Pos()
	}
	return false
}

// gone are the functions that go through all of a text.
var gone = map[string]bool{
	"strings.ToUpper": true, "strings.ToLower": true, "strings.Count": true, "strings.Contains": true, "strings.Index": true, "strings.LastIndex": true,
	"strings.Split": true, "strings.Fields": true, "strings.Replace": true, "strings.ReplaceAll": true, "unicode/utf8.RuneCountInString": true,
}

// rereading finds texts that are gone through as a whole in a loop that adds to them, or in one that
// does not change them.
var rereading = analyzer("rereading", "texts that are gone through again and again", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !gone[c.callee(call)] || len(call.Args) == 0 {
		return
	}
	text, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
	if !ok || c.callee(text) != "(*strings.Builder).String" && c.callee(text) != "(*bytes.Buffer).String" {
		return
	}
	of := ast.Unparen(text.Fun).(*ast.SelectorExpr).X
	v, loops := c.root(of), c.loops(call)
	if v == nil || len(loops) == 0 || v.Pos() > loops[len(loops)-1].Pos() || c.leaves(loops[len(loops)-1]) || c.resets(loops[len(loops)-1], v) {
		return
	}
	c.report(call, []string{c.callee(call), "bytes.(*Buffer).String", "runtime.slicebytetostring"}, nil, "the whole text of %s is gone through in each turn of the loop", c.text(of))
})

// resets tells whether a loop empties a text, so that it stays short.
func (c *cursor) resets(loop ast.Stmt, v *types.Var) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && c.root(s.X) == v && (s.Sel.Name == "Reset" || s.Sel.Name == "Truncate") {
			found = true
		}
		return !found
	})
	return found
}
