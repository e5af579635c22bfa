// Package atomicfile writes files as a whole or not at all: a temporary file beside
// the old one gets the content and then its name. A reader, a crash or a full disk
// never leaves half a file. It is the one writer of the files that users name; their
// one reader is package regularfile.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

const (
	prefix   = ".spell-lsp-" // of temporary files
	ordinary = 0o666         // the permissions of a new file, before the umask
	private  = 0o600
	readable = 0o644
)

// Replace writes a file. A new one has the permissions that every tool's new files
// have: 0666 less the umask. One that exists keeps its permissions, and its owner and
// group as far as this user may set them. It does not follow a link: see [Find].
func Replace(name string, content func(io.Writer) error) error {
	old, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return write(name, prefix, ordinary, nil, content)
	}
	if err != nil {
		return err
	}
	return write(name, prefix, private, old, content)
}

// ReplacePrivate writes a file that only this user can read, whatever stands under
// the name now. The name of its temporary file begins with prefix, by which the caller
// finds what a killed process left behind.
func ReplacePrivate(name, prefix string, content func(io.Writer) error) error {
	return write(name, prefix, private, nil, content)
}

// ReplaceReadable writes a file that everybody can read and only its owner can write
// (0644), whatever the umask is and stands under the name now.
func ReplaceReadable(name string, content func(io.Writer) error) error {
	return write(name, prefix, private, nil, func(w io.Writer) error {
		return errors.Join(content(w), w.(*os.File).Chmod(readable))
	})
}

// write takes permissions and owner over from old, unless it is nil.
func write(name, prefix string, perm fs.FileMode, old fs.FileInfo, content func(io.Writer) error) (err error) {
	f, err := temporary(name, prefix, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name()) //nolint:errcheck // the first error is the one that matters
		}
		unfinished.remove(f.Name())
	}()
	if err := content(f); err != nil {
		return err
	}
	if old != nil {
		if err := setMode(f, keepOwner(f, old)); err != nil {
			return err
		}
	}
	if err := synced(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(name))
}

// temporary is os.CreateTemp with permissions, which the system limits by the umask
// and the folder's default access control list.
func temporary(name, prefix string, perm fs.FileMode) (*os.File, error) {
	for range 1000 {
		beside := filepath.Join(filepath.Dir(name), prefix+strconv.FormatUint(rand.Uint64(), 36)) // #nosec G404 -- O_EXCL guards it
		f, err := unfinished.create(beside, perm)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: all names that begin with %s are taken", filepath.Dir(name), prefix)
}

// setMode does nothing where nothing changes: some file systems refuse any change.
func setMode(f *os.File, perm fs.FileMode) error {
	if now, err := f.Stat(); err == nil && now.Mode().Perm() == perm {
		return nil
	}
	return f.Chmod(perm)
}

// limited are the permissions of a file that could not keep its group: its new group
// gets no more than everybody has.
func limited(perm fs.FileMode) fs.FileMode {
	return perm & (0o707 | perm<<3&0o070)
}

// synced puts a file's content on the disk, where the file system can.
func synced(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// SyncDir puts the names in a folder on the disk, where the system can.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // which does so by itself, and opens no folders
		return nil
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) { // a folder may be written and not read
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return synced(f)
}
