package meter

import (
	"errors"
	"io/fs"
	"syscall"
)

// Gone reports that an error of reading a program's files in procfs says that
// the program has ended: what it used stays as it was read last. EINVAL is what
// folders of a namespace give that went with the program.
func Gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EINVAL)
}
