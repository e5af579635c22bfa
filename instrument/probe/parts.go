package probe

import (
	"cmp"
	"slices"
)

// The table of calls.go also has the own time of each component, by line and callee. A slot whose
// caller is a test, and whose key has isOwn, stands for the component; below it are its lines, whose
// keys have isLine, and below these the functions without a row that the line called, or that were
// inlined into it. Their keys have isCallee, isAssembly if the function is written in assembly, and
// the offset of its name in the table of names of the program (pclntab).
const (
	isOwn      = 1 << 29
	isLine     = 3 << 30
	isCallee   = 1 << 30
	isAssembly = 1 << 29

	mostOffset = 1<<29 - 1 // of a name, and the last line
)

// A Part is a part of a component's own time, as samples saw it.
type Part struct {
	Row      int
	Line     int    // of the component's source, as the compiler has it (//line); 0 if it is not known
	Name     uint32 // of the function without a row that the line called, its offset in the program's table of names; 0 for none
	Assembly bool   // that function is
	NS       uint64 // CPU time, in that function with what it called
}

// kindOf tells of a key what stands in the place of a row.
func kindOf(key uint64) (line, callee, own bool) {
	k := uint32(key)
	line = k&isLine == isLine
	callee = !line && k&isCallee != 0
	own = !line && !callee && k&isOwn != 0
	return line, callee, own
}

// parts lists the parts of the own time of the components in a test, by row and line, the most
// time first. It is nil if there are none.
func (f *callForest) parts(test uint32) []Part {
	var list []Part
	for _, own := range f.own[test] {
		row := int(uint32(f.key(own)) &^ isOwn)
		list = f.appendPart(list, own, Part{Row: row})
		for _, line := range f.lines[own+1] {
			part := Part{Row: row, Line: int(uint32(f.key(line)) & mostOffset)}
			list = f.appendPart(list, line, part)
			for _, callee := range f.callees[line+1] {
				key := uint32(f.key(callee))
				part.Name, part.Assembly = key&mostOffset, key&isAssembly != 0
				list = f.appendPart(list, callee, part)
			}
		}
	}
	slices.SortFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Line, b.Line), cmp.Compare(b.NS, a.NS), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func (f *callForest) appendPart(list []Part, slot uint32, p Part) []Part {
	if p.NS = f.ns(slot); p.NS == 0 {
		return list
	}
	return append(list, p)
}
