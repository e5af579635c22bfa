//go:build unix

package burn

import (
	"os"
	"syscall"
	"unsafe"
)

func mapped(f *os.File) (*Accounts, error) {
	memory, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return (*Accounts)(unsafe.Pointer(unsafe.SliceData(memory))), nil
}
