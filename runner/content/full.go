package content

import (
	"errors"
	"fmt"
	"syscall"

	"spell-lsp/spell/units"
)

// explained says more of an error that a full disk makes: which file system it is, how much was to be
// written, and what can be removed, if anything is known of that. Other errors it returns as they are.
func explained(err error, dir string, need int64, removable string) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		disk, free := diskOf(dir)
		return fmt.Errorf("%s is full: %s are to be written to %s, and %s: free space on it%s, "+
			"or choose a folder on another file system: %w",
			disk, units.Bytes(float64(need)), dir, free, removable, err)
	case errors.Is(err, syscall.EDQUOT):
		disk, _ := diskOf(dir)
		return fmt.Errorf("your quota on %s is used up: %s are to be written to %s: remove files of yours there%s, "+
			"or choose a folder on another file system: %w",
			disk, units.Bytes(float64(need)), dir, removable, err)
	}
	return err
}
