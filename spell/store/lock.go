package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	lockWait = 30 * time.Second // for other writers, which need less than a second each
	lockPoll = 5 * time.Millisecond
)

// errLocked says that another process or goroutine holds a lock.
var errLocked = errors.New("is locked by another process")

// lock waits until nobody else changes the shelf, which must be there. A process
// that ends, however it ends, gives its lock back. The lock file stays: who removed
// it would take it from under one that waits for it.
func (sh shelf) lock() (unlock func(), err error) {
	for end := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		unlock, err := sh.tryLock()
		if !errors.Is(err, errLocked) {
			return unlock, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%w, for %v now: end the process that holds it, or try again", err, lockWait)
		}
	}
}

// tryLock is lock without waiting; the error is errLocked then.
func (sh shelf) tryLock() (unlock func(), err error) {
	name := filepath.Join(sh.dir, "lock")
	// Where others can write, the name may be a link: it must not make a file elsewhere.
	folder, err := os.OpenRoot(sh.dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := folder.OpenFile("lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		if errors.Is(err, errLocked) {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		return nil, fmt.Errorf("%s cannot be locked: %w: set %s to a folder on a local disk", name, err, Variable)
	}
	return func() { f.Close() }, nil
}

// change runs f while nobody else changes the shelf.
func (sh shelf) change(f func() error) error {
	unlock, err := sh.lock()
	if err != nil {
		return unwritable(sh.dir, err)
	}
	defer unlock()
	return unwritable(sh.dir, f())
}
