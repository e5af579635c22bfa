package content

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"spell-lsp/spell/units"
)

// diskOf names the file system of a folder by where it is mounted, and says what is free there.
func diskOf(dir string) (name, free string) {
	top := filepath.Clean(dir)
	for device := deviceOf(top); top != filepath.Dir(top) && deviceOf(filepath.Dir(top)) == device; {
		top = filepath.Dir(top)
	}
	name, free = "the file system mounted at "+top, "what is free is not known"
	var stat unix.Statfs_t
	if unix.Statfs(dir, &stat) == nil {
		free = units.Bytes(float64(stat.Bavail)*float64(stat.Bsize)) + " are free"
		if stat.Ffree == 0 && stat.Files > 0 {
			free = fmt.Sprintf("all %d file numbers (inodes) are used", stat.Files)
		}
	}
	return name, free
}

// deviceOf is the number of the device that a folder is on; 0 if it cannot be asked.
func deviceOf(dir string) uint64 {
	info, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return stat.Dev
}
