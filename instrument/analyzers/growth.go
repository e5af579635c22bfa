package analyzers

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// growth finds slices of known length that grow element by element.
var growth = analyzer("growth", "slices that grow although their length is known", func(c *cursor, n ast.Node) {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return
	}
	for i, s := range block.List {
		loop, ok := s.(*ast.RangeStmt)
		if !ok || i == 0 || c.endsEarly(loop) {
			continue
		}
		length := c.length(loop.X)
		for _, added := range loop.Body.List {
			v, appended := c.appended(added)
			if v == nil || length == "" {
				continue
			}
			if begin := c.emptySlice(block.List[:i], v); begin != nil && c.changedOnce(block.List[:i], loop, v) {
				c.report(appended, nil, c.withCapacity(begin, block.List[:i], loop, v, length), "%s grows element by element, although it gets %s of them", v.Name(), length)
			}
		}
	}
})

// endsEarly tells whether a loop may add fewer elements than it has turns: it skips or ends some, other
// than by returning an error.
func (c *cursor) endsEarly(loop *ast.RangeStmt) bool {
	found := false
	ast.PreorderStack(loop.Body, nil, func(n ast.Node, around []ast.Node) bool {
		switch s := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = found || !c.returnsError(s)
		case *ast.BranchStmt:
			inner := slices.ContainsFunc(around, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.ForStmt, *ast.RangeStmt:
					return true
				case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
					return s.Tok == token.BREAK
				}
				return false
			})
			found = found || s.Tok != token.FALLTHROUGH && (!inner || s.Label != nil)
		}
		return true
	})
	return found
}

// returnsError tells whether the last value that a statement returns is an error, and not nil.
func (c *cursor) returnsError(s *ast.ReturnStmt) bool {
	if len(s.Results) == 0 {
		return false
	}
	last := c.TypesInfo.Types[s.Results[len(s.Results)-1]]
	return !last.IsNil() && last.Type != nil && types.AssignableTo(last.Type, types.Universe.Lookup("error").Type())
}

// withCapacity declares a slice with room for what the loop behind it adds. A nil slice stays nil if
// there are none.
func (c *cursor) withCapacity(begin ast.Stmt, before []ast.Stmt, loop *ast.RangeStmt, v *types.Var, length string) []analysis.TextEdit {
	if _, isInt := c.typeOf(loop.X).(*types.Basic); isInt || c.lookup("len", begin) != types.Universe.Lookup("len") {
		return nil // an integer may be negative
	}
	if d, ok := begin.(*ast.AssignStmt); ok {
		x := c.root(loop.X)
		between := before[slices.Index(before, begin)+1:]
		if x == nil || x.Pos() > begin.Pos() || slices.ContainsFunc(between, func(s ast.Stmt) bool { return c.declaresEmpty(s) == nil }) || c.lookup("make", begin) != types.Universe.Lookup("make") {
			return nil
		}
		switch e := d.Rhs[0].(type) {
		case *ast.CompositeLit:
			return []analysis.TextEdit{{Pos: e.Pos(), End: e.End(), NewText: []byte("make(" + c.text(e.Type) + ", 0, " + length + ")")}}
		case *ast.CallExpr:
			return []analysis.TextEdit{{Pos: e.Rparen, End: e.Rparen, NewText: []byte(", " + length)}}
		}
		return nil
	}
	pkg, imports, ok := c.use("slices", loop)
	if !ok || !c.since("go1.21") || c.readsEarly(loop, v) {
		return nil
	}
	text := fmt.Sprintf("%s = %s.Grow(%[1]s, %[3]s)\n%[4]s", v.Name(), pkg, length, c.indent(loop))
	return append(imports, analysis.TextEdit{Pos: loop.Pos(), End: loop.Pos(), NewText: []byte(text)})
}

// readsEarly tells whether somebody may see that a slice is empty and not nil: the loop itself, when it
// returns early, or a function literal that a defer runs.
func (c *cursor) readsEarly(loop *ast.RangeStmt, v *types.Var) bool {
	early, f := false, c.function()
	if f == nil {
		return true // in a variable of the package
	}
	ast.PreorderStack(f, nil, func(n ast.Node, around []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || c.TypesInfo.Uses[id] != v {
			return !early
		}
		literals := 0
		for _, outer := range around {
			if _, isLit := outer.(*ast.FuncLit); isLit && (outer.Pos() > v.Pos() || outer.End() < v.Pos()) {
				literals++
			}
		}
		inLoop := slices.Contains(around, ast.Node(loop))
		appends := slices.ContainsFunc(around, func(n ast.Node) bool {
			s, ok := n.(ast.Stmt)
			if !ok {
				return false
			}
			to, _ := c.appended(s)
			return to == v
		})
		early = early || literals > 0 || inLoop && !appends
		return !early
	})
	return early
}

// since tells whether the file is of a release of Go, or a later one.
func (c *cursor) since(release string) bool {
	v := c.TypesInfo.FileVersions[c.file]
	return v == "" || version.Compare(v, release) >= 0
}

// length is the number of turns of a range; "" if it is not known before.
func (c *cursor) length(x ast.Expr) string {
	if v := c.root(x); v == nil || !c.plain(x) {
		return ""
	}
	switch t := c.typeOf(x).(type) {
	case *types.Slice, *types.Map, *types.Array:
		return "len(" + c.text(x) + ")"
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 && t.Kind() == types.Int {
			return c.text(x)
		}
	}
	return ""
}

// appended is the variable that a statement appends one element to.
func (c *cursor) appended(s ast.Stmt) (*types.Var, ast.Node) {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return nil, nil
	}
	call, ok := c.builtin(a.Rhs[0], "append")
	if !ok || len(call.Args) != 2 || call.Ellipsis.IsValid() || c.text(call.Args[0]) != c.text(a.Lhs[0]) {
		return nil, nil
	}
	if _, ident := a.Lhs[0].(*ast.Ident); !ident {
		return nil, nil
	}
	return c.root(a.Lhs[0]), a
}

// emptySlice is the statement that declares a variable as an empty slice; nil if none of them does.
func (c *cursor) emptySlice(list []ast.Stmt, v *types.Var) ast.Stmt {
	for _, s := range list {
		if c.declaresEmpty(s) == v {
			return s
		}
	}
	return nil
}

// declaresEmpty is the variable that a statement declares as an empty slice; nil if it does not.
func (c *cursor) declaresEmpty(s ast.Stmt) *types.Var {
	var v types.Object
	switch d := s.(type) {
	case *ast.DeclStmt:
		if g, ok := d.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR && len(g.Specs) == 1 {
			if spec := g.Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 && len(spec.Values) == 0 {
				v = c.TypesInfo.Defs[spec.Names[0]]
			}
		}
	case *ast.AssignStmt:
		if id, ok := d.Lhs[0].(*ast.Ident); ok && d.Tok == token.DEFINE && len(d.Lhs) == 1 && c.isEmpty(d.Rhs[0]) {
			v = c.TypesInfo.Defs[id]
		}
	}
	declared, _ := v.(*types.Var)
	return declared
}

func (c *cursor) isEmpty(e ast.Expr) bool {
	if lit, ok := e.(*ast.CompositeLit); ok {
		return len(lit.Elts) == 0
	}
	call, ok := c.builtin(e, "make")
	return ok && len(call.Args) == 2 && c.isNothing(call)
}

// isNothing tells whether a call of make makes a slice of no elements, with room for some or none.
func (c *cursor) isNothing(call *ast.CallExpr) bool {
	return len(call.Args) >= 2 && c.constant(call.Args[1]) != nil && constant.Sign(c.constant(call.Args[1])) == 0
}

// changedOnce tells whether only the loop changes a variable after its declaration.
func (c *cursor) changedOnce(before []ast.Stmt, loop *ast.RangeStmt, v *types.Var) bool {
	changes := 0
	for _, s := range append(slices.Clone(before), ast.Stmt(loop)) {
		ast.Inspect(s, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
				for _, l := range a.Lhs {
					if c.root(l) == v {
						changes++
					}
				}
			}
			return true
		})
	}
	return changes == 1
}
