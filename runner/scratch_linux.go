package runner

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockScratch puts the mark into a folder. It is locked before it has its
// name, so that nobody ever sees it unlocked while this process lives. Where
// the file system has no locks there is no mark, and only this process removes
// the folder.
func lockScratch(dir string) (unlock func(), err error) {
	name := filepath.Join(dir, scratchMark)
	f, err := os.OpenFile(name+".new", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if lock(f) != nil {
		return func() {}, errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}

// takeScratch locks a folder that a process left behind. It is not free where
// its owner lives, where it has no mark, and where it is another user's.
func takeScratch(dir string) (unlock func(), free bool) {
	f, err := os.OpenFile(filepath.Join(dir, scratchMark), os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	var stat unix.Stat_t
	if unix.Fstat(int(f.Fd()), &stat) != nil || stat.Uid != uint32(os.Geteuid()) || lock(f) != nil {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}

func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
