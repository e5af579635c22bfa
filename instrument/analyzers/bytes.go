package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

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

// copyingBytes finds loops that only copy bytes from a reader to a writer, one at a time.
var copyingBytes = analyzer("copyingbytes", "loops that copy byte by byte", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.ForStmt)
	if !ok || s.Cond != nil || s.Post != nil || len(s.Body.List) != 3 {
		return
	}
	read, isRead := s.Body.List[0].(*ast.AssignStmt)
	_, isTest := s.Body.List[1].(*ast.IfStmt)
	write, isWrite := s.Body.List[2].(*ast.ExprStmt)
	if !isRead || !isTest || !isWrite || len(read.Rhs) != 1 || len(read.Lhs) != 2 {
		return
	}
	from, isCall := read.Rhs[0].(*ast.CallExpr)
	to, writes := write.X.(*ast.CallExpr)
	if !isCall || !writes || len(to.Args) != 1 || !strings.HasSuffix(c.callee(from), ".ReadByte") || !strings.HasSuffix(c.callee(to), ".WriteByte") || c.root(to.Args[0]) != c.root(read.Lhs[0]) {
		return
	}
	c.report(s, nil, nil, "bytes are copied one at a time: use io.Copy, or the method WriteTo")
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
