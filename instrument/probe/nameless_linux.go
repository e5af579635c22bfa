package probe

import (
	"os"
	"syscall"
	"unsafe"
)

// nameless makes a file in memory (memfd_create(2)), or where that is not
// allowed one that has been removed already.
func nameless() (*os.File, error) {
	name := []byte("spell-lsp\x00")
	const closeOnExec, allowSealing = 1, 2
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), closeOnExec|allowSealing, 0)
	if errno == 0 {
		return os.NewFile(fd, "memory"), nil
	}
	return removed()
}

// seal keeps every process that has the file from changing its size and, if
// contents is set, its contents (fcntl(2), F_ADD_SEALS). It does nothing to a file
// that is not in memory; up to Linux 5.0 contents can be changed.
func seal(file *os.File, contents bool) {
	const addSeals, sealSeal, sealShrink, sealGrow = 1033, 1, 2, 4
	// Not F_SEAL_WRITE, with which the file cannot be mapped shared up to Linux 6.6,
	// not even to read it.
	const sealFutureWrite = 16
	if contents {
		syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), addSeals, sealShrink|sealGrow|sealFutureWrite) //nolint:errcheck // as said above
	}
	syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), addSeals, sealShrink|sealGrow|sealSeal) //nolint:errcheck // as said above
}
