package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// compiled finds patterns that are compiled whenever a function is called.
var compiled = analyzer("compiled", "constant patterns that are compiled for each call", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	f := c.function()
	if !ok || f == nil || len(call.Args) == 0 || c.constant(call.Args[0]) == nil || c.once() || c.kept() {
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
		c.sprintfOfInt(x)
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
	if strconv := c.imported("strconv"); strconv != "" && t.Kind() == types.Int {
		fix = []analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(strconv + ".Itoa(" + c.text(value) + ")")}}
	}
	c.report(call, []string{name}, fix, "an integer is formatted by package fmt: use strconv.Itoa or strconv.FormatInt")
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
	case *ast.UnaryExpr, *ast.BinaryExpr:
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
			if !strictlyComparable(f.Type()) {
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
	if v := c.TypesInfo.Defs[id]; v != nil && c.onlyInOneBranch(s, v) {
		c.report(call, []string{name}, nil, "%s is formatted before it is known whether it is needed", id.Name)
	}
})

// onlyInOneBranch tells whether a variable is used in the body of an if alone that is the next statement
// behind its declaration: in others, what it is made of may change in between.
func (c *cursor) onlyInOneBranch(declared *ast.AssignStmt, v types.Object) bool {
	block, ok := c.stack[len(c.stack)-1].(*ast.BlockStmt)
	at := -1
	if ok {
		at = slices.Index(block.List, ast.Stmt(declared))
	}
	if at < 0 || at+1 == len(block.List) {
		return false
	}
	branch, ok := block.List[at+1].(*ast.IfStmt)
	return ok && branch.Else == nil && c.uses(branch.Body, v) > 0 && c.uses(branch.Body, v) == c.uses(block, v)
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
