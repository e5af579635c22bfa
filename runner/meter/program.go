package meter

import (
	"errors"
	"io/fs"
	"syscall"
)

// Gone reports whether err, from reading a program's files in procfs, means that
// the program has ended; its last reading then stands. Files of a namespace that
// ended with the program give EINVAL.
func Gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EINVAL)
}
