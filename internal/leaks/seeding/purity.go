package seeding

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A purity knows the functions, by their full names, that change nothing their callers can
// see: executed twice, they do what they do executed once. The analysis is
// conservative: it follows neither pointers nor interfaces.
type purity map[string]bool

// purePackages have functions, not methods, that are pure.
var purePackages = []string{"bytes", "math", "math/bits", "path", "strconv", "strings", "unicode", "unicode/utf16", "unicode/utf8"}

// newPurity begins with all functions whose own statements are pure, and removes those
// that call others until nothing changes.
func newPurity(files []Source) purity {
	calls := make(map[string][]string)
	for i := range files {
		info := files[i].Info
		for _, d := range files[i].Syntax.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			f, ok := info.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			b := &pureBody{info: info, decl: decl, pure: true}
			b.fresh = b.findFresh()
			ast.Inspect(decl.Body, b.look)
			if b.pure {
				calls[f.FullName()] = b.calls
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for f, list := range calls {
			if slices.ContainsFunc(list, func(c string) bool { _, ok := calls[c]; return !ok }) {
				delete(calls, f)
				changed = true
			}
		}
	}
	pure := make(purity)
	for f := range calls {
		pure[f] = true
	}
	return pure
}

// expression tells whether an expression of a function can be evaluated again.
func (p purity) expression(f *function, e ast.Expr) bool {
	b := &pureBody{info: f.source.Info, decl: f.decl, pure: true}
	ast.Inspect(e, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			b.pure = false
		}
		return b.look(n)
	})
	return b.pure && !slices.ContainsFunc(b.calls, func(c string) bool { return !p[c] })
}

// A pureBody is the statements of one function.
type pureBody struct {
	info  *types.Info
	decl  *ast.FuncDecl
	fresh map[types.Object]bool // local variables that refer to what the function itself made
	pure  bool
	calls []string // functions that must be pure too
}

func (b *pureBody) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt:
		b.pure = false
	case *ast.UnaryExpr:
		b.pure = b.pure && n.Op != token.ARROW
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			b.pure = b.pure && b.owned(e)
		}
	case *ast.IncDecStmt:
		b.pure = b.pure && b.owned(n.X)
	case *ast.RangeStmt:
		switch b.info.TypeOf(n.X).Underlying().(type) {
		case *types.Chan, *types.Signature, *types.TypeParam:
			b.pure = false
		}
		for _, e := range []ast.Expr{n.Key, n.Value} {
			b.pure = b.pure && (e == nil || b.owned(e))
		}
	case *ast.CallExpr:
		b.pure = b.pure && b.call(n)
	}
	return b.pure
}

// local tells whether a variable is declared in the function.
func (b *pureBody) local(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && !v.IsField() && b.decl.Pos() <= v.Pos() && v.Pos() < b.decl.End()
}

// owned tells whether an assignment to an expression changes only what the function made.
func (b *pureBody) owned(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name == "_" || b.local(b.info.ObjectOf(e))
	case *ast.SelectorExpr:
		if b.info.Selections[e] == nil {
			return false
		}
		if _, pointer := b.info.TypeOf(e.X).Underlying().(*types.Pointer); pointer {
			return b.isFresh(e.X)
		}
		return b.owned(e.X)
	case *ast.IndexExpr:
		if _, array := b.info.TypeOf(e.X).Underlying().(*types.Array); array {
			return b.owned(e.X)
		}
		return b.isFresh(e.X)
	case *ast.StarExpr:
		return b.isFresh(e.X)
	}
	return false
}

func (b *pureBody) isFresh(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return b.fresh[b.info.ObjectOf(e)]
	case *ast.SliceExpr:
		return b.isFresh(e.X)
	}
	return false
}

// findFresh finds the variables that are only ever assigned what is made on the spot.
func (b *pureBody) findFresh() map[types.Object]bool {
	b.fresh = make(map[types.Object]bool)
	values := make(map[types.Object][]ast.Expr) // nil for a value that is not known
	ast.Inspect(b.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, e := range n.Lhs {
				if id, ok := ast.Unparen(e).(*ast.Ident); ok {
					var value ast.Expr
					if len(n.Rhs) == len(n.Lhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
						value = n.Rhs[i]
					}
					values[b.info.ObjectOf(id)] = append(values[b.info.ObjectOf(id)], value)
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) == len(n.Names) {
					values[b.info.ObjectOf(id)] = append(values[b.info.ObjectOf(id)], n.Values[i])
				} else {
					values[b.info.ObjectOf(id)] = append(values[b.info.ObjectOf(id)], make([]ast.Expr, min(1, len(n.Values)))...)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok {
					values[b.info.ObjectOf(id)] = append(values[b.info.ObjectOf(id)], nil)
				}
			}
		case *ast.UnaryExpr: // &x lets others change what x refers to
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
				values[b.info.ObjectOf(id)] = append(values[b.info.ObjectOf(id)], nil)
			}
		}
		return true
	})
	for obj := range values {
		b.fresh[obj] = b.local(obj) && obj.Pos() >= b.decl.Body.Pos()
	}
	for changed := true; changed; {
		changed = false
		for obj, list := range values {
			if b.fresh[obj] && slices.ContainsFunc(list, func(e ast.Expr) bool { return !b.makes(e) }) {
				b.fresh[obj], changed = false, true
			}
		}
	}
	return b.fresh
}

// makes tells whether an expression refers to nothing that existed before.
func (b *pureBody) makes(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, literal := e.X.(*ast.CompositeLit)
		return e.Op == token.AND && literal
	case *ast.Ident:
		return b.info.Types[e].IsNil() || b.isFresh(e)
	case *ast.SliceExpr:
		return b.isFresh(e)
	case *ast.CallExpr:
		if b.info.Types[e.Fun].IsType() && len(e.Args) == 1 {
			argument := b.info.Types[e.Args[0]]
			basic, ok := argument.Type.Underlying().(*types.Basic)
			return argument.IsNil() || ok && basic.Info()&types.IsString != 0
		}
		if id, ok := e.Fun.(*ast.Ident); ok {
			switch b.info.Uses[id] {
			case types.Universe.Lookup("make"), types.Universe.Lookup("new"):
				return true
			case types.Universe.Lookup("append"):
				return b.makes(e.Args[0])
			}
		}
	}
	return false
}

// call tells whether a call is pure, or would be if b.calls are.
func (b *pureBody) call(call *ast.CallExpr) bool {
	if b.info.Types[call.Fun].IsType() {
		return true
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if builtin, ok := b.info.Uses[id].(*types.Builtin); ok {
			switch builtin.Name() {
			case "append":
				return b.makes(call.Args[0])
			case "copy", "delete", "clear":
				return b.isFresh(call.Args[0])
			case "close", "print", "println", "recover":
				return false
			}
			return true
		}
	}
	f := callee(b.info, call)
	if f == nil || f.Pkg() == nil {
		_, literal := ast.Unparen(call.Fun).(*ast.FuncLit)
		return literal // its statements are looked at too
	}
	if slices.ContainsFunc(call.Args, b.unknownFunction) {
		return false
	}
	receiver := f.Signature().Recv()
	if receiver != nil && types.IsInterface(receiver.Type()) {
		return false
	}
	switch name := f.FullName(); {
	case receiver == nil && slices.Contains(purePackages, f.Pkg().Path()):
		return true
	case name == "errors.New" || name == "reflect.TypeOf":
		return true
	case name == "fmt.Sprint" || name == "fmt.Sprintf" || name == "fmt.Errorf":
		return !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return !isPlain(b.info.TypeOf(e)) })
	case strings.HasPrefix(name, "(time.Time).") || strings.HasPrefix(name, "(time.Duration)."):
		return true
	case strings.HasPrefix(name, "(*regexp.Regexp).Match") || strings.HasPrefix(name, "(*regexp.Regexp).Find"):
		return true
	case strings.HasPrefix(name, "(*strings.Builder).") || strings.HasPrefix(name, "(*bytes.Buffer)."):
		selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := selector.X.(*ast.Ident)
		if !ok {
			return false
		}
		v := b.info.ObjectOf(id)
		_, pointer := v.Type().(*types.Pointer)
		return b.local(v) && !pointer && v.Pos() >= b.decl.Body.Pos()
	default:
		b.calls = append(b.calls, name) // of the program, or else not among the pure
		return true
	}
}

// unknownFunction tells whether an argument is a function that is not looked at.
func (b *pureBody) unknownFunction(e ast.Expr) bool {
	if _, ok := b.info.TypeOf(e).Underlying().(*types.Signature); !ok {
		return false
	}
	if _, literal := e.(*ast.FuncLit); literal {
		return false
	}
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	f, ok := b.info.Uses[selector.Sel].(*types.Func)
	return !ok || f.Pkg() == nil || f.Pkg().Path() != "unicode"
}

// isPlain is for predeclared types, which have no methods that fmt would call.
func isPlain(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Basic)
	return ok
}
