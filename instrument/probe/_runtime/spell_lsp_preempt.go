//go:build linux && (amd64 || arm64)

package runtime

import "internal/abi"

// spellNear is how many bytes of code may lie between the instructions of one
// inlined probe: the compiler puts others in between, in one basic block.
const spellNear = 512

// spellWithin says whether pc is between the instructions of an inlined probe.
// A goroutine that was preempted there could add to the counters of a processor
// that is not its own any more.
func spellWithin(f funcInfo, pc uintptr) bool {
	tree := (*[1 << 20]inlinedCall)(funcdata(f, abi.FUNCDATA_InlTree))
	table := pcdatastart(f, abi.PCDATA_InlTreeIndex)
	if tree == nil || table == 0 || f.datap == nil {
		return false
	}
	var before [16]int32 // probes whose instructions begin shortly before pc
	n := 0
	encoded := f.datap.pctab[table:]
	to, index := f.entry(), int32(-1)
	for first := true; ; first = false {
		from := to
		var ok bool
		if encoded, ok = step(encoded, &to, &index, first); !ok || from > pc+spellNear {
			return false
		}
		if index < 0 || to+spellNear < pc || !spellInlined(f, tree, index) {
			continue
		}
		if from > pc {
			for _, b := range before[:n] {
				if b == index {
					return true
				}
			}
		} else if n < len(before) {
			before[n] = index
			n++
		}
	}
}

// spellInlined says whether an inlined call is one of a probe.
func spellInlined(f funcInfo, tree *[1 << 20]inlinedCall, index int32) bool {
	const probe = "runtime.Spell"
	name := f.datap.funcName(tree[index].nameOff)
	return len(name) > len(probe) && name[:len(probe)] == probe
}
