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
	verbs []string // how each of Calls is reached: "calls", "uses" a variable, "may call" a method of a type that is named
}

func (e *EffectError) Error() string {
	var b strings.Builder
	for i := 1; i < len(e.Calls); i++ {
		if i > 1 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s %s", e.Calls[i-1], e.verbs[i], e.Calls[i])
	}
	if len(e.Calls) == 1 {
		b.WriteString(e.Calls[0])
	}
	return fmt.Sprintf("%s, which %s: it is not called with generated arguments. With --allow-effects it is, in an empty home and working directory", b.String(), e.What)
}

// An effects search follows everything that a function names: the functions that it calls or passes on, what is
// assigned to the variables and fields that it reads, and the methods of the types that it names where a method
// may be called by way of an interface. The standard library is not followed, its effects are in a table. So
// some functions are refused that would do nothing. Not seen is what is set through a pointer to a variable, what
// an encoder calls on fields of fields, assembly, and what happens as the program begins.
type effectsSearch struct {
	*source
	from    map[types.Object]types.Object // who was reached from whom
	queue   []types.Object
	types   map[*types.TypeName]bool  // named so far
	methods map[string][]types.Object // names of methods that were called by way of interfaces, to who did
	maybe   map[types.Object]bool     // methods that are reached as those of types that are named
	byName  types.Object              // who calls methods by names that the source does not have; nil if nobody does
	found   *EffectError
}

// checkEffects returns an *EffectError if the function, or one of those that prepare its arguments, has an effect.
func checkEffects(in *source, f *types.Func, others []*types.Func) error {
	s := &effectsSearch{source: in, from: make(map[types.Object]types.Object), types: make(map[*types.TypeName]bool), methods: make(map[string][]types.Object), maybe: make(map[types.Object]bool)}
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
	if callsByName(object) && s.byName == nil {
		s.byName = object
		for name := range s.types {
			s.reachMethods(name)
		}
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
		s.names(d.decl.Body, d.info, object, false)
	case *types.Var:
		// What functions that are not reached set or pass counts where they ran before: their local variables then have
		// what the variable has.
		for _, value := range s.values[object] {
			if ran := s.starts(value.in); ran || !isLocal(object) {
				s.names(value.expr, value.info, object, ran)
			}
		}
	}
}

// isLocal tells whether a variable is one of a function, such as a parameter.
func isLocal(v *types.Var) bool { return v.Kind() != types.FieldVar && v.Kind() != types.PackageVar }

// names reaches what is named in a body or expression, with the values of local variables or without.
func (s *effectsSearch) names(n ast.Node, info *types.Info, by types.Object, local bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if expr, ok := n.(ast.Expr); ok && info.TypeOf(expr) != nil {
			s.namesType(info.TypeOf(expr), by, 0)
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if selection := info.Selections[n]; selection != nil {
				s.throughFields(selection, by)
			}
		case *ast.Ident:
			switch object := info.Uses[n].(type) {
			case *types.Func:
				s.call(object.Origin(), by)
			case *types.Builtin:
				if object.Name() == "print" || object.Name() == "println" {
					s.reach(object, by)
				}
			case *types.Var:
				if (local || !isLocal(object)) && (s.holdsCode(object.Type(), 0) || effectOf(object) != "") {
					s.reach(object.Origin(), by)
				}
			}
		}
		return true
	})
}

// throughFields reaches the embedded fields that a selection goes through without naming them.
func (s *effectsSearch) throughFields(selection *types.Selection, by types.Object) {
	t := selection.Recv()
	for _, i := range selection.Index()[:len(selection.Index())-1] {
		structure, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			return
		}
		field := structure.Field(i)
		if t = field.Type(); s.holdsCode(t, 0) {
			s.reach(field.Origin(), by)
		}
	}
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

// holdsCode tells whether what a variable of the type holds decides which functions are called. An error does not, and
// a struct of the module has fields, which are variables too.
func (s *effectsSearch) holdsCode(t types.Type, depth int) bool {
	if depth > maxDepth {
		return true
	}
	if types.Identical(t, types.Universe.Lookup("error").Type()) || isTime(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	case *types.Struct:
		named, _ := namedOf(t)
		return named != nil && s.inLibrary[named.Obj().Pkg()]
	case *types.Pointer:
		return s.holdsCode(u.Elem(), depth+1)
	case *types.Slice:
		return s.holdsCode(u.Elem(), depth+1)
	case *types.Array:
		return s.holdsCode(u.Elem(), depth+1)
	case *types.Map:
		return s.holdsCode(u.Key(), depth+1) || s.holdsCode(u.Elem(), depth+1)
	case *types.Chan:
		return s.holdsCode(u.Elem(), depth+1)
	}
	return false
}

// namesType notes a type, and those of its elements. Its methods are reached where one of their names was called by way
// of an interface, and those that the standard library may call by way of its own interfaces at once.
func (s *effectsSearch) namesType(t types.Type, by types.Object, depth int) {
	if depth > maxDepth {
		return
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		for argument := range named.TypeArgs().Types() {
			s.namesType(argument, by, depth+1)
		}
		name := named.Origin().Obj()
		if s.types[name] || name.Pkg() == nil || s.packages[name.Pkg()] == nil {
			return
		}
		s.types[name] = true
		if !types.IsInterface(named) {
			s.typeMethods(name, by)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		s.namesType(u.Elem(), by, depth+1)
	case *types.Slice:
		s.namesType(u.Elem(), by, depth+1)
	case *types.Array:
		s.namesType(u.Elem(), by, depth+1)
	case *types.Chan:
		s.namesType(u.Elem(), by, depth+1)
	case *types.Map:
		s.namesType(u.Key(), by, depth+1)
		s.namesType(u.Elem(), by, depth+1)
	}
}

// typeMethods reaches those methods of a type that has just been named that are called already.
func (s *effectsSearch) typeMethods(name *types.TypeName, by types.Object) {
	if s.byName != nil {
		s.reachMethods(name)
		return
	}
	for selection := range types.NewMethodSet(types.NewPointer(name.Type())).Methods() {
		method := selection.Obj().Name()
		if called := s.methods[method]; called != nil {
			s.reachMethod(name, method, called[0])
		} else if slices.Contains(calledByLibrary, method) {
			s.reachMethod(name, method, by)
		}
	}
	for _, i := range s.standard {
		if types.Implements(types.NewPointer(name.Type()), i) {
			for method := range i.Methods() {
				s.reachMethod(name, method.Name(), by)
			}
		}
	}
}

// calledByLibrary are methods that functions of the standard library call on what they are given.
var calledByLibrary = []string{"String", "Error", "Format", "GoString", "Less", "Swap", "Len", "Push", "Pop", "Read", "Write", "ReadFrom", "WriteTo", "Close", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary", "Scan", "Value", "Unwrap", "Is", "As"}

// reachMethod reaches a method of a type, which may be that of an embedded field.
func (s *effectsSearch) reachMethod(name *types.TypeName, method string, by types.Object) {
	for selection := range types.NewMethodSet(types.NewPointer(name.Type())).Methods() {
		if f, ok := selection.Obj().(*types.Func); ok && f.Name() == method {
			if _, known := s.from[f.Origin()]; !known {
				s.maybe[f.Origin()] = true
			}
			s.throughFields(selection, by)
			s.call(f.Origin(), by)
		}
	}
}

// reachMethods reaches all methods of a type.
func (s *effectsSearch) reachMethods(name *types.TypeName) {
	for selection := range types.NewMethodSet(types.NewPointer(name.Type())).Methods() {
		s.reachMethod(name, selection.Obj().Name(), s.byName)
	}
}

// refuse ends the search, with the names from where it began to an object.
func (s *effectsSearch) refuse(object types.Object, what string) {
	e := &EffectError{What: what}
	for ; object != nil; object = s.from[object] {
		verb := "calls"
		if _, variable := object.(*types.Var); variable {
			verb = "uses"
		} else if s.maybe[object] {
			verb = "may call"
		}
		e.Calls, e.verbs = append(e.Calls, objectName(object)), append(e.verbs, verb)
	}
	slices.Reverse(e.Calls)
	slices.Reverse(e.verbs)
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
	if v, ok := object.(*types.Var); object.Pkg() != nil && (!ok || !isLocal(v)) {
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
