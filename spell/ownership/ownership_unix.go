//go:build unix

package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// userID is replaced in tests.
var userID = os.Geteuid

const maxLinks = 40 // followed in one path, as in the kernel (path_resolution(7))

// check inspects every folder on the path to dir. In the last existing folder the sticky bit
// does not help, because anybody can create the missing rest, unless this process creates it
// and checks again.
func check(dir string, making bool, trusted ...int) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	w := walk{home: homeFolder(), trusted: append(trusted, userID(), 0)}
	whole := w.follow("/", strings.Split(dir, "/"))
	found := w.above
	if found == nil && (whole || !making) {
		found = w.last
	}
	if found == nil {
		return nil
	}
	if found.Folder = dir; found != w.above && !whole {
		found.Remedy = "mkdir -p -m 700 " + dir
	}
	return found
}

// A walk collects the problems along a path.
type walk struct {
	home    fs.FileInfo // nil where there is none
	trusted []int       // users
	links   int
	above   *Error // somebody can replace a part of the path
	last    *Error // somebody can write the last existing folder
}

// follow walks from a folder whose path has no links to one below it, and reports whether
// that exists.
func (w *walk) follow(from string, names []string) (whole bool) {
	w.look(from)
	for i, name := range names {
		if name == "" || name == "." {
			continue
		}
		at := filepath.Join(from, name)
		target, err := os.Readlink(at)
		switch {
		case err == nil:
			w.look(at)
			if w.links++; w.links > maxLinks {
				return false
			}
			if filepath.IsAbs(target) {
				from = "/"
			}
			return w.follow(from, append(strings.Split(target, "/"), names[i+1:]...))
		case errors.Is(err, fs.ErrNotExist):
			return false
		}
		w.look(at)
		from = at
	}
	return true
}

// look checks the permissions of a folder or link. Who can write the home folder can do anything,
// whatever is above or in it.
func (w *walk) look(at string) {
	info, err := os.Lstat(at)
	if err != nil {
		return
	}
	if w.home != nil && os.SameFile(w.home, info) {
		w.above, w.last = nil, nil
		return
	}
	w.last = w.writable(at, info)
	if sticky := info.Mode()&fs.ModeSticky != 0; w.above == nil && w.last != nil && (!sticky || w.foreign(w.last.Owner)) {
		w.above = w.last
	}
}

// foreign reports whether a user is neither this one nor root nor trusted.
func (w *walk) foreign(user int) bool { return !slices.Contains(w.trusted, user) }

// writable names who else can write a folder or replace a link; nil = nobody.
func (w *walk) writable(at string, info fs.FileInfo) *Error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	e := &Error{Open: at, Owner: int(stat.Uid), Mode: info.Mode()}
	link := info.Mode()&fs.ModeSymlink != 0 // has no permissions of its own
	mayChange := e.Owner == userID() && info.Mode()&fs.ModeSticky == 0
	switch {
	case w.foreign(e.Owner):
		e.Writer = fmt.Sprintf("user %d", e.Owner)
		return e
	case link:
		return nil
	case info.Mode()&0o002 != 0:
		e.Writer = "everybody"
	case info.Mode()&0o020 != 0 && stat.Gid != stat.Uid:
		e.Writer = fmt.Sprintf("group %d", stat.Gid)
	default:
		return nil
	}
	if mayChange {
		e.Remedy = "chmod go-w " + at
	}
	return e
}

func homeFolder() fs.FileInfo {
	dir, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	return info
}
