package frames

import (
	"debug/elf"
	"testing"
)

// Where the return address is, by how deep the stack is.
func TestReturnAddress(t *testing.T) {
	at := []uint64{1, 2}
	for _, tt := range []struct {
		machine elf.Machine
		depth   int
		want    uint64
	}{
		{elf.EM_X86_64, 0, 1},   // no frame: CALL left it at the stack pointer
		{elf.EM_X86_64, 8, 2},   // the frame pointer was saved above it, and may not be set
		{elf.EM_X86_64, 16, 0},  // the frame pointer leads to it
		{elf.EM_AARCH64, 0, 1},  // in the link register
		{elf.EM_AARCH64, 32, 2}, // at the stack pointer
	} {
		if got := returnAddress(tt.machine, tt.depth, at); got != tt.want {
			t.Errorf("%v, %d bytes deep: %d, want %d", tt.machine, tt.depth, got, tt.want)
		}
	}
}
