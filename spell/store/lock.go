package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"spell-lsp/spell/filelock"
)

const (
	lockWait = 30 * time.Second // for other writers, each of which needs less than a second
	lockPoll = 5 * time.Millisecond
)

// lock waits until nobody else changes the folder, which must exist. The kernel
// releases the lock of a process that ends, however it ends. The lock file stays:
// removing it would break the lock of a process that waits for it.
func (ws workspaceDir) lock() (unlock func(), err error) {
	for end := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		unlock, err := ws.tryLock()
		if !errors.Is(err, filelock.ErrHeld) {
			return unlock, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%w, for %v now: end the process that holds it, or try again", err, lockWait)
		}
	}
}

// tryLock is lock without waiting. The error is filelock.ErrHeld if somebody else holds the lock.
func (ws workspaceDir) tryLock() (unlock func(), err error) {
	name := filepath.Join(ws.dir, "lock")
	// Where others can write, the name may be a link: it must not make a file elsewhere.
	folder, err := os.OpenRoot(ws.dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := folder.OpenFile("lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	if err := filelock.Try(f); err != nil {
		f.Close()
		if errors.Is(err, filelock.ErrHeld) {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		return nil, fmt.Errorf("%s cannot be locked: %w: set %s to a folder on a local disk", name, err, Variable)
	}
	return func() { f.Close() }, nil
}

// change runs f while no other process or goroutine changes the folder.
func (ws workspaceDir) change(f func() error) error {
	unlock, err := ws.lock()
	if err != nil {
		return unwritable(ws.dir, err)
	}
	defer unlock()
	return unwritable(ws.dir, f())
}
