//go:build linux && (amd64 || arm64)

package runtime

import (
	kernel "syscall_package"
	"unsafe"
)

// Where the meter has a counter for each core, what ran in a tick is written down with
// the CPU: 1 + its number, or 0 where that is not known, above the bits of the row. Only
// processors of amd64 have such counters; on others there is no room on the stack.

const (
	spellRowBits = 20
	spellMostCPU = 1<<12 - 1 // Linux has up to 8192: those beyond are not known
)

var spellAskCPU bool

// spellCPU is 1 + the number of the CPU on which the thread runs (getcpu(2)), 0 if it is not
// known. (RDTSCP would be faster, and says what the kernel or the hypervisor put into TSC_AUX.)
//
//go:nosplit
func spellCPU() uint64 {
	const getcpu = 309 // on amd64
	var cpu uint32
	if _, _, errno := kernel.Syscall6(getcpu, uintptr(unsafe.Pointer(&cpu)), 0, 0, 0, 0, 0); errno != 0 || cpu >= spellMostCPU {
		return 0
	}
	return uint64(cpu) + 1
}

// spellLookCPU is called before spellTurn. The CPU of what spellTurn writes down is known where the
// thread was not seen to change it meanwhile.
//
//go:nosplit
func spellLookCPU(ring *spellTicked) {
	now := spellCPU()
	ring.list, ring.span = 0, 0
	if ring.seen == now {
		ring.span = now << spellRowBits
	}
	if ring.seen == now || ring.wired != 0 {
		ring.list = ring.cpu << spellRowBits
	}
	ring.cpu, ring.seen, ring.wired = now, now, 0
}

// spellWireCPU is called when a thread gets a processor: in the middle of a tick, that may be on
// another CPU than what the processor did in it so far. After the end of a tick, what follows cannot
// change any more where it ran.
//
//go:nosplit
func spellWireCPU(pp *p) {
	if !spellHasCores || !spellAskCPU {
		return
	}
	now := spellCPU()
	for i := range pp.spell.places {
		ring := (*spellTicked)(unsafe.Pointer(pp.spell.places[i].ring))
		if ring == nil {
			return
		}
		if ring.seen != now && ring.wired == 0 {
			ring.cpu = 0
		}
		if ring.tick != *spellReadings {
			ring.wired = 1
		}
		ring.seen = now
	}
}
