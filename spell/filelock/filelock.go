// Package filelock locks an open file against other processes and other openings of it. The
// kernel releases the lock when the file is closed, and that of a process that ends, however it
// ends.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld says that another process or goroutine holds the lock.
var ErrHeld = errors.New("is locked by another process")

// Try locks a file without waiting. The error is [ErrHeld], or the system's where the file system
// has no locks.
func Try(f *os.File) error { return try(f, false) }

// TryShared is Try for a lock that several processes may hold at once, as long as nobody holds that
// of Try.
func TryShared(f *os.File) error { return try(f, true) }
