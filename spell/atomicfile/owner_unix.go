//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and the group of old, as far as this user may, and
// returns the permissions that f is to have then.
func keepOwner(f *os.File, old fs.FileInfo) fs.FileMode {
	perm := old.Mode().Perm()
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return perm
	}
	uid, gid := int(was.Uid), int(was.Gid)
	if is, err := f.Stat(); err == nil {
		if now, ok := is.Sys().(*syscall.Stat_t); ok && now.Uid == was.Uid && now.Gid == was.Gid {
			return perm // some file systems know no other owner, and refuse to set it
		}
	}
	if f.Chown(uid, gid) == nil || f.Chown(-1, gid) == nil {
		return perm
	}
	return limited(perm)
}
