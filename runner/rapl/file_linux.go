package rapl

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// A descriptor reads a file with one system call. os.File would register files of
// sysfs, which support polling, with the runtime's poller.
type descriptor int

func openFile(path string) (file, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return descriptor(fd), nil
	}
}

// ReadAt reads once: a file of sysfs gives its whole content in one read. At the end
// of the file the count is 0, without io.EOF.
func (d descriptor) ReadAt(p []byte, off int64) (int, error) {
	for {
		n, err := syscall.Pread(int(d), p, off)
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}

func (d descriptor) Close() error {
	return os.NewSyscallError("close", syscall.Close(int(d)))
}
