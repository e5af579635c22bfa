package generate

import (
	"errors"
	"fmt"
	"go/types"
	"strings"
)

// A value is an expression with the statements that must stand before it.
type value struct {
	lines []string
	expr  string
	kind  kind
}

type kind int

const (
	plain  kind = iota // costs nothing, such as a name: it can stand in the loop
	stored             // is kept in a variable before the loop
	fresh              // is used up by a call, and cheap to make: it stands in the loop
	used               // is used up by a call, and made anew for each
)

var errNoGenerator = errors.New("no generator")

const maxDepth = 3 // of structs in structs

// sizedValue is a value of size n. Its variable, if it has one, is called name.
func (p *plan) sizedValue(name string, t types.Type, depth int) (value, error) {
	if v, ok, err := p.known(name, t); ok {
		return v, err
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return p.sizedBasic(name, t, u)
	case *types.Slice:
		return p.slice(name, t, u, depth)
	case *types.Map:
		return p.mapOf(name, t, u)
	case *types.Pointer:
		return p.pointer(name, u, depth)
	case *types.Struct:
		return p.sizedStruct(name, t, u, depth)
	case *types.Chan:
		return p.channel(name, u)
	}
	expr, err := p.element(t, p.one(), depth)
	return value{expr: expr, kind: stored}, err
}

// one is the rank of a single element: one in the middle, if others are there and it is not to be added to them.
func (p *plan) one() string {
	if p.container {
		p.sized = true
		if !p.adds {
			return "n/2"
		}
	}
	return "n"
}

// known are types whose values are made by functions of the standard library.
func (p *plan) known(name string, t types.Type) (v value, ok bool, err error) {
	text := func(form string) (value, bool, error) {
		v, err := p.text(name+"Text", "string")
		v.expr, v.kind = fmt.Sprintf(form, v.expr), fresh
		return v, true, err
	}
	switch types.TypeString(t, nil) {
	case "io.Reader", "io.ReadSeeker", "io.ReaderAt", "io.ByteReader", "io.RuneReader", "io.ByteScanner", "io.RuneScanner", "*strings.Reader":
		return text(p.imported("strings") + ".NewReader(%s)")
	case "io.ReadCloser":
		return text(p.imported("io") + ".NopCloser(" + p.imported("strings") + ".NewReader(%s))")
	case "*bufio.Reader", "*bufio.Scanner":
		constructor := strings.Replace(types.TypeString(t, nil), "*bufio.", ".New", 1)
		return text(p.imported("bufio") + constructor + "(" + p.imported("strings") + ".NewReader(%s))")
	case "*bytes.Reader", "*bytes.Buffer":
		constructor := strings.Replace(types.TypeString(t, nil), "*bytes.", ".New", 1)
		return text(p.imported("bytes") + constructor + "([]byte(%s))")
	case "io.Writer":
		return value{expr: p.imported("io") + ".Discard"}, true, nil
	case "*strings.Builder":
		return value{expr: "new(" + p.imported("strings") + ".Builder)", kind: fresh}, true, nil
	case "context.Context":
		return value{expr: p.imported("context") + ".Background()"}, true, nil
	case "testing.TB":
		return value{expr: "b"}, true, nil
	case "*math/rand/v2.Rand":
		r := p.imported("math/rand/v2")
		return value{expr: fmt.Sprintf("%s.New(%s.NewPCG(1, 2))", r, r), kind: stored}, true, nil
	case "*math/rand.Rand":
		r := p.imported("math/rand")
		return value{expr: fmt.Sprintf("%s.New(%s.NewSource(1))", r, r), kind: stored}, true, nil
	case "sort.Interface":
		ints := types.NewSlice(types.Typ[types.Int])
		v, err := p.slice(name+"List", ints, ints, 0)
		v.expr = p.imported("sort") + ".IntSlice(" + v.expr + ")"
		return v, true, err
	}
	if named, _ := t.(*types.Named); named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "iter" && named.Obj().Name() == "Seq" {
		list := types.NewSlice(named.TypeArgs().At(0))
		v, err := p.slice(name+"List", list, list, 0)
		v.expr = p.imported("slices") + ".Values(" + v.expr + ")"
		return v, true, err
	}
	return value{}, false, nil
}

func (p *plan) sizedBasic(name string, t types.Type, u *types.Basic) (value, error) {
	switch {
	case u.Info()&types.IsString != 0 && !p.container:
		typed, err := p.typeName(t)
		if err != nil {
			return value{}, err
		}
		return p.text(name, typed)
	case u.Info()&types.IsBoolean != 0:
		return value{expr: "true"}, nil
	case u.Info()&types.IsNumeric != 0:
		p.sized = true
		if most := largest[u.Kind()]; most > 0 && !p.container {
			p.narrow = append(p.narrow, narrow{name, p.shown(t), most})
		}
		expr, err := p.element(t, p.one(), 0)
		return value{expr: expr}, err
	}
	expr, err := p.element(t, p.one(), 0)
	return value{expr: expr, kind: stored}, err
}

// alphabet is what generated text is made of: words have blanks between them.
const alphabet = `"abcdefghijklmnopqrstuvwxyz "`

// text is text of n characters, as a value of a type of strings or of bytes.
func (p *plan) text(name, typed string) (value, error) {
	p.sized, p.ordered = true, true
	bytes := name + "Bytes"
	if typed == "[]byte" {
		bytes = name
	}
	loop, rank := "for i, k := range ranks {", "k"
	if p.texts > 0 { // not the same as the first
		loop, rank = "for i := range ranks {", "ranks[(i+n/2)%n]"
	}
	p.texts++
	v := value{expr: name, kind: stored, lines: []string{
		bytes + " := make([]byte, n)",
		loop, bytes + "[i] = " + alphabet + "[" + rank + "*27/n]", "}",
	}}
	if typed != "[]byte" {
		v.lines = append(v.lines, fmt.Sprintf("%s := %s(%s)", name, typed, bytes))
	}
	return v, nil
}

func (p *plan) slice(name string, t types.Type, u *types.Slice, depth int) (value, error) {
	typed, err := p.typeName(t)
	if err != nil {
		return value{}, err
	}
	if basic, ok := u.Elem().Underlying().(*types.Basic); ok && basic.Kind() == types.Byte {
		v, err := p.text(name, "[]byte")
		if typed != "[]byte" {
			v.expr = typed + "(" + name + ")"
		}
		return v, err
	}
	v := value{expr: name, kind: stored}
	if row, ok := u.Elem().Underlying().(*types.Slice); ok && isNumber(row.Elem()) {
		return p.matrix(name, typed, u.Elem(), row)
	}
	element, err := p.element(u.Elem(), "k", depth)
	if err != nil {
		return value{}, err
	}
	p.sized, p.ordered = true, true
	v.lines = []string{
		fmt.Sprintf("%s := make(%s, n)", name, typed),
		forRanks("i", element), name + "[i] = " + element, "}",
	}
	return v, nil
}

// forRanks begins a loop over the ranks of the elements, of which the expression may use k and, if that is not
// the index itself, i.
func forRanks(index, element string) string {
	switch k := mentions(element, "k"); {
	case k:
		return "for " + index + ", k := range ranks {"
	case index == "_":
		return "for range ranks {"
	}
	return "for " + index + " := range ranks {"
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// matrix is n rows of n numbers.
func (p *plan) matrix(name, typed string, row types.Type, u *types.Slice) (value, error) {
	rowType, err := p.typeName(row)
	if err != nil {
		return value{}, err
	}
	element, err := p.element(u.Elem(), "k", 0)
	if err != nil {
		return value{}, err
	}
	p.sized, p.ordered = true, true
	index := p.variable("row", 0)
	return value{expr: name, kind: stored, lines: []string{
		fmt.Sprintf("%s := make(%s, n)", name, typed),
		fmt.Sprintf("for %s := range %s {", index, name),
		fmt.Sprintf("%s[%s] = make(%s, n)", name, index, rowType),
		fmt.Sprintf("for i, k := range ranks {\n%s[%s][i] = %s", name, index, element), "}", "}",
	}}, nil
}

// mapOf is a map with n keys; the values have the order.
func (p *plan) mapOf(name string, t types.Type, u *types.Map) (value, error) {
	typed, err := p.typeName(t)
	if err != nil {
		return value{}, err
	}
	key, err := p.element(u.Key(), "i", 0)
	if err != nil {
		return value{}, err
	}
	element, err := p.element(u.Elem(), "k", 0)
	if err != nil {
		return value{}, err
	}
	p.sized, p.ordered = true, true
	return value{expr: name, kind: stored, lines: []string{
		fmt.Sprintf("%s := make(%s, n)", name, typed),
		forRanks("i", element), fmt.Sprintf("%s[%s] = %s", name, key, element), "}",
	}}, nil
}

// channel is a closed channel from which n elements can be received.
func (p *plan) channel(name string, u *types.Chan) (value, error) {
	if u.Dir() != types.RecvOnly {
		return value{}, errors.New("no generator for channels that can be sent to")
	}
	elementType, err := p.typeName(u.Elem())
	if err != nil {
		return value{}, err
	}
	element, err := p.element(u.Elem(), "k", 0)
	if err != nil {
		return value{}, err
	}
	p.sized, p.ordered = true, true
	return value{expr: name, kind: used, lines: []string{
		fmt.Sprintf("%s := make(chan %s, n)", name, elementType),
		forRanks("_", element), name + " <- " + element, "}", "close(" + name + ")",
	}}, nil
}

func (p *plan) pointer(name string, u *types.Pointer, depth int) (value, error) {
	v, err := p.sizedValue(name+"Value", u.Elem(), depth)
	if err != nil {
		return value{}, err
	}
	if v.kind == stored && v.expr == name+"Value" {
		return value{lines: v.lines, expr: "&" + v.expr, kind: stored}, nil
	}
	if _, literal := u.Elem().Underlying().(*types.Struct); literal && v.kind == stored {
		return value{lines: v.lines, expr: "&" + v.expr, kind: stored}, nil
	}
	return value{lines: append(v.lines, fmt.Sprintf("%sValue := %s", name, v.expr)), expr: "&" + name + "Value", kind: stored}, nil
}

// sizedStruct is a struct whose fields have size n. Fields without a generator keep their zero value.
func (p *plan) sizedStruct(name string, t types.Type, u *types.Struct, depth int) (value, error) {
	typed, err := p.typeName(t)
	if err != nil {
		return value{}, err
	}
	if special, ok := p.specialElement(t, p.one()); ok {
		return value{expr: special, kind: stored}, nil
	}
	v := value{kind: stored}
	var fields []string
	for field := range p.settable(u) {
		if depth >= maxDepth || p.within(field.Type(), t) {
			continue
		}
		part, err := p.sizedValue(name+capital(field.Name()), field.Type(), depth+1)
		if err != nil || part.expr == "" || isNothing(field.Type()) {
			continue
		}
		v.lines = append(v.lines, part.lines...)
		fields = append(fields, field.Name()+": "+part.expr)
	}
	v.expr = typed + "{" + strings.Join(fields, ", ") + "}"
	return v, nil
}
