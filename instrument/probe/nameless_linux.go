package probe

import (
	"os"
	"syscall"
	"unsafe"
)

// nameless makes a file without a name: in memory, or where that is not allowed
// (seccomp(2), vm.memfd_noexec) on disk.
func nameless() (*os.File, error) {
	for _, open := range []func() (*os.File, error){inMemory, onDisk} {
		if file, err := open(); err == nil {
			return file, nil
		}
	}
	return removed()
}

// inMemory is memfd_create(2).
func inMemory() (*os.File, error) {
	name := []byte("spell-lsp\x00")
	const closeOnExec, allowSealing = 1, 2
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), closeOnExec|allowSealing, 0)
	if errno != 0 {
		return nil, errno
	}
	return os.NewFile(fd, "memory"), nil
}

// onDisk makes a file that never has a name (open(2), O_TMPFILE). Not every file
// system knows how to.
func onDisk() (*os.File, error) {
	const tmpfile = 0x400000 | syscall.O_DIRECTORY
	return os.OpenFile(os.TempDir(), tmpfile|os.O_RDWR, 0o600)
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

// wellKnown is the file under one of the known descriptors; nil where none is free, or allowed.
func wellKnown(file *os.File) *os.File {
	const duplicateCloseOnExec = 1030 // F_DUPFD_CLOEXEC
	fd, _, errno := syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), duplicateCloseOnExec, firstKnown)
	if errno != 0 {
		return nil
	}
	known := os.NewFile(fd, file.Name())
	if fd >= firstKnown+knownDescriptors {
		known.Close()
		return nil
	}
	return known
}
