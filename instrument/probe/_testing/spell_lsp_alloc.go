//go:build linux && (amd64 || arm64)

package testing

import "unsafe"

//go:linkname spellAllocs probe_package.spellAllocs
func spellAllocs() unsafe.Pointer

// spellAllocated is how many words the runtime has for what a row allocated: bytes and objects.
const spellAllocated = 2

// spellAllocations is what each row allocated so far.
func spellAllocations(rows int) [][spellAllocated]uint64 {
	return unsafe.Slice((*[spellAllocated]uint64)(spellAllocs()), rows)
}
