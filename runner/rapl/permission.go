package rapl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A PermissionError says that a file of the powercap class may not be read.
type PermissionError struct {
	Root  string // the powercap class
	Path  string
	Mode  fs.FileMode
	Owner string // "root:root", or numbers without names; "" if unknown
	Err   error  // of the system
}

func (e *PermissionError) Error() string {
	text := fmt.Sprintf("%s may not be read (mode %04o", e.Path, e.Mode.Perm())
	if e.Owner != "" {
		text += ", owner " + e.Owner
	}
	return text + "): permission denied"
}

func (e *PermissionError) Unwrap() error { return e.Err }

// explain turns a refusal to open path into a *PermissionError and leaves other
// errors as they are.
func explain(root, path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return newPermissionError(root, path, err)
}

// newPermissionError describes path or, if that is not visible, the nearest visible
// folder above it, which is then the obstacle.
func newPermissionError(root, path string, err error) *PermissionError {
	e := &PermissionError{Root: root, Path: path, Err: err}
	for at := path; ; at = filepath.Dir(at) {
		if info, statErr := os.Stat(at); statErr == nil {
			e.Path, e.Mode, e.Owner = at, info.Mode(), owner(info)
			return e
		}
		if at == filepath.Dir(at) {
			return e
		}
	}
}
