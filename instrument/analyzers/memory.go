package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
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
		if !ok || i == 0 {
			continue
		}
		length := c.length(loop.X)
		for _, added := range loop.Body.List {
			v, appended := c.appended(added)
			if v == nil || length == "" {
				continue
			}
			if c.emptySlice(block.List[:i], v) && c.changedOnce(block.List[:i], loop, v) {
				c.report(appended, nil, nil, "%s grows element by element, although it gets at most %s of them", v.Name(), length)
			}
		}
	}
})

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

// emptySlice tells whether one of the statements declares a variable as an empty slice.
func (c *cursor) emptySlice(list []ast.Stmt, v *types.Var) bool {
	for _, s := range list {
		switch d := s.(type) {
		case *ast.DeclStmt:
			if g, ok := d.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR && len(g.Specs) == 1 {
				if spec := g.Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 && len(spec.Values) == 0 && c.TypesInfo.Defs[spec.Names[0]] == v {
					return true
				}
			}
		case *ast.AssignStmt:
			if d.Tok == token.DEFINE && len(d.Lhs) == 1 && c.root(d.Lhs[0]) == v && c.isEmpty(d.Rhs[0]) {
				return true
			}
		}
	}
	return false
}

func (c *cursor) isEmpty(e ast.Expr) bool {
	if lit, ok := e.(*ast.CompositeLit); ok {
		return len(lit.Elts) == 0
	}
	call, ok := c.builtin(e, "make")
	return ok && len(call.Args) == 2 && c.constant(call.Args[1]) != nil && constant.Sign(c.constant(call.Args[1])) == 0
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

// ranging finds copies that are made only to be read.
var ranging = analyzer("ranging", "copies that are ranged over", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok {
		return
	}
	original := c.copyOf(s.X)
	if original == nil || c.root(original) == nil || c.changes(s.Body)[c.root(original)] || c.callsOthers(s.Body) {
		return
	}
	c.report(s.X, []string{"runtime.growslice*", "runtime.memmove", "slices.Clone", "bytes.Clone", "runtime.makeslice*"}, nil, "%s is copied only to be ranged over", c.text(original))
})

// callsOthers tells whether a node calls functions that may change what they can reach.
func (c *cursor) callsOthers(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		t := c.TypesInfo.Types[call.Fun]
		found = found || !t.IsType() && !t.IsBuiltin() && !pure[c.callee(call)]
		return !found
	})
	return found
}

// copyOf is what an expression copies: append([]T{}, x...), slices.Clone(x).
func (c *cursor) copyOf(e ast.Expr) ast.Expr {
	if call, ok := c.builtin(e, "append"); ok && len(call.Args) == 2 && call.Ellipsis.IsValid() {
		switch begin := ast.Unparen(call.Args[0]).(type) {
		case *ast.CompositeLit:
			if len(begin.Elts) == 0 {
				return call.Args[1]
			}
		case *ast.CallExpr:
			if c.TypesInfo.Types[begin.Fun].IsType() && len(begin.Args) == 1 && c.TypesInfo.Types[begin.Args[0]].IsNil() {
				return call.Args[1]
			}
		}
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && slices.Contains([]string{"slices.Clone", "bytes.Clone"}, c.callee(call)) {
		return call.Args[0]
	}
	return nil
}

// appending finds appends that copy the whole slice: x = append(append([]T{}, x...), v).
var appending = analyzer("appending", "appends that copy the whole slice", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	call, ok := c.builtin(s.Rhs[0], "append")
	if !ok || len(call.Args) == 0 {
		return
	}
	if original := c.copyOf(call.Args[0]); original != nil && c.text(original) == c.text(s.Lhs[0]) {
		c.report(s, []string{"runtime.growslice*", "runtime.memmove", "slices.Clone", "bytes.Clone"}, nil, "%s is copied as a whole for each element that is appended", c.text(original))
	}
})

// largeValue is the size, in bytes, from which on a copy for each turn of a loop is worth a word.
const largeValue = 128

// copying finds large values that are copied in each turn of a loop.
var copying = analyzer("copying", "large values that are copied in each turn", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok || s.Value == nil || s.Tok != token.DEFINE {
		return
	}
	id, ok := s.Value.(*ast.Ident)
	if !ok || id.Name == "_" {
		return
	}
	t := c.TypesInfo.TypeOf(id)
	if t == nil || c.TypesSizes == nil {
		return
	}
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct || c.TypesSizes.Sizeof(t) < largeValue {
		return
	}
	if v, ok := c.TypesInfo.Defs[id].(*types.Var); ok && !c.changes(s.Body)[v] {
		c.report(&span{s.Pos(), s.X.End()}, nil, nil, "a value of %d bytes is copied to %s in each turn", c.TypesSizes.Sizeof(t), id.Name)
	}
})

// A span is a part of a node.
type span struct{ from, to token.Pos }

func (s *span) Pos() token.Pos { return s.from }
func (s *span) End() token.Pos { return s.to }

// search finds maps that are searched entry by entry for a key.
var search = analyzer("search", "maps that are searched for a key", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok || s.Key == nil || len(s.Body.List) != 1 || s.Tok != token.DEFINE {
		return
	}
	if _, isMap := c.typeOf(s.X).(*types.Map); !isMap {
		return
	}
	branch, ok := s.Body.List[0].(*ast.IfStmt)
	if !ok || branch.Else != nil || branch.Init != nil {
		return
	}
	test, ok := branch.Cond.(*ast.BinaryExpr)
	key := c.root(s.Key)
	if !ok || test.Op != token.EQL || key == nil {
		return
	}
	for _, pair := range [][2]ast.Expr{{test.X, test.Y}, {test.Y, test.X}} {
		if id, ok := ast.Unparen(pair[0]).(*ast.Ident); ok && c.TypesInfo.ObjectOf(id) == types.Object(key) && c.uses(pair[1], key) == 0 && (s.Value == nil || c.root(s.Value) == nil || c.uses(pair[1], c.root(s.Value)) == 0) {
			c.report(s, nil, nil, "%s is searched entry by entry for a key", c.text(s.X))
			return
		}
	}
})

// roundTrip finds conversions that another takes back.
var roundTrip = analyzer("roundtrip", "conversions back and forth", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	switch {
	case c.conversion(call, types.Typ[types.String]) != nil:
		inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
		if ok && c.conversion(inner, types.NewSlice(types.Typ[types.Byte])) != nil && types.Identical(c.TypesInfo.TypeOf(inner.Args[0]), c.TypesInfo.TypeOf(call)) {
			c.report(call, []string{"runtime.stringtoslicebyte", "runtime.slicebytetostring"}, []analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(c.operand(inner.Args[0]))}}, "a string is converted to bytes and back")
		}
	case c.callee(call) == "strings.Join" && len(call.Args) == 2:
		inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
		if ok && c.callee(inner) == "strings.Split" && c.constant(call.Args[1]) != nil && c.text(inner.Args[1]) == c.text(call.Args[1]) {
			c.report(call, []string{"strings.Join", "strings.Split"}, []analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(c.operand(inner.Args[0]))}}, "a string is split and joined again")
		}
	}
})

// conversion is the operand of a conversion to a type; nil for others.
func (c *cursor) conversion(call *ast.CallExpr, to types.Type) ast.Expr {
	if t := c.TypesInfo.Types[call.Fun]; len(call.Args) == 1 && t.IsType() && types.Identical(t.Type.Underlying(), to) {
		return call.Args[0]
	}
	return nil
}

// muchRoom is the number of elements from which on making them for each call is worth a word.
const muchRoom = 1024

// oversized finds room that is made for each call, whatever is needed.
var oversized = analyzer("oversized", "large constant room", func(c *cursor, n ast.Node) {
	e, ok := n.(ast.Expr)
	if !ok || c.function() == nil || c.once() {
		return
	}
	call, ok := c.builtin(e, "make")
	if !ok || e != ast.Expr(call) {
		return
	}
	if _, channel := c.typeOf(call).(*types.Chan); channel {
		return
	}
	for _, size := range call.Args[1:] {
		if v := c.constant(size); v != nil && v.Kind() == constant.Int && constant.Compare(v, token.GEQ, constant.MakeInt64(muchRoom)) {
			c.report(call, []string{"runtime.makeslice*", "runtime.makemap*", "runtime.mallocgc*", "internal/runtime/maps.NewMap"}, nil, "room for %s elements is made each time, whatever is needed", v)
			return
		}
	}
})

// byBytes finds input and output byte by byte.
var byBytes = analyzer("bybytes", "input and output byte by byte", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(c.loops(call)) == 0 || len(call.Args) == 0 {
		return
	}
	name := c.callee(call)
	data := call.Args[len(call.Args)-1]
	if !slices.Contains(unbuffered, name) || !c.oneByte(data) {
		return
	}
	c.report(call, nil, nil, "bytes are read or written one at a time")
})

// unbuffered are the functions that may ask the system for each byte.
var unbuffered = []string{
	"io.ReadFull", "(io.Reader).Read", "(io.Writer).Write", "(*os.File).Read", "(*os.File).Write", "(net.Conn).Read", "(net.Conn).Write",
}

// oneByte tells whether an expression is a slice of one byte: b[:1], one[:] of [1]byte, []byte{x}.
func (c *cursor) oneByte(e ast.Expr) bool {
	if s, ok := c.typeOf(e).(*types.Slice); !ok || !types.Identical(s.Elem(), types.Typ[types.Byte]) {
		return false
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(x.Elts) == 1
	case *ast.SliceExpr:
		if a, ok := c.typeOf(x.X).(*types.Array); ok && x.Low == nil && x.High == nil {
			return a.Len() == 1
		}
		return x.Low == nil && x.High != nil && c.constant(x.High) != nil && c.constant(x.High).ExactString() == "1"
	}
	return false
}
