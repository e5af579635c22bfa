package probe

import (
	"cmp"
	"slices"
)

// In the table of calls.go, a slot whose key has isCallee is a function without a row
// that the component of the caller's slot called, or that was inlined into it; the rest
// of the key is the offset of its name in the table of names of the program (pclntab),
// with isAssembly if it is written in assembly. Its CPU time is a part of the
// component's own.
const (
	isCallee   = 1 << 30
	isAssembly = 1 << 29
)

// A Callee is a function without a row that a component called directly.
type Callee struct {
	Row      int
	Name     uint32 // offset of its name in the program's table of names
	Assembly bool
	NS       uint64 // CPU time in it, and in what it called
}

// calleeSums adds up the CPU time of callees of a test.
type calleeSums map[calleeOf]uint64

type calleeOf struct {
	row int
	key uint32 // lower half
}

func (s calleeSums) add(row int, key uint32, ns uint64) { s[calleeOf{row, key}] += ns }

// list lists the callees by row, the most time first. It is nil if there are none.
func (s calleeSums) list() []Callee {
	var list []Callee
	for of, ns := range s {
		list = append(list, Callee{Row: of.row, Name: of.key & (isAssembly - 1), Assembly: of.key&isAssembly != 0, NS: ns})
	}
	slices.SortFunc(list, func(a, b Callee) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(b.NS, a.NS), cmp.Compare(a.Name, b.Name))
	})
	return list
}
