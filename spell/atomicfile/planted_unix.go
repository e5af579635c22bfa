//go:build unix

package atomicfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// userID is replaced in tests.
var userID = os.Geteuid

// plantedOnTheWay returns an error if a name, or the name of a folder above it, stands in
// a folder like /tmp, where everybody can make files, and belongs to another user: a link
// there may lead to a file of this user, and a file or pipe may be read while it is
// written. These are the rules of fs.protected_symlinks, _regular and _fifos (Linux,
// Documentation/admin-guide/sysctl/fs.rst), which the kernel cannot apply to a link that
// is read instead of followed.
func plantedOnTheWay(name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	trusted := []int{userID()}
	for at := name; at != filepath.Dir(at); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			continue // what is not there was not planted
		}
		folder, err := os.Stat(filepath.Dir(at))
		if err != nil {
			return err
		}
		everybodys := folder.Mode()&0o002 != 0 && folder.Mode()&fs.ModeSticky != 0
		if everybodys && !info.IsDir() && !slices.Contains(append(trusted, ownerOf(folder)), ownerOf(info)) {
			return fmt.Errorf("%s belongs to user %d, who made it in a folder of everybody: name a file elsewhere", at, ownerOf(info))
		}
	}
	return nil
}

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
