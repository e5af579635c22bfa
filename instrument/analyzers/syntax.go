package analyzers

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis"
)

// analyzer makes an own analyser, which sees every node with those around it, the outermost first.
func analyzer(name, doc string, see func(c *cursor, n ast.Node)) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Doc: doc, Requires: []*analysis.Analyzer{naming}, Run: func(pass *analysis.Pass) (any, error) {
		taken := pass.ResultOf[naming].(names)
		for _, file := range pass.Files {
			ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
				see(&cursor{pass, file, stack, taken}, n)
				return true
			})
		}
		return nil, nil
	}}
}

// A cursor is a node with those around it.
type cursor struct {
	*analysis.Pass
	file  *ast.File
	stack []ast.Node
	taken names
}

// report reports code whose cost shows in some callees; none stands for its own lines. A fix that would
// lose a comment is left out.
func (c *cursor) report(n ast.Node, callees []string, fix []analysis.TextEdit, message string, args ...any) {
	d := analysis.Diagnostic{Pos: n.Pos(), End: n.End(), Category: strings.Join(callees, ","), Message: fmt.Sprintf(message, args...)}
	if len(fix) > 0 && !c.hasComment(fix) {
		fix = append(fix, c.unimports(fix)...)
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: d.Message, TextEdits: fix}}
	}
	c.Report(d)
}

// hasComment tells whether there is a comment in what edits replace.
func (c *cursor) hasComment(edits []analysis.TextEdit) bool {
	return slices.ContainsFunc(c.file.Comments, func(g *ast.CommentGroup) bool {
		return slices.ContainsFunc(edits, func(e analysis.TextEdit) bool { return e.Pos <= g.Pos() && g.End() <= e.End })
	})
}

// callee is the full name of the function or method that is called, as in "strings.ToUpper" and
// "(*regexp.Regexp).String"; "" for others.
func (c *cursor) callee(call *ast.CallExpr) string {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	case *ast.IndexExpr:
		return c.callee(&ast.CallExpr{Fun: f.X})
	default:
		return ""
	}
	if f, ok := c.TypesInfo.Uses[id].(*types.Func); ok {
		return f.FullName()
	}
	return ""
}

// builtin tells whether a call is of a predeclared function.
func (c *cursor) builtin(e ast.Expr, name string) (*ast.CallExpr, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return nil, false
	}
	b, ok := c.TypesInfo.Uses[id].(*types.Builtin)
	return call, ok && b.Name() == name
}

// loops are the loops around the node, the outermost first, without those outside of the
// innermost function.
func (c *cursor) loops(n ast.Node) []ast.Stmt {
	var list []ast.Stmt
	for i, around := range c.stack {
		inner := n
		if i+1 < len(c.stack) {
			inner = c.stack[i+1]
		}
		switch s := around.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			list = nil
		case *ast.ForStmt:
			if inner != s.Init {
				list = append(list, s)
			}
		case *ast.RangeStmt:
			if inner == s.Body {
				list = append(list, s)
			}
		}
	}
	return list
}

// function is the declaration around the node; nil in a package variable.
func (c *cursor) function() *ast.FuncDecl {
	for _, n := range c.stack {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f
		}
	}
	return nil
}

// constant is the value of a constant expression; nil for others.
func (c *cursor) constant(e ast.Expr) constant.Value { return c.TypesInfo.Types[e].Value }

// typeOf is the underlying type of an expression.
func (c *cursor) typeOf(e ast.Expr) types.Type {
	if t := c.TypesInfo.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return types.Typ[types.Invalid]
}

// root is the variable that an expression selects or indexes; nil if it is not one.
func (c *cursor) root(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, _ := c.TypesInfo.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// changes are the variables that a node may change: assigned, counted, ranged into, or with their
// address taken.
func (c *cursor) changes(n ast.Node) map[*types.Var]bool {
	changed := make(map[*types.Var]bool)
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if e == nil {
				continue
			}
			if v := c.root(e); v != nil {
				changed[v] = true
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			add(s.Lhs...)
		case *ast.IncDecStmt:
			add(s.X)
		case *ast.RangeStmt:
			add(s.Key, s.Value)
		case *ast.UnaryExpr:
			if s.Op == token.AND {
				add(s.X)
			}
		case *ast.SelectorExpr: // a method with a pointer receiver takes the address
			if c.pointerMethod(s) {
				add(s.X)
			}
		case *ast.ValueSpec:
			for _, id := range s.Names {
				add(id)
			}
		}
		return true
	})
	return changed
}

// shared are the variables that others than the statements around a node may change: those with their
// address taken anywhere in the function, and those that a literal changes that is not around the node.
func (c *cursor) shared(n ast.Node) map[*types.Var]bool {
	all := make(map[*types.Var]bool)
	f := c.function()
	if f == nil || f.Body == nil {
		return all
	}
	ast.Inspect(f, func(inner ast.Node) bool {
		switch s := inner.(type) {
		case *ast.UnaryExpr:
			if v := c.root(s.X); s.Op == token.AND && v != nil {
				all[v] = true
			}
		case *ast.SelectorExpr:
			if v := c.root(s.X); v != nil && c.pointerMethod(s) {
				all[v] = true
			}
		case *ast.FuncLit:
			if s.Pos() > n.Pos() || n.End() > s.End() {
				maps.Copy(all, c.changes(s))
			}
		}
		return true
	})
	return all
}

// pointerMethod tells whether a selector is of a method that gets the address of its operand.
func (c *cursor) pointerMethod(s *ast.SelectorExpr) bool {
	f := c.TypesInfo.Selections[s]
	if f == nil || f.Kind() != types.MethodVal {
		return false
	}
	_, pointer := f.Obj().Type().(*types.Signature).Recv().Type().(*types.Pointer)
	return pointer
}

// immutable tells whether the value of a type cannot change while its variable does not.
func immutable(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.UnsafePointer
}

// predeclared tells whether a type is a basic one without a name of its own, and so without methods.
func predeclared(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Basic)
	return ok
}

// text is the source of a node.
func (c *cursor) text(n ast.Node) string {
	var b bytes.Buffer
	if format.Node(&b, c.Fset, n) != nil {
		return ""
	}
	return b.String()
}

// indent are the tabs before a statement.
func (c *cursor) indent(n ast.Node) string {
	return strings.Repeat("\t", max(0, c.Fset.PositionFor(n.Pos(), false).Column-1))
}

func lowerFirst(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

// inList tells whether a statement stands in a list of statements, and not behind else or a label.
func (c *cursor) inList(s ast.Stmt) bool {
	at := slices.IndexFunc(c.stack, func(n ast.Node) bool { return n == ast.Node(s) })
	parent := c.stack[len(c.stack)-1]
	if at >= 0 {
		parent = c.stack[at-1]
	}
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}
