//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package store

import (
	"errors"
	"os"
)

func lockFile(*os.File) error { return errors.ErrUnsupported }
