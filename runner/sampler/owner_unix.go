//go:build unix

package sampler

import (
	"io/fs"
	"syscall"
)

// owner is the user who owns a file.
func owner(info fs.FileInfo) (uid uint32, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, true
}
