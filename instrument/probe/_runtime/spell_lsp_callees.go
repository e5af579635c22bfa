//go:build linux && (amd64 || arm64)

package runtime

import "internal/abi"

// A sample in code without a row is booked to the component that has its time, below the
// line that was reached there: to the function that the component called, or
// that was inlined into it. Its place in a key is that of a row. It has the offset of
// the function's name in the program's table of names, which inlined functions have too.

const (
	spellCallee   = 1 << 30 // in the place of a row: what else is there is the offset of a name
	spellAssembly = 1 << 29 // with spellCallee: the function is written in assembly
)

// spellCalleeOf stands for a function in a key; 0 if its name has no such offset, as in a
// plugin, or in a child process of another program. f is the function whose frame it is in.
//
// Nobody calls asyncPreempt: the handler of the signal for preemption makes the thread go on
// there. Where the timer's signal was pending too, as after a wait for a processor, it comes
// at the first instruction of asyncPreempt, and the time is that of what was interrupted.
func spellCalleeOf(f funcInfo, sf srcFunc) uint32 {
	if spellForeign {
		return 0 // the names are those of another executable
	}
	if sf.funcID == abi.FuncID_asyncPreempt {
		return 0
	}
	if sf.datap != &firstmoduledata || sf.nameOff <= 0 || sf.nameOff >= spellAssembly {
		return 0
	}
	callee := spellCallee | uint32(sf.nameOff)
	if f.flag&abi.FuncFlagAsm != 0 {
		callee |= spellAssembly
	}
	return callee
}
