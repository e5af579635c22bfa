//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// keepOwner returns the permissions that f is to have. The folder gives it its owner.
func keepOwner(_ *os.File, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }
