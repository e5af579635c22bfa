package scratch

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

const nonblocking = unix.O_NONBLOCK // a pipe in the place of a file is not waited for

var errHeld = errors.New("another process holds the lock")

// lock locks a file; the error is errHeld, or the system's where it cannot lock.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errHeld
	}
	return err
}

func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// bootID names the machine since it was started (random(4)), the same in all of its
// containers; "" where that is not known.
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
})

// noexec says that no program in the folder can be started, whoever owns it
// (statfs(2)).
func noexec(dir string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(dir, &stat) == nil && stat.Flags&unix.ST_NOEXEC != 0
}
