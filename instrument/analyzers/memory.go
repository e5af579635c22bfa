package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// From muchRoom bytes of a slice or muchEntries of a map on, making them for each call is worth a word.
const (
	muchRoom    = 16 << 10
	muchEntries = 1024
)

// oversized finds room that is made for each call, whatever is needed: capacities and sizes of maps. The
// length of a slice says what is needed.
var oversized = analyzer("oversized", "large constant room", func(c *cursor, n ast.Node) {
	e, ok := n.(ast.Expr)
	if !ok || c.function() == nil || c.once() {
		return
	}
	call, ok := c.builtin(e, "make")
	if !ok || e != ast.Expr(call) || len(call.Args) < 2 || c.TypesSizes == nil {
		return
	}
	size, least := call.Args[len(call.Args)-1], int64(muchEntries)
	if c.constant(size) != nil && c.kept() { // it may be used again
		return
	}
	switch t := c.typeOf(call).(type) {
	case *types.Slice:
		if len(call.Args) < 3 {
			return
		}
		least = muchRoom / max(1, c.TypesSizes.Sizeof(t.Elem()))
	case *types.Map:
	default:
		return
	}
	if more := c.constantPart(size); more >= least {
		c.report(call, []string{"runtime.makeslice*", "runtime.makemap*", "runtime.mallocgc*", "runtime.memclrNoHeapPointers*", "internal/runtime/maps.NewMap"}, nil, "room for %d elements is made each time, whatever is needed", more)
	}
})

// constantPart is the value of a constant, or that which is added to something else.
func (c *cursor) constantPart(e ast.Expr) int64 {
	if v := c.constant(e); v != nil {
		n, _ := constant.Int64Val(constant.ToInt(v))
		return n
	}
	if sum, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return max(c.constantPart(sum.X), c.constantPart(sum.Y))
	}
	return 0
}
