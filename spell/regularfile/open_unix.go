//go:build unix

package regularfile

import (
	"errors"
	"os"
	"syscall"
)

// openWithoutWaiting opens a file so that neither opening nor reading blocks. Some kernel
// files claim to be regular but block their reader (/proc/kmsg): reading those fails with
// EAGAIN.
func openWithoutWaiting(name string) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil {
			err = syscall.SetNonblock(fd, false) // otherwise os.File would wait until the file is readable
		}
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		f := os.NewFile(uintptr(fd), name)
		return f, syscall.SetNonblock(fd, true)
	}
}
