// All that a build without edits of the runtime adds to it: what the probe needs
// of it, for which every version has the same names.

package runtime

import "unsafe"

//go:linkname spellGetg
//go:nosplit
func spellGetg() unsafe.Pointer { return unsafe.Pointer(getg()) }

//go:linkname spellYield
func spellYield() { osyield() }

// spellWhere is what the environment says of the file of the probe. It is taken
// out of the environment before any other package can see it.
var spellWhere string

func init() {
	const key = "SPELL_LSP_PROBE="
	for i, kv := range envs {
		if len(kv) > len(key) && kv[:len(key)] == key {
			envs = append(envs[:i], envs[i+1:]...)
			spellWhere = kv[len(key):]
			spellForget(key)
			return
		}
	}
}

// spellForget takes the variable out of what C sees, which is what the kernel
// handed over.
func spellForget(key string) {
	for i := argc + 1; argv_index(argv, i) != nil; i++ {
		if text := gostringnocopy(argv_index(argv, i)); len(text) > len(key) && text[:len(key)] == key {
			memclrNoHeapPointers(unsafe.Pointer(argv_index(argv, i)), uintptr(len(text)))
			for ; argv_index(argv, i) != nil; i++ {
				*(**byte)(add(unsafe.Pointer(argv), uintptr(i)*unsafe.Sizeof(argv))) = argv_index(argv, i+1)
			}
			return
		}
	}
}

//go:linkname spellFile
func spellFile() string { return spellWhere }

//go:linkname spellMapFile
func spellMapFile(fd int32, size uintptr, writable bool) unsafe.Pointer {
	const shared = 1
	prot := int32(_PROT_READ)
	if writable {
		prot |= _PROT_WRITE
	}
	p, err := mmap(nil, size, prot, shared, fd, 0)
	if err != 0 {
		return nil
	}
	return p
}

//go:linkname spellClose
func spellClose(fd int32) { closefd(fd) }
