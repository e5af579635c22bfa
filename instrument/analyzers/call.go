package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// compiled finds patterns that are compiled whenever a function is called.
var compiled = analyzer("compiled", "constant patterns that are compiled for each call", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	f := c.function()
	if !ok || f == nil || len(call.Args) == 0 || c.once() || c.kept() {
		return
	}
	if c.constant(call.Args[0]) == nil {
		c.compiledAgain(call)
		return
	}
	if f.Recv == nil && (f.Name.Name == "init" || f.Name.Name == "main") {
		return
	}
	switch name := c.callee(call); name {
	case "regexp.MustCompile", "regexp.MustCompilePOSIX", "regexp.Compile", "regexp.CompilePOSIX":
		c.report(call, []string{name}, c.toPackage(call, f, name), "%s compiles a constant pattern at each call of %s", name, f.Name.Name)
	case "regexp.MatchString", "regexp.Match", "regexp.MatchReader":
		c.report(call, []string{name}, nil, "%s compiles a constant pattern at each call of %s", name, f.Name.Name)
	case "(*text/template.Template).Parse", "(*html/template.Template).Parse":
		pkg := strings.TrimSuffix(strings.TrimPrefix(name, "(*"), ".Template).Parse")
		c.report(call, []string{pkg + ".(*Template).Parse"}, nil, "a constant template is parsed at each call of %s", f.Name.Name)
	}
})

// compiledAgain reports patterns that are no constants, but are compiled already, or in each turn of a loop.
func (c *cursor) compiledAgain(call *ast.CallExpr) {
	name, found := strings.CutPrefix(c.callee(call), "regexp.")
	if !found || name != "MustCompile" && name != "Compile" && name != "MatchString" && name != "Match" {
		return
	}
	if of, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok && c.callee(of) == "(*regexp.Regexp).String" {
		c.report(call, []string{"regexp." + name}, nil, "%s is compiled already, and compiled again", c.text(of.Fun.(*ast.SelectorExpr).X))
		return
	}
	loops := c.loops(call)
	if len(loops) == 0 {
		return
	}
	loop := loops[len(loops)-1]
	changed := c.changes(loop)
	maps.Copy(changed, c.shared(loop))
	if c.same(call.Args[0], changed) && !c.declares(loop, call.Args[0]) && !c.leaves(loop) {
		c.report(call, []string{"regexp." + name}, nil, "regexp.%s compiles the same pattern in each turn of the loop", name)
	}
}

// once tells whether the node is in a literal that is given to sync.Once, or makes a lazy value.
func (c *cursor) once() bool {
	return slices.ContainsFunc(c.stack, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && strings.Contains(c.callee(call), "sync.Once")
	})
}

// kept tells whether the value of the node is kept beyond the function: in a field, or a variable of the
// package.
func (c *cursor) kept() bool {
	s, ok := c.stack[len(c.stack)-1].(*ast.AssignStmt)
	if !ok {
		return false
	}
	return slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
		if _, ident := e.(*ast.Ident); !ident {
			return true
		}
		v := c.root(e)
		return v != nil && v.Parent() == c.Pkg.Scope()
	})
}

// toPackage moves a call that cannot fail into a package variable before the function.
func (c *cursor) toPackage(call *ast.CallExpr, f *ast.FuncDecl, name string) []analysis.TextEdit {
	if name != "regexp.MustCompile" || c.localConstant(call.Args[0]) || c.callsLongest(f) {
		return nil
	}
	if _, err := regexp.Compile(constant.StringVal(c.constant(call.Args[0]))); err != nil { // it would panic at the start of the program
		return nil
	}
	fresh := c.fresh(lowerFirst(f.Name.Name) + "Pattern")
	at := f.Pos()
	if f.Doc != nil {
		at = f.Doc.Pos()
	}
	return []analysis.TextEdit{
		{Pos: at, End: at, NewText: []byte("var " + fresh + " = " + c.text(call) + "\n\n")},
		{Pos: call.Pos(), End: call.End(), NewText: []byte(fresh)},
	}
}

// callsLongest tells whether a function changes a regular expression, which others must not see.
func (c *cursor) callsLongest(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && c.callee(call) == "(*regexp.Regexp).Longest" {
			found = true
		}
		return !found
	})
	return found
}

// localConstant tells whether an expression has a constant that only a function knows.
func (c *cursor) localConstant(e ast.Expr) bool {
	local := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			k, isConst := c.TypesInfo.Uses[id].(*types.Const)
			local = local || isConst && k.Pkg() == c.Pkg && k.Parent() != c.Pkg.Scope()
		}
		return true
	})
	return local
}

// formatting finds values that are formatted for what needs no format.
var formatting = analyzer("formatting", "formatting that a conversion does", func(c *cursor, n ast.Node) {
	switch x := n.(type) {
	case *ast.CallExpr:
		if !c.sprintfOfText(x) {
			c.sprintfOfInt(x)
		}
	case *ast.BinaryExpr:
		a, b := c.sprint(x.X), c.sprint(x.Y)
		if (x.Op == token.EQL || x.Op == token.NEQ) && a != nil && b != nil && types.Identical(c.TypesInfo.TypeOf(a), c.TypesInfo.TypeOf(b)) && predeclared(c.TypesInfo.TypeOf(a)) {
			var fix []analysis.TextEdit
			if strictlyComparable(c.TypesInfo.TypeOf(a)) && c.plain(a) && c.plain(b) {
				fix = []analysis.TextEdit{{Pos: x.Pos(), End: x.End(), NewText: []byte(c.text(a) + " " + x.Op.String() + " " + c.text(b))}}
			}
			c.report(x, []string{"fmt.Sprint", "fmt.Sprintf"}, fix, "values are formatted to compare them: compare the values")
		}
	}
})

// plain tells whether an expression can stand in another without brackets.
func (c *cursor) plain(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return c.plain(x.X)
	case *ast.IndexExpr:
		return c.plain(x.X)
	case *ast.CallExpr:
		return c.plain(x.Fun)
	}
	return false
}

// operand is the text of an expression that replaces an operand.
func (c *cursor) operand(e ast.Expr) string {
	if c.plain(e) {
		return c.text(e)
	}
	return "(" + c.text(e) + ")"
}

// sprint is the value that is formatted by its default format; nil for others.
func (c *cursor) sprint(e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	switch name := c.callee(call); {
	case name == "fmt.Sprint" && len(call.Args) == 1:
		return call.Args[0]
	case name == "fmt.Sprintf" && len(call.Args) == 2 && c.constant(call.Args[0]) != nil && constant.StringVal(c.constant(call.Args[0])) == "%v":
		return call.Args[1]
	}
	return nil
}

// sprintfOfText reports formats that only put strings and integers together.
func (c *cursor) sprintfOfText(call *ast.CallExpr) bool {
	name := c.callee(call)
	if name != "fmt.Sprintf" && name != "fmt.Sprint" || len(call.Args) == 0 || call.Ellipsis.IsValid() || c.comparedOrUnused() {
		return false
	}
	format, values := "%v", call.Args
	if name == "fmt.Sprintf" {
		v := c.constant(call.Args[0])
		if v == nil || v.Kind() != constant.String {
			return false
		}
		format, values = constant.StringVal(v), call.Args[1:]
	}
	operands, imports, texts := c.sum(format, values, call)
	if texts == 0 { // an integer alone is reported as one
		return false
	}
	text := strings.Join(operands, " + ")
	if len(operands) > 1 && !c.standsAlone() {
		text = "(" + text + ")"
	}
	fix := append([]analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(text)}}, imports...)
	c.report(call, []string{name}, fix, "strings are put together by package fmt: use +, and strconv for integers")
	return true
}

// comparedOrUnused tells whether the value of the node is compared with another, which is reported as
// a whole, or not used.
func (c *cursor) comparedOrUnused() bool {
	switch around := c.stack[len(c.stack)-1].(type) {
	case *ast.BinaryExpr:
		return c.sprint(around.X) != nil && c.sprint(around.Y) != nil
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return true
	}
	return false
}

// sum is what a format makes of values, as operands of +; texts is how many of them are strings, 0 if it
// does anything else.
func (c *cursor) sum(format string, values []ast.Expr, at ast.Node) (operands []string, imports []analysis.TextEdit, texts int) {
	literal := ""
	flush := func() {
		if literal != "" {
			operands = append(operands, strconv.Quote(literal))
			texts++
		}
		literal = ""
	}
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] != '%':
			literal += format[i : i+1]
			continue
		case i+1 == len(format):
			return nil, nil, 0
		}
		i++
		verb := format[i]
		if verb == '%' {
			literal += "%"
			continue
		}
		if len(values) == 0 {
			return nil, nil, 0
		}
		value := values[0]
		values = values[1:]
		t, ok := c.TypesInfo.TypeOf(value).(*types.Basic)
		if !ok || c.constant(value) != nil {
			return nil, nil, 0
		}
		flush()
		switch {
		case t.Info()&types.IsString != 0 && (verb == 's' || verb == 'v'):
			operands, texts = append(operands, c.operand(value)), texts+1
		case t.Info()&types.IsInteger != 0 && (verb == 'd' || verb == 'v'):
			text, more, ok := c.formatted(value, at)
			if !ok {
				return nil, nil, 0
			}
			operands, imports = append(operands, text), more
		default:
			return nil, nil, 0
		}
	}
	flush()
	if len(values) > 0 || len(operands) == 0 {
		return nil, nil, 0
	}
	return operands, imports, texts
}

// sprintfOfInt reports fmt.Sprintf("%d", n) and fmt.Sprint(n) of integers.
func (c *cursor) sprintfOfInt(call *ast.CallExpr) {
	if around, ok := c.stack[len(c.stack)-1].(*ast.BinaryExpr); ok && (around.Op == token.EQL || around.Op == token.NEQ) {
		return // the comparison is reported
	}
	name := c.callee(call)
	var value ast.Expr
	switch {
	case name == "fmt.Sprintf" && len(call.Args) == 2 && c.constant(call.Args[0]) != nil && constant.StringVal(c.constant(call.Args[0])) == "%d":
		value = call.Args[1]
	case name == "fmt.Sprint" && len(call.Args) == 1:
		value = call.Args[0]
	default:
		return
	}
	t, ok := c.TypesInfo.TypeOf(value).(*types.Basic) // a named type may have a method String
	if !ok || t.Info()&types.IsInteger == 0 || c.constant(value) != nil {
		return
	}
	var fix []analysis.TextEdit
	if text, imports, ok := c.formatted(value, call); ok {
		fix = append([]analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(text)}}, imports...)
	}
	c.report(call, []string{name}, fix, "an integer is formatted by package fmt: use strconv.Itoa or strconv.FormatInt")
}

// formatted formats an integer of a predeclared type by package strconv, in decimal.
func (c *cursor) formatted(value ast.Expr, at ast.Node) (text string, imports []analysis.TextEdit, ok bool) {
	t, ok := c.TypesInfo.TypeOf(value).(*types.Basic)
	if !ok {
		return "", nil, false
	}
	pkg, imports, ok := c.use("strconv", at)
	if !ok {
		return "", nil, false
	}
	convert := func(to string) (string, []analysis.TextEdit, bool) {
		operand := c.text(value)
		if name := strings.ToLower(strings.TrimPrefix(to, "Format")) + "64"; t.Name() != name {
			operand = name + "(" + operand + ")"
			if c.lookup(name, at) != types.Universe.Lookup(name) {
				return "", nil, false
			}
		}
		return pkg + "." + to + "(" + operand + ", 10)", imports, true
	}
	switch {
	case t.Kind() == types.Int:
		return pkg + ".Itoa(" + c.text(value) + ")", imports, true
	case t.Info()&types.IsUnsigned != 0 && t.Kind() != types.Uintptr:
		return convert("FormatUint")
	case t.Info()&types.IsInteger != 0 && t.Kind() != types.Uintptr && t.Kind() != types.UntypedRune:
		return convert("FormatInt")
	}
	return "", nil, false
}

// reflection finds comparisons by reflection of types that are known.
var reflection = analyzer("reflection", "comparisons by reflection", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || c.callee(call) != "reflect.DeepEqual" || len(call.Args) != 2 {
		return
	}
	a, b := c.TypesInfo.TypeOf(call.Args[0]), c.TypesInfo.TypeOf(call.Args[1])
	if a == nil || b == nil || !types.Identical(a, b) || types.IsInterface(a) {
		return
	}
	var fix []analysis.TextEdit
	if strictlyComparable(a) && c.plain(call.Args[0]) && c.plain(call.Args[1]) && c.standsAlone() {
		fix = []analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(c.text(call.Args[0]) + " == " + c.text(call.Args[1]))}}
	}
	c.report(call, nil, fix, "values of the known type %s are compared by reflection", types.TypeString(a, types.RelativeTo(c.Pkg)))
})

// standsAlone tells whether the node is no operand, so that == needs no brackets.
func (c *cursor) standsAlone() bool {
	switch c.stack[len(c.stack)-1].(type) {
	case *ast.UnaryExpr, *ast.BinaryExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.SelectorExpr:
		return false
	}
	return true
}

// strictlyComparable tells whether == of two values means that they are deeply equal.
func strictlyComparable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsInteger|types.IsString|types.IsBoolean) != 0
	case *types.Array:
		return strictlyComparable(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || !strictlyComparable(f.Type()) { // == leaves out blank fields
				return false
			}
		}
		return true
	}
	return false
}

// eager finds messages that are formatted before it is known whether they are needed.
var eager = analyzer("eager", "messages that are made before they are needed", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	call, isCall := s.Rhs[0].(*ast.CallExpr)
	id, isIdent := s.Lhs[0].(*ast.Ident)
	if !isCall || !isIdent {
		return
	}
	name := c.callee(call)
	if !slices.Contains([]string{"fmt.Errorf", "fmt.Sprintf", "fmt.Sprint"}, name) {
		return
	}
	v := c.TypesInfo.Defs[id]
	if v == nil {
		return
	}
	if branch, last := c.onlyInOneBranch(s, v); branch != nil {
		var fix []analysis.TextEdit
		if last == ast.Stmt(s) {
			fix = c.intoBranch(s, call, branch)
		}
		c.report(&span{s.Pos(), last.End()}, []string{name}, fix, "%s is formatted before it is known whether it is needed", id.Name)
	}
})

// onlyInOneBranch is the if statement in whose body alone a variable is used: the next statement behind
// its declaration, or behind others that only format it again. In others, what it is made of may
// change in between.
func (c *cursor) onlyInOneBranch(declared *ast.AssignStmt, v types.Object) (branch *ast.IfStmt, last ast.Stmt) {
	block, ok := c.stack[len(c.stack)-1].(*ast.BlockStmt)
	at := -1
	if ok {
		at = slices.Index(block.List, ast.Stmt(declared))
	}
	if at < 0 {
		return nil, nil
	}
	set := 0
	for at++; at < len(block.List) && c.formatsOnly(block.List[at], v); at++ {
		set += c.uses(block.List[at], v)
	}
	if at == len(block.List) {
		return nil, nil
	}
	branch, ok = block.List[at].(*ast.IfStmt)
	if !ok || branch.Else != nil || c.uses(branch.Body, v) == 0 || c.uses(branch.Body, v) != c.uses(block, v)-set {
		return nil, nil
	}
	return branch, block.List[at-1]
}

// formatsOnly tells whether a statement sets a variable to formatted text, and calls nothing else.
func (c *cursor) formatsOnly(s ast.Stmt, v types.Object) bool {
	only, sets := true, false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			only = only && strings.HasPrefix(c.callee(n), "fmt.")
		case *ast.AssignStmt:
			sets = sets || c.root(n.Lhs[0]) == v
		case *ast.IfStmt, *ast.FuncLit:
			only = false
		}
		return only
	})
	return only && sets
}

// intoBranch moves a declaration to the begin of the body of the if statement behind it.
func (c *cursor) intoBranch(s *ast.AssignStmt, call *ast.CallExpr, branch *ast.IfStmt) []analysis.TextEdit {
	changed := c.changes(branch.Cond)
	maps.Copy(changed, c.shared(s))
	inBody := c.TypesInfo.Scopes[branch.Body]
	fixed := branch.Init == nil && c.total(call) && inBody != nil && inBody.Lookup(s.Lhs[0].(*ast.Ident).Name) == nil &&
		!slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return !c.same(e, changed) })
	if !fixed {
		return nil
	}
	return []analysis.TextEdit{
		{Pos: s.Pos(), End: branch.Pos()},
		{Pos: branch.Body.Lbrace + 1, End: branch.Body.Lbrace + 1, NewText: []byte("\n" + c.indent(s) + "\t" + c.text(s))},
	}
}

func (c *cursor) uses(n ast.Node, v types.Object) int {
	count := 0
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && c.TypesInfo.Uses[id] == v {
			count++
		}
		return true
	})
	return count
}
