package seeding

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// findQuadraticText is for s += x and for writes to a strings.Builder or bytes.Buffer.
func findQuadraticText(p *place, n ast.Node) rewrite {
	s, ok := n.(ast.Stmt)
	if !ok || !p.inList(s) {
		return nil
	}
	if assign, ok := s.(*ast.AssignStmt); ok && assign.Tok == token.ADD_ASSIGN && isString(p.typeOf(assign.Lhs[0])) && p.simple(assign.Lhs[0]) {
		x, strings := p.text(assign.Lhs[0]), p.use("strings")
		return func(k int) []edit {
			return p.before(s, p.repeat(k, fmt.Sprintf("%s = %s.Join(%s.Split(%s, \"\"), \"\")", x, strings, strings, x)))
		}
	}
	call := p.statementCall(s)
	if call == nil {
		return nil
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(method.Sel.Name, "Write") || !p.simple(method.X) || !isNamed(p.typeOf(method.X), "strings.Builder", "bytes.Buffer") {
		return nil
	}
	whole := fmt.Sprintf("_ = %s.ToUpper(%s.String())", p.use("strings"), p.text(method.X))
	return func(k int) []edit { return p.after(s, p.repeat(k, whole)) }
}

// statementCall is the call of the statements f(x), y = f(x) and y := f(x).
func (p *place) statementCall(s ast.Stmt) *ast.CallExpr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 {
			e = s.Rhs[0]
		}
	}
	call, _ := e.(*ast.CallExpr)
	return call
}

// findRegexp is for methods of expressions that were compiled once, and for calls of
// package strings that look for a constant.
func findRegexp(p *place, n ast.Node) rewrite {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	f := callee(p.source.Info, call)
	if f == nil {
		return nil
	}
	if strings.HasPrefix(f.FullName(), "(*regexp.Regexp).") && f.Name() != "String" {
		re, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || !p.simple(re.X) {
			return nil
		}
		return p.compiling(func(compile func(string) string) []edit {
			return p.replace(re.X, compile(p.text(re.X)+".String()"))
		})
	}
	form := map[string]struct{ before, after, method, rest string }{
		"strings.Contains":   {"", "", "MatchString", ""},
		"strings.HasPrefix":  {"^", "", "MatchString", ""},
		"strings.HasSuffix":  {"", `\z`, "MatchString", ""},
		"strings.Split":      {"", "", "Split", ", -1"},
		"strings.ReplaceAll": {"", "", "ReplaceAllLiteralString", ", "},
	}[f.FullName()]
	if form.method == "" || len(call.Args) < 2 {
		return nil
	}
	sought := p.source.Info.Types[call.Args[1]].Value
	if sought == nil || sought.Kind() != constant.String || p.constant(call.Args[0]) {
		return nil
	}
	literal := constant.StringVal(sought)
	if literal == "" || strings.IndexFunc(literal, func(r rune) bool { return r >= 0x80 }) >= 0 {
		return nil
	}
	rest := form.rest
	if len(call.Args) == 3 {
		rest += p.text(call.Args[2])
	}
	expr := strconv.Quote(form.before + regexp.QuoteMeta(literal) + form.after)
	return p.compiling(func(compile func(string) string) []edit {
		return p.replace(call, fmt.Sprintf("%s.%s(%s%s)", compile(expr), form.method, p.text(call.Args[0]), rest))
	})
}

func (p *place) compiling(edits func(compile func(expr string) string) []edit) rewrite {
	regexp := p.use("regexp")
	return func(k int) []edit {
		return edits(func(expr string) string {
			return p.evaluate(k, "*"+regexp+".Regexp", regexp+".MustCompile("+expr+")")
		})
	}
}

// findFormatting is for x == y and x != y of predeclared types, and for joined strings.
func findFormatting(p *place, n ast.Node) rewrite {
	e, ok := n.(*ast.BinaryExpr)
	if !ok || p.constant(e) || !p.simple(e.X) || !p.simple(e.Y) {
		return nil
	}
	x, y := p.text(e.X), p.text(e.Y)
	switch {
	case e.Op == token.ADD && isString(p.typeOf(e)):
		sprintf := p.use("fmt") + ".Sprintf"
		return func(k int) []edit {
			return p.replace(e, p.evaluate(k, "string", fmt.Sprintf(`%s("%%s%%s", %s, %s)`, sprintf, x, y)))
		}
	case (e.Op == token.EQL || e.Op == token.NEQ) && p.comparable(e) && isPlain(p.typeOf(e.X)) && isPlain(p.typeOf(e.Y)):
		sprint := p.use("fmt") + ".Sprint"
		x, y = p.typed(e.X), p.typed(e.Y)
		return func(k int) []edit {
			return p.replace(e, p.evaluate(k, "bool", fmt.Sprintf("%s(%s) %s %s(%s)", sprint, x, e.Op, sprint, y)))
		}
	}
	return nil
}

func findReflection(p *place, n ast.Node) rewrite {
	e, ok := n.(*ast.BinaryExpr)
	if !ok || e.Op != token.EQL && e.Op != token.NEQ || p.constant(e) || !p.simple(e.X) || !p.simple(e.Y) || !p.comparable(e) {
		return nil
	}
	not := ""
	if e.Op == token.NEQ {
		not = "!"
	}
	equal := fmt.Sprintf("%s%s.DeepEqual(%s, %s)", not, p.use("reflect"), p.typed(e.X), p.typed(e.Y))
	return func(k int) []edit { return p.replace(e, p.evaluate(k, "bool", equal)) }
}

// comparable tells whether both sides have the same type, whose values are equal if they
// look equal: a string, boolean or integer.
func (p *place) comparable(e *ast.BinaryExpr) bool {
	x, y := p.typeOf(e.X), p.typeOf(e.Y)
	basic, ok := x.Underlying().(*types.Basic)
	return ok && types.Identical(x, y) && basic.Info()&types.IsUntyped == 0 &&
		basic.Info()&(types.IsString|types.IsBoolean|types.IsInteger) != 0 && basic.Kind() != types.Uintptr
}

// typed writes an operand so that it has its type when it is assigned to an interface.
func (p *place) typed(e ast.Expr) string {
	if !p.constant(e) {
		return p.text(e)
	}
	return p.typeText(p.typeOf(e)) + "(" + p.text(e) + ")"
}

// findConversion is for variables that are strings and passed to a function.
func findConversion(p *place, n ast.Node) rewrite {
	e, ok := n.(ast.Expr)
	call, called := p.parent().(*ast.CallExpr)
	if !ok || !called || !slices.Contains(call.Args, e) || p.isBuiltin(call) || !p.simple(e) || p.constant(e) || !isString(p.typeOf(e)) {
		return nil
	}
	split, text := p.use("strings"), p.fresh("text")
	again := fmt.Sprintf(`%s = %s.Join(%s.Split(%s, ""), "")`, text, split, split, text)
	return func(k int) []edit {
		return p.replace(e, fmt.Sprintf("func() string {\n%s := %s\n%s\nreturn %s\n}()", text, p.text(e), p.repeat(k, again), text))
	}
}

// findByteIO is for what is written at once, and for readers that are read.
func findByteIO(p *place, n ast.Node) rewrite {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	f := callee(p.source.Info, call)
	if f == nil || len(call.Args) == 0 {
		return nil
	}
	last := call.Args[len(call.Args)-1]
	switch name := f.FullName(); {
	case slices.Contains([]string{"io.ReadAll", "io/ioutil.ReadAll", "bufio.NewReader", "bufio.NewScanner", "io.Copy", "encoding/json.NewDecoder", "encoding/xml.NewDecoder"}, name):
		reader, io, iotest := p.fresh("reader"), p.use("io"), p.use("testing/iotest")
		return func(k int) []edit {
			one := fmt.Sprintf("%s = %s.OneByteReader(%s)", reader, iotest, reader)
			return p.replace(last, fmt.Sprintf("func() %s.Reader {\n%s := %s.Reader(%s)\n%s\nreturn %s\n}()", io, reader, io, p.text(last), p.repeat(k, one), reader))
		}
	case (f.Name() == "WriteString" || f.Name() == "Write") && !p.constant(last) && (isString(p.typeOf(last)) || p.isBytes(last)):
		return p.byteByByte(last)
	}
	return nil
}

func (p *place) isBytes(e ast.Expr) bool {
	return types.Identical(p.typeOf(e), types.NewSlice(types.Typ[types.Byte]))
}

// byteByByte passes a copy of the written data, which is made byte by byte.
func (p *place) byteByByte(data ast.Expr) rewrite {
	bytes, all, reader, buffer, c, err := p.use("bytes"), p.fresh("all"), p.fresh("reader"), p.fresh("buffer"), p.fresh("c"), p.fresh("err")
	typ, from := "[]byte", p.text(data)
	if isString(p.typeOf(data)) {
		typ = "string"
	}
	result := typ + "(" + all + ")"
	if typ == "[]byte" {
		result = all
	}
	pass := fmt.Sprintf(`%s, %s := %s.NewReader(%s), new(%s.Buffer)
for {
	%s, %s := %s.ReadByte()
	if %s != nil {
		break
	}
	%s.WriteByte(%s)
}
%s = %s.Bytes()`, reader, buffer, bytes, all, bytes, c, err, reader, err, buffer, c, all, buffer)
	return func(k int) []edit {
		return p.replace(data, fmt.Sprintf("func() %s {\n%s := []byte(%s)\n%s\nreturn %s\n}()", typ, all, from, p.repeat(k, pass), result))
	}
}
