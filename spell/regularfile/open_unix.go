//go:build unix

package regularfile

import (
	"errors"
	"os"
	"syscall"
)

// openWithoutWaiting opens a file so that neither opening nor reading waits. Some files of
// the kernel say that they are regular, and keep their reader waiting all the same
// (/proc/kmsg): reading those fails with EAGAIN.
func openWithoutWaiting(name string) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil {
			err = syscall.SetNonblock(fd, false) // or the file would wait for EAGAIN to be over
		}
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		f := os.NewFile(uintptr(fd), name)
		return f, syscall.SetNonblock(fd, true)
	}
}
