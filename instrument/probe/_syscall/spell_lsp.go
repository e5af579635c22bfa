// The probe's part of package syscall. It stands there during an instrumented build
// only: Syscall and Syscall6 tell package runtime of each call, which counts the bytes.

//go:build linux && (amd64 || arm64)

package syscall

import _ "unsafe" // for go:linkname

//go:linkname spellCallBegins runtime.spellCallBegins
//go:noescape
func spellCallBegins(trap, a1 uintptr)

//go:linkname spellCallEnds runtime.spellCallEnds
//go:noescape
func spellCallEnds(trap, a2, a3, a4, a5, r1 uintptr)

//go:linkname spellCalled runtime.spellCalled
//go:noescape
func spellCalled(trap, a1, a2, a3, r1, errno uintptr)
