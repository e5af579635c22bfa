package analyzers

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

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

// ranging finds copies that are made only to be read.
var ranging = analyzer("ranging", "copies that are ranged over", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok {
		return
	}
	original := c.copyOf(s.X)
	if original == nil || c.root(original) == nil {
		return
	}
	if _, isSlice := c.typeOf(original).(*types.Slice); !isSlice {
		return
	}
	blank, isIdent := s.Value.(*ast.Ident)
	readsNothing := s.Value == nil || isIdent && blank.Name == "_" // the length alone is read, once
	if !readsNothing && (c.changes(s.Body)[c.root(original)] || c.callsOthers(s.Body)) {
		return
	}
	var fix []analysis.TextEdit
	if readsNothing || !c.stores(s) {
		fix = []analysis.TextEdit{{Pos: s.X.Pos(), End: s.X.End(), NewText: []byte(c.text(original))}}
	}
	c.report(s.X, []string{"runtime.growslice*", "runtime.memmove", "slices.Clone*", "bytes.Clone", "runtime.makeslice*", "runtime.memclrNoHeapPointers", "runtime.typedmemmove", "runtime.bulkBarrierPreWrite", "runtime.mallocgc*"}, fix, "%s is copied only to be ranged over", c.text(original))
})

// stores tells whether a loop writes to elements of anything, which may be those of what it ranges over,
// or lets others run that do.
func (c *cursor) stores(loop *ast.RangeStmt) bool {
	found := loop.Tok == token.ASSIGN
	element := func(e ast.Expr) bool {
		_, plain := ast.Unparen(e).(*ast.Ident)
		return !plain
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(s.Lhs, element)
		case *ast.IncDecStmt:
			found = found || element(s.X)
		case *ast.UnaryExpr:
			found = found || s.Op == token.ARROW || s.Op == token.AND
		case *ast.CallExpr:
			for _, name := range []string{"append", "copy", "clear", "delete"} {
				_, writes := c.builtin(s, name)
				found = found || writes
			}
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

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
			if made, ok := c.builtin(begin, "make"); ok && c.isNothing(made) {
				return call.Args[1]
			}
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

// appending finds appends that copy the whole slice: x = append(append([]T{}, x...), v), and in a loop
// x = append([]T{}, x...).
var appending = analyzer("appending", "appends that copy the whole slice", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	callees := []string{"runtime.growslice*", "runtime.memmove", "slices.Clone*", "bytes.Clone", "runtime.makeslice*", "runtime.typedmemmove", "runtime.bulkBarrierPreWrite*", "runtime.mallocgc*"}
	if original := c.copyOf(s.Rhs[0]); original != nil {
		if loops := c.loops(s); c.equal(original, s.Lhs[0]) && len(loops) > 0 && !c.leaves(loops[len(loops)-1]) && !c.assigned(loops[len(loops)-1], s) {
			c.report(s, callees, nil, "%s is copied to itself in each turn of the loop", c.text(original))
		}
		return
	}
	call, ok := c.builtin(s.Rhs[0], "append")
	if !ok || len(call.Args) == 0 {
		return
	}
	if original := c.copyOf(call.Args[0]); original != nil && c.text(original) == c.text(s.Lhs[0]) {
		c.report(s, callees, nil, "%s is copied as a whole for each element that is appended", c.text(original))
	}
})

// assigned tells whether a loop changes what an assignment sets elsewhere too, or gives it to others.
func (c *cursor) assigned(loop ast.Stmt, s *ast.AssignStmt) bool {
	found := false
	ast.PreorderStack(loop, nil, func(n ast.Node, around []ast.Node) bool {
		e, ok := n.(ast.Expr)
		if ok && c.equal(e, s.Lhs[0]) && !slices.Contains(around, ast.Node(s)) {
			found = true
		}
		return !found
	})
	return found
}

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
