package rewrite

import (
	"fmt"
	"go/token"

	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
)

// The blocks of a function are the bodies of its loops, branches and clauses,
// also of those in its function literals. Each is a component of its own; a
// literal's time is that of its function, as without blocks.
//
// SpellBlock at the start of a block counts an execution of it and puts its row
// on top. SpellBack puts a row back on top where control may come from a block
// that is over:
//
//   - before a statement that follows one with blocks in the same list, unless
//     control cannot get there from them;
//   - before a continue or goto that leads to what is another row's;
//   - at the end of a loop's body, if its last statement has blocks.
//
// The last two are left out for loops that call nothing between two iterations.
// So a row on top is always that of the list that runs, and these are charged
// where one might doubt it: the condition of an if, the tag and the cases of a
// switch, what a select waits for, and what a loop does before its first
// iteration, to what is around them; what a loop does between iterations and
// after the last one, to its body, or where it calls nothing, to the block in
// it that ran last; what is deferred, to the block that ran last.
//
// The body of a loop over an iterator that has a timed probe of its own runs
// while that is on top: its executions are counted, its time is the iterator's,
// as it is without blocks.
//
// Nothing is inserted behind the last statement of a list, other than a loop's
// body, so a list that ends in a terminating statement still does. The row is
// put back on return, panic and Goexit by SpellExit: the function, and each
// literal, must have a timed probe.

// ownRow stands for the function's own row in place of a block's index.
const ownRow = -1

// Blocks are the blocks of one function, in source order.
type Blocks struct {
	List     []gosource.Block
	switches []rowSwitch // what must be inserted for them
}

// A rowSwitch is a place in the source where the row on top of the stack changes.
type rowSwitch struct {
	offset int
	format string // of the name of the probe and the row
	block  int    // index, or ownRow
}

const (
	blockStarts = "%s.SpellBlock(%d);"
	blockIsOver = "%s.SpellBack(%d);"
	bodyEnds    = ";" + blockIsOver
)

// Blocks finds the blocks of f.Funcs[i].
func (f *File) Blocks(i int) *Blocks {
	w := blockWalk{file: f, at: make(map[token.Pos]int)}
	body := f.Funcs[i].Body
	w.List = gosource.Blocks(f.fset, body, f.src)
	for i, b := range w.List {
		w.at[b.Opening] = i
	}
	w.function(body)
	return &w.Blocks
}

// Components describes the blocks of a function, in their order.
func (b *Blocks) Components(of spell.Component) []spell.Component {
	list := make([]spell.Component, len(b.List))
	for i := range b.List {
		list[i] = b.List[i].Component(of)
	}
	return list
}

// insert puts the calls into the text of the file. Block i has the row first+i,
// the function has the row function; the probe is imported as probe.
func (b *Blocks) insert(out *Text, probe string, function, first uint32) {
	for _, s := range b.switches {
		row := function
		if s.block != ownRow {
			row = first + uint32(s.block)
		}
		out.Insert(s.offset, fmt.Sprintf(s.format, probe, row))
	}
}
