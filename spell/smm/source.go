package smm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A sourceWriter writes the model of the source: packages contain types, and types
// contain methods.
type sourceWriter struct {
	*model
	order []int32  // components by package, type and ID
	types []string // by component: the type that it is or belongs to; "" = none
	calls []call
}

// A call is a pair of components.
type call struct{ caller, callee int32 }

func (m *model) source() {
	s := sourceWriter{model: m, types: make([]string, len(m.r.Components)), order: make([]int32, len(m.r.Components))}
	for i := range s.order {
		s.order[i], s.types[i] = int32(i), typeOf(&m.r.Components[i])
	}
	slices.SortFunc(s.order, s.compare)
	s.calls = calls(m.r)
	name := cmp.Or(m.r.Workspace.Module, "program")
	m.x.open("kdm:Segment", "xmi:id", "segment", "name", name)
	m.x.open("model", "xmi:type", "code:CodeModel", "xmi:id", codeModel, "name", name)
	for rest := s.order; len(rest) > 0; {
		pkg := m.r.Components[rest[0]].Package
		n := leading(rest, func(i int32) bool { return m.r.Components[i].Package == pkg })
		s.packageOf(pkg, rest[:n])
		rest = rest[n:]
	}
	m.x.close()
	m.x.close()
}

// typeOf returns the type that a component is or belongs to.
func typeOf(c *record.Component) string {
	if c.Kind == spell.KindType {
		return strings.TrimPrefix(c.ID, c.Package+".")
	}
	return spell.Component{ID: c.ID, Kind: c.Kind, Package: c.Package}.Receiver()
}

// compare orders a package before its members, a type before its methods, and a function
// before its blocks.
func (s *sourceWriter) compare(i, j int32) int {
	a, b := &s.r.Components[i], &s.r.Components[j]
	return cmp.Or(
		cmp.Compare(a.Package, b.Package),
		first(a.Kind == spell.KindPackage, b.Kind == spell.KindPackage),
		cmp.Compare(s.types[i], s.types[j]),
		first(a.Kind == spell.KindType, b.Kind == spell.KindType),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(i, j),
	)
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// leading counts the components at the start of the list that are like the first.
func leading(list []int32, alike func(int32) bool) int {
	n := slices.IndexFunc(list, func(i int32) bool { return !alike(i) })
	if n < 0 {
		return len(list)
	}
	return n
}

// packageOf writes a package with its members; members without a package stand alone.
func (s *sourceWriter) packageOf(name string, members []int32) {
	if name != "" {
		members = s.container("code:Package", "p", name, spell.KindPackage, members)
		defer s.x.close()
	}
	for len(members) > 0 {
		typ := s.types[members[0]]
		n := leading(members, func(i int32) bool { return s.types[i] == typ })
		s.typeOf(typ, members[:n])
		members = members[n:]
	}
}

// typeOf writes a type with its methods; without a type they are functions.
func (s *sourceWriter) typeOf(name string, members []int32) {
	if name != "" {
		members = s.container("code:ClassUnit", "t", name, spell.KindType, members)
		defer s.x.close()
	}
	for len(members) > 0 {
		id := s.r.Components[members[0]].ID
		n := 1 + leading(members[1:], func(i int32) bool { return isBlockOf(&s.r.Components[i], id) })
		s.function(members[0], members[1:n])
		members = members[n:]
	}
}

func isBlockOf(c *record.Component, function string) bool {
	return c.Kind == spell.KindBlock && strings.HasPrefix(c.ID, function+"#")
}

// container opens a package or type, and returns its other members. The package or type
// may itself be a component, which is the first of its members.
func (s *sourceWriter) container(kind, prefix, name string, is spell.Kind, members []int32) []int32 {
	id := prefix + strconv.Itoa(int(members[0]))
	own := s.r.Components[members[0]].Kind == is
	if own {
		id = componentID(int(members[0]))
	}
	s.x.open("codeElement", "xmi:type", kind, "xmi:id", id, "name", name)
	if !own {
		return members
	}
	s.place(&s.r.Components[members[0]])
	return members[1:]
}

// function writes a component whose only members are blocks.
func (s *sourceWriter) function(i int32, blocks []int32) {
	c := &s.r.Components[i]
	attributes := []string{"xmi:type", "code:CallableUnit", "xmi:id", componentID(int(i)), "name", s.short(i)}
	switch {
	case c.Kind == spell.KindFile:
		attributes[1] = "code:CompilationUnit"
	case c.Kind == spell.KindBlock:
		attributes[1] = "action:BlockUnit"
	case c.Kind.AcrossFunctions():
		attributes[1] = "code:CodeElement"
	case s.types[i] != "":
		attributes[1] = "code:MethodUnit"
		attributes = append(attributes, "kind", "method")
	default:
		attributes = append(attributes, "kind", "regular")
	}
	s.x.open("codeElement", attributes...)
	s.place(c)
	for _, block := range blocks {
		s.function(block, nil)
	}
	if c.Kind == spell.KindFunction {
		s.callsOf(i)
	}
	s.x.close()
}

// short returns the name of a component within its package and type.
func (s *sourceWriter) short(i int32) string {
	c := &s.r.Components[i]
	name := strings.TrimPrefix(c.ID, c.Package+".")
	if c.Package == "" || s.types[i] == "" {
		return name
	}
	_, name, _ = strings.Cut(name, ".")
	return name
}

// place writes the source region of a component.
func (s *sourceWriter) place(c *record.Component) {
	if c.File == "" {
		return
	}
	region := []string{"path", c.File}
	if c.Line > 0 {
		region = append(region, "startLine", strconv.Itoa(c.Line))
	}
	if c.EndLine > 0 {
		region = append(region, "endLine", strconv.Itoa(c.EndLine))
	}
	s.x.open("source")
	s.x.leaf("region", region...)
	s.x.close()
}

// callsOf writes the calls of a function that samples have seen.
func (s *sourceWriter) callsOf(caller int32) {
	from, _ := slices.BinarySearchFunc(s.calls, caller, func(c call, i int32) int { return cmp.Compare(c.caller, i) })
	n := from
	for n < len(s.calls) && s.calls[n].caller == caller {
		n++
	}
	if from == n {
		return
	}
	id := componentID(int(caller)) + ".calls"
	s.x.open("codeElement", "xmi:type", "action:ActionElement", "xmi:id", id, "name", "calls", "kind", "Call")
	for _, c := range s.calls[from:n] {
		callee := componentID(int(c.callee))
		s.x.leaf("actionRelation", "xmi:type", "action:Calls", "xmi:id", id+"."+callee, "from", id, "to", callee)
	}
	s.x.close()
}

// calls lists the pairs of caller and callee that samples have seen, by caller. Only
// functions call and are called.
func calls(r *record.Run) []call {
	var list []call
	isFunction := func(i int) bool { return r.Components[i].Kind == spell.KindFunction }
	for _, n := range r.CallTree {
		if n.Parent < 0 {
			continue
		}
		if caller := r.CallTree[n.Parent].Component; isFunction(caller) && isFunction(n.Component) {
			list = append(list, call{int32(caller), int32(n.Component)})
		}
	}
	slices.SortFunc(list, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.callee, b.callee))
	})
	return slices.Compact(list)
}

func componentID(i int) string { return "c" + strconv.Itoa(i) }
