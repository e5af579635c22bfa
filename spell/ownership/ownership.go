// Package ownership tells whether other users of the machine can change what is in
// a folder.
//
// A folder is private where it, and every folder above it, belongs to this user or
// to root and cannot be written by anybody else. Two kinds of write permission do
// no harm: that of a group which has the number of the folder's owner (his private
// group, as useradd makes it), and that of a folder above with the sticky bit, where
// only the owner of an entry can replace it. The user's home folder and those above
// it are not looked at: whoever can write there has the user's account already.
// Windows has no such permissions: every folder counts as private there.
package ownership

import (
	"fmt"
	"io/fs"
	"os"
)

// An Error names the folder that makes another one open to other users.
type Error struct {
	Folder string      // the folder that was to be used
	Open   string      // that folder or one above it: other users can write it
	Owner  int         // user number of Open's owner
	Mode   fs.FileMode // of Open
	Writer string      // who can write Open: "everybody", "group 20" or "user 1001"
	Remedy string      // the command that helps, "" where this user has none
}

func (e *Error) Error() string {
	text := fmt.Sprintf("other users can change what is in %s: %s can write %s (%s, its owner is user %d)", e.Folder, e.Writer, e.Open, e.Mode, e.Owner)
	if e.Remedy != "" {
		text += "; to stop that: " + e.Remedy
	}
	return text
}

// Check returns an *Error where other users can change what is in a folder, which
// need not be there yet. What cannot be looked at is no error: to use it will fail.
func Check(dir string) error { return check(dir, false) }

// CheckBeside is Check where what belongs to one more user, such as the owner of the
// running program, is trusted as well.
func CheckBeside(dir string, user int) error { return check(dir, false, user) }

// Make makes a folder for this user alone, with those above it that are missing,
// and checks it. Where others can write above it, nothing is made.
func Make(dir string) error {
	if err := check(dir, true); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return check(dir, false) // somebody may have made it meanwhile
}
