package generate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// mayChange tells whether a function may change what its caller has of a parameter, or of its receiver at
// receiverIndex. Where the source does not show that it only reads, it may.
func mayChange(in *source, f *types.Func, parameter int) bool {
	c := changes{source: in, busy: make(map[use]bool)}
	return c.changed(f.Origin(), parameter)
}

type changes struct {
	*source
	busy map[use]bool // functions that are being looked at, which call themselves
}

// A use is a parameter of a function.
type use struct {
	f         *types.Func
	parameter int
}

const mostDepth = 40 // of calls

func (c *changes) changed(f *types.Func, parameter int) bool {
	v := f.Signature().Recv()
	if parameter != receiverIndex {
		v = f.Signature().Params().At(min(parameter, f.Signature().Params().Len()-1))
	}
	if immutable(v.Type()) {
		return false
	}
	d := c.functions[f]
	u := use{f, parameter}
	switch {
	case c.busy[u]:
		return false // what else it does is found where it was begun
	case d == nil || d.decl.Body == nil || len(c.busy) > mostDepth:
		return true
	}
	c.busy[u] = true
	w := usage{changes: c, info: d.info, tracked: map[types.Object]bool{v: true}}
	return w.search(d.decl.Body)
}

// A usage is how the body of a function uses variables that share what a parameter has.
type usage struct {
	*changes
	info    *types.Info
	tracked map[types.Object]bool
	found   bool
}

// search looks at the body until no more variables share it.
func (w *usage) search(body *ast.BlockStmt) bool {
	for before := 0; before < len(w.tracked) && !w.found; {
		before = len(w.tracked)
		var above []ast.Node
		ast.Inspect(body, func(n ast.Node) bool {
			if n == nil {
				above = above[:len(above)-1]
				return true
			}
			if ident, ok := n.(*ast.Ident); ok && w.tracked[w.info.Uses[ident]] {
				w.look(ident, above)
			}
			above = append(above, n)
			return true
		})
	}
	return w.found
}

// look decides about one use of a variable, or about what a call made of one; above are the nodes around it, the
// innermost last.
func (w *usage) look(start ast.Expr, above []ast.Node) {
	expr := start
	for len(above) > 0 {
		parent := above[len(above)-1]
		if !w.leads(parent, expr) {
			break
		}
		expr, _ = parent.(ast.Expr)
		above = above[:len(above)-1]
	}
	if len(above) == 0 {
		return
	}
	if of, ok := above[len(above)-1].(*ast.TypeAssertExpr); ok && of.Type == nil {
		w.switched(above)
		return
	}
	t := w.info.TypeOf(expr)
	reads := t == nil || immutable(t) || isTime(t)
	if w.assigned(expr, start, above, reads) || reads {
		return
	}
	switch parent := above[len(above)-1].(type) {
	case *ast.CallExpr:
		if to := w.info.Types[parent.Fun]; to.IsType() && !types.IsInterface(to.Type) { // the same by another type
			w.look(parent, above[:len(above)-1])
			return
		}
		w.call(parent, expr)
		w.result(parent, above[:len(above)-1])
	case *ast.RangeStmt:
		w.ranged(parent, expr)
	case *ast.BinaryExpr, *ast.ReturnStmt, *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.ForStmt:
	default:
		w.found = true
	}
}

// leads tells whether parent is a part of what expr holds: a field, an element, a slice of it.
func (w *usage) leads(parent ast.Node, expr ast.Expr) bool {
	switch parent := parent.(type) {
	case *ast.SelectorExpr:
		selection := w.info.Selections[parent]
		return parent.X == expr && selection != nil && selection.Kind() == types.FieldVal
	case *ast.IndexExpr:
		return parent.X == expr
	case *ast.SliceExpr:
		return parent.X == expr
	case *ast.TypeAssertExpr:
		return parent.X == expr && parent.Type != nil
	case *ast.StarExpr, *ast.ParenExpr:
		return true
	}
	return false
}

// switched follows the variables of a switch over types, one of each case.
func (w *usage) switched(above []ast.Node) {
	for i := len(above) - 1; i >= 0; i-- {
		of, ok := above[i].(*ast.TypeSwitchStmt)
		if !ok {
			continue
		}
		for _, clause := range of.Body.List {
			if v := w.info.Implicits[clause]; v != nil && shares(v.Type()) {
				w.tracked[v] = true
			}
		}
		return
	}
}

// assigned looks at statements that set something, and tells whether the use is one.
func (w *usage) assigned(expr, start ast.Expr, above []ast.Node, reads bool) bool {
	inner := expr != start
	switch parent := above[len(above)-1].(type) {
	case *ast.AssignStmt:
		if slices.Contains(parent.Lhs, expr) {
			w.found = w.found || inner
			return true
		}
		if reads {
			return true
		}
		w.alias(parent, expr)
		return true
	case *ast.IncDecStmt:
		w.found = w.found || inner
		return true
	case *ast.UnaryExpr: // an address, or what is taken from a channel
		w.found = w.found || parent.Op == token.AND || parent.Op == token.ARROW
		return true
	case *ast.RangeStmt:
		if parent.Key == expr || parent.Value == expr {
			w.found = w.found || inner
			return true
		}
	case *ast.SelectorExpr: // a method
		if selection := w.info.Selections[parent]; selection != nil && selection.Kind() == types.MethodVal && parent.X == expr {
			w.method(selection, above)
			return true
		}
	}
	return false
}

// alias follows the variables that an expression is assigned to: several of a call with several results.
func (w *usage) alias(parent *ast.AssignStmt, expr ast.Expr) {
	i := slices.Index(parent.Rhs, expr)
	if i < 0 || i >= len(parent.Lhs) {
		w.found = true
		return
	}
	left := parent.Lhs[i : i+1]
	if len(parent.Rhs) == 1 {
		left = parent.Lhs
	}
	for _, to := range left {
		w.aliasOf(to)
	}
}

func (w *usage) aliasOf(to ast.Expr) {
	ident, ok := to.(*ast.Ident)
	if !ok {
		w.found = true
		return
	}
	object := w.info.ObjectOf(ident)
	v, ok := object.(*types.Var)
	switch {
	case ident.Name == "_" || ok && !shares(v.Type()):
	case ok && v.Kind() != types.PackageVar:
		w.tracked[v] = true
	default:
		w.found = true
	}
}

// ranged follows the elements of what is ranged over.
func (w *usage) ranged(parent *ast.RangeStmt, expr ast.Expr) {
	if parent.X != expr {
		return
	}
	if _, isChan := w.info.TypeOf(expr).Underlying().(*types.Chan); isChan {
		w.found = true
		return
	}
	for _, v := range []ast.Expr{parent.Key, parent.Value} {
		ident, ok := v.(*ast.Ident)
		if !ok {
			w.found = w.found || v != nil
			continue
		}
		object := w.info.Defs[ident]
		if object == nil {
			object = w.info.Uses[ident]
		}
		if object != nil && !immutable(object.Type()) {
			w.tracked[object] = true
		}
	}
}

// method looks at a method that is called on a part of what is shared.
func (w *usage) method(selection *types.Selection, above []ast.Node) {
	f, ok := selection.Obj().(*types.Func)
	if !ok {
		w.found = true
		return
	}
	isCall := false
	if len(above) > 1 {
		call, isIt := above[len(above)-2].(*ast.CallExpr)
		isCall = isIt && call.Fun == above[len(above)-1]
	}
	if !isCall || types.IsInterface(selection.Recv()) {
		w.found = true
		return
	}
	if f.Pkg() != nil && slices.Contains(readingPackages, f.Pkg().Path()) || isLock(f) {
		return
	}
	w.found = w.found || w.changed(f.Origin(), receiverIndex)
	if call, ok := above[len(above)-2].(*ast.CallExpr); ok {
		w.result(call, above[:len(above)-2])
	}
}

// result looks at what a function of the source returns: it may be a part of what it was given.
func (w *usage) result(call *ast.CallExpr, above []ast.Node) {
	f, ok := calleeOf(call, w.info).(*types.Func)
	if ok && !w.found && w.functions[f.Origin()] != nil && shares(w.info.TypeOf(call)) {
		w.look(call, above)
	}
}

// shares tells whether a result can be a part of what a function was given.
func shares(t types.Type) bool {
	if list, ok := t.(*types.Tuple); ok {
		for v := range list.Variables() {
			if shares(v.Type()) {
				return true
			}
		}
		return false
	}
	return !immutable(t) && !isTime(t) && !types.Identical(t, types.Universe.Lookup("error").Type())
}

// isLock tells whether a method is one of a lock, which is as it was when the call is over.
func isLock(f *types.Func) bool {
	named, _ := namedOf(f.Signature().Recv().Type())
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync" && slices.Contains([]string{"Mutex", "RWMutex"}, named.Obj().Name())
}

// readingPackages have functions that change nothing that they are given.
var readingPackages = []string{"strings", "unicode", "unicode/utf8", "strconv", "math", "math/bits", "errors", "time", "cmp", "regexp", "fmt"}

// readingFunctions are functions that only read what they are given.
var readingFunctions = map[string][]string{
	"slices":        {"All", "BinarySearch", "BinarySearchFunc", "Clone", "Collect", "Compare", "Concat", "Contains", "ContainsFunc", "Equal", "EqualFunc", "Index", "IndexFunc", "IsSorted", "IsSortedFunc", "Max", "MaxFunc", "Min", "MinFunc", "Sorted", "Values", "Backward", "Repeat", "Chunk"},
	"maps":          {"All", "Clone", "Keys", "Values", "Equal", "EqualFunc"},
	"encoding/json": {"Marshal", "MarshalIndent", "Valid"},
	"sort":          {"Search", "SearchInts", "SearchStrings", "SearchFloat64s", "IsSorted", "SliceIsSorted", "IntsAreSorted", "StringsAreSorted", "Float64sAreSorted"},
	"bytes":         {"Equal", "Compare", "Contains", "Count", "Index", "IndexByte", "LastIndex", "HasPrefix", "HasSuffix", "ToUpper", "ToLower", "Repeat", "Join", "Clone", "ContainsAny", "IndexAny"},
}

// call looks at a call with a part of what is shared as an argument.
func (w *usage) call(call *ast.CallExpr, expr ast.Expr) {
	i := slices.Index(call.Args, expr)
	if i < 0 {
		return // the function that is called, or nothing that is passed
	}
	switch object := calleeOf(call, w.info).(type) {
	case *types.Builtin:
		w.builtin(object.Name(), call, i)
	case *types.Func:
		pkg := ""
		if object.Pkg() != nil {
			pkg = object.Pkg().Path()
		}
		if slices.Contains(readingPackages, pkg) || slices.Contains(readingFunctions[pkg], object.Name()) {
			return
		}
		if receiver := object.Signature().Recv(); receiver != nil && types.IsInterface(receiver.Type()) {
			w.found = true
			return
		}
		if w.isMethodExpression(call) {
			i-- // the first argument is the receiver
		}
		w.found = w.found || w.changed(object.Origin(), i)
	default:
		w.found = true
	}
}

// isMethodExpression tells whether a call is one as in (*T).Add(t, x).
func (w *usage) isMethodExpression(call *ast.CallExpr) bool {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	selection := w.info.Selections[selector]
	return selection != nil && selection.Kind() == types.MethodExpr
}

// builtin looks at a call of a function of the language.
func (w *usage) builtin(name string, call *ast.CallExpr, i int) {
	switch {
	case slices.Contains([]string{"len", "cap", "min", "max", "print", "println", "panic"}, name):
	case (name == "append" || name == "copy") && i > 0:
		if list, ok := w.info.TypeOf(call.Args[i]).Underlying().(*types.Slice); ok && !immutable(list.Elem()) && !isTime(list.Elem()) {
			w.found = true
		}
	default:
		w.found = true
	}
}

// calleeOf is the function that is called by its name; nil of others.
func calleeOf(call *ast.CallExpr, info *types.Info) types.Object {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return info.Uses[fun]
	case *ast.SelectorExpr:
		return info.Uses[fun.Sel]
	}
	return nil
}
