package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"spell-lsp/spell/sectionfile"
)

// remedy says what to do about a file that cannot be read.
func remedy(err error) string {
	var version *sectionfile.VersionError
	switch {
	case errors.As(err, &version) && version.Version > version.Known:
		return "update spell-lsp to read it, or delete the file"
	case errors.As(err, &version):
		return "read it with the version of spell-lsp that wrote it, or delete the file"
	case errors.Is(err, fs.ErrPermission):
		return "make it readable"
	}
	return "delete the file; other runs are not affected"
}

// unwritable adds to an error of writing what to do about it.
func unwritable(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG):
		return fmt.Errorf("%w: free some space for %s, or set %s to a folder on another disk", err, dir, Variable)
	case isAny(err, syscall.EROFS, fs.ErrPermission):
		return fmt.Errorf("%w: make %s writable, or set %s to a folder that is", err, dir, Variable)
	}
	return err
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
