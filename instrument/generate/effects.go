package generate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// An EffectError says that a function can do more than compute, and by which calls.
type EffectError struct {
	Calls []string // from the function to what has the effect: "park.Save", "os.WriteFile"
	What  string   // such as "reads or writes files, or asks the system"
	uses  []bool   // which of Calls are variables
}

func (e *EffectError) Error() string {
	var b strings.Builder
	for i := 1; i < len(e.Calls); i++ {
		if i > 1 {
			b.WriteString(", ")
		}
		verb := "calls"
		if e.uses[i] {
			verb = "uses"
		}
		fmt.Fprintf(&b, "%s %s %s", e.Calls[i-1], verb, e.Calls[i])
	}
	if len(e.Calls) == 1 {
		b.WriteString(e.Calls[0])
	}
	return fmt.Sprintf("%s, which %s: it is not called with generated arguments. With --allow-effects it is, in an empty home and working directory", b.String(), e.What)
}

// An effects search follows everything that a function names: the functions that it calls or passes on, what is
// assigned to the variables and fields that it reads, and the methods of the types that it names where a method
// is called by way of an interface. The standard library is not followed, its effects are in a table. So
// some functions are refused that would do nothing, and none is called that does.
type effectsSearch struct {
	*source
	from    map[types.Object]types.Object // who was reached from whom
	queue   []types.Object
	types   map[*types.TypeName]bool  // named so far
	methods map[string][]types.Object // names of methods that were called by way of interfaces, to who did
	found   *EffectError
}

// checkEffects returns an *EffectError if the function, or one of those that prepare its arguments, has an effect.
func checkEffects(in *source, f *types.Func, others []*types.Func) error {
	s := &effectsSearch{source: in, from: make(map[types.Object]types.Object), types: make(map[*types.TypeName]bool), methods: make(map[string][]types.Object)}
	s.reach(f.Origin(), nil)
	for _, other := range others {
		s.reach(other.Origin(), nil)
	}
	for len(s.queue) > 0 && s.found == nil {
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.follow(next)
	}
	if s.found != nil {
		return s.found
	}
	return nil
}

// reach adds a function or variable that another one names.
func (s *effectsSearch) reach(object, by types.Object) {
	if _, known := s.from[object]; known || object == nil {
		return
	}
	s.from[object] = by
	s.queue = append(s.queue, object)
}

func (s *effectsSearch) follow(object types.Object) {
	if what := effectOf(object); what != "" {
		s.refuse(object, what)
		return
	}
	switch object := object.(type) {
	case *types.Func:
		d := s.functions[object]
		if d == nil {
			return
		}
		if d.decl.Body == nil {
			if linked := linkedTo(d.decl, s.packages[object.Pkg()], object.Name()); linked != "" {
				s.refuse(object, "is linked to "+linked+", so what it does is not known")
			}
			return
		}
		s.names(d.decl.Body, d.info, object)
	case *types.Var:
		for _, value := range s.values[object] {
			s.names(value.expr, value.info, object)
		}
	}
}

// names reaches what is named in a body or expression.
func (s *effectsSearch) names(n ast.Node, info *types.Info, by types.Object) {
	ast.Inspect(n, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch object := info.Uses[ident].(type) {
		case *types.Func:
			s.call(object.Origin(), by)
		case *types.Var:
			if k := object.Kind(); (k == types.FieldVar || k == types.PackageVar) && (holdsCode(object.Type(), 0) || effectOf(object) != "") {
				s.reach(object.Origin(), by)
			}
			s.namesType(object.Type(), by, 0)
		case *types.TypeName:
			s.namesType(object.Type(), by, 0)
		}
		return true
	})
}

// call reaches a function, or the methods that a call by way of an interface may mean.
func (s *effectsSearch) call(f *types.Func, by types.Object) {
	for result := range f.Signature().Results().Variables() {
		s.namesType(result.Type(), by, 0)
	}
	receiver := f.Signature().Recv()
	if receiver == nil || !types.IsInterface(receiver.Type()) {
		s.reach(f, by)
		return
	}
	s.reach(f, by)
	if len(s.methods[f.Name()]) == 0 {
		s.methods[f.Name()] = []types.Object{f}
		for name := range s.types {
			s.reachMethod(name, f.Name(), f)
		}
	}
}

// holdsCode tells whether what a variable of the type holds decides which functions are called.
func holdsCode(t types.Type, depth int) bool {
	if depth > maxDepth {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	case *types.Pointer:
		return holdsCode(u.Elem(), depth+1)
	case *types.Slice:
		return holdsCode(u.Elem(), depth+1)
	case *types.Array:
		return holdsCode(u.Elem(), depth+1)
	case *types.Map:
		return holdsCode(u.Key(), depth+1) || holdsCode(u.Elem(), depth+1)
	case *types.Chan:
		return holdsCode(u.Elem(), depth+1)
	}
	return false
}

// namesType notes a type. Its methods are reached where one of their names was called by way of an interface, and
// those that the standard library may call by way of its own interfaces at once.
func (s *effectsSearch) namesType(t types.Type, by types.Object, depth int) {
	named, _ := namedOf(t)
	if named == nil {
		if depth < 3 {
			switch u := types.Unalias(t).(type) {
			case *types.Slice:
				s.namesType(u.Elem(), by, depth+1)
			case *types.Map:
				s.namesType(u.Key(), by, depth+1)
				s.namesType(u.Elem(), by, depth+1)
			case *types.Pointer:
				s.namesType(u.Elem(), by, depth+1)
			}
		}
		return
	}
	name := named.Origin().Obj()
	if s.types[name] || types.IsInterface(named) || name.Pkg() == nil || s.packages[name.Pkg()] == nil {
		return
	}
	s.types[name] = true
	for method := range named.Origin().Methods() {
		if called := s.methods[method.Name()]; called != nil {
			s.reach(method, called[0])
		} else if slices.Contains(calledByLibrary, method.Name()) {
			s.reach(method, by)
		}
	}
}

// calledByLibrary are methods that functions of the standard library call on what they are given.
var calledByLibrary = []string{"String", "Error", "Format", "GoString", "Less", "Swap", "Len", "Push", "Pop", "Read", "Write", "ReadFrom", "WriteTo", "Close", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary", "Scan", "Value", "Unwrap", "Is", "As"}

func (s *effectsSearch) reachMethod(name *types.TypeName, method string, by types.Object) {
	named, ok := name.Type().(*types.Named)
	if !ok {
		return
	}
	for f := range named.Methods() {
		if f.Name() == method {
			s.reach(f, by)
		}
	}
}

// refuse ends the search, with the names from where it began to an object.
func (s *effectsSearch) refuse(object types.Object, what string) {
	e := &EffectError{What: what}
	for ; object != nil; object = s.from[object] {
		_, variable := object.(*types.Var)
		e.Calls, e.uses = append(e.Calls, objectName(object)), append(e.uses, variable)
	}
	slices.Reverse(e.Calls)
	slices.Reverse(e.uses)
	s.found = e
}

// objectName is how messages name a function or variable: "os.WriteFile", "park.Park.Save".
func objectName(object types.Object) string {
	name := object.Name()
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		if named, _ := namedOf(f.Signature().Recv().Type()); named != nil {
			name = named.Obj().Name() + "." + name
		}
	}
	if object.Pkg() != nil {
		name = object.Pkg().Name() + "." + name
	}
	return name
}

// linkedTo is the function that a //go:linkname directive gives a function without a body; "" if there is none.
func linkedTo(decl *ast.FuncDecl, pkg *packages.Package, name string) string {
	if pkg == nil {
		return ""
	}
	for _, file := range pkg.Syntax {
		if !within(decl.Pos(), file) {
			continue
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				words := strings.Fields(comment.Text)
				if len(words) == 3 && words[0] == "//go:linkname" && words[1] == name {
					return words[2]
				}
			}
		}
	}
	return ""
}

func within(at token.Pos, file *ast.File) bool { return file.FileStart <= at && at <= file.FileEnd }
