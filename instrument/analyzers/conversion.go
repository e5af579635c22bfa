package analyzers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

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

// runes finds strings that become slices only to be ranged over.
var runes = analyzer("runes", "runes that are made only to be ranged over", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok {
		return
	}
	key, isIdent := s.Key.(*ast.Ident)
	call, isCall := ast.Unparen(s.X).(*ast.CallExpr)
	if !isCall || s.Key != nil && (!isIdent || key.Name != "_") {
		return
	}
	of := c.conversion(call, types.NewSlice(types.Typ[types.Rune]))
	if of == nil {
		return
	}
	if b, ok := c.typeOf(of).(*types.Basic); !ok || b.Info()&types.IsString == 0 {
		return
	}
	c.report(s.X, nil, []analysis.TextEdit{{Pos: s.X.Pos(), End: s.X.End(), NewText: []byte(c.text(of))}}, "a slice of all runes is made only to be ranged over")
})

// conversion is the operand of a conversion to a type; nil for others.
func (c *cursor) conversion(call *ast.CallExpr, to types.Type) ast.Expr {
	if t := c.TypesInfo.Types[call.Fun]; len(call.Args) == 1 && t.IsType() && types.Identical(t.Type.Underlying(), to) {
		return call.Args[0]
	}
	return nil
}
