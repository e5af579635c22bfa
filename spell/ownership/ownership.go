// Package ownership checks whether other users of the machine can change the contents of a
// folder.
//
// A folder is private if it and all its parents belong to this user or to root and nobody
// else can write them. Two kinds of write permission are harmless: that of the owner's private
// group, as useradd creates it (the group's number is the owner's), and that of a parent with
// the sticky bit, in which only the owner of an entry can replace it. The user's home folder
// and its parents are not checked: whoever can write there controls the account already. On
// Windows every folder counts as private.
package ownership

import (
	"fmt"
	"io/fs"
	"os"
)

// An Error names the folder through which other users can change another folder.
type Error struct {
	Folder string      // the folder that was checked
	Open   string      // that folder or a parent, which other users can write
	Owner  int         // user number of Open's owner
	Mode   fs.FileMode // of Open
	Writer string      // who can write Open: "everybody", "group 20" or "user 1001"
	Remedy string      // the command that fixes it; "" if this user cannot
}

func (e *Error) Error() string {
	text := fmt.Sprintf("other users can change what is in %s: %s can write %s (%s, its owner is user %d)", e.Folder, e.Writer, e.Open, e.Mode, e.Owner)
	if e.Remedy != "" {
		text += "; to stop that: " + e.Remedy
	}
	return text
}

// Check returns an *Error if other users can change the contents of a folder, which need not
// exist yet. A folder that cannot be inspected is no error: using it will fail.
func Check(dir string) error { return check(dir, false) }

// CheckBeside is Check, but also trusts one more user, such as the owner of the running
// program.
func CheckBeside(dir string, user int) error { return check(dir, false, user) }

// Make creates a folder that only this user can access, with its missing parents, and checks
// it. If others can write a parent, nothing is created.
func Make(dir string) error {
	if err := check(dir, true); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return check(dir, false) // somebody may have created it in between
}
