// Package atomicfile writes files wholly or not at all: the content goes into a temporary
// file in the same folder, which is then renamed. Readers never see a partial file, and a
// crash or a full disk leaves none. All files that users name are written by this package
// and read by package regularfile.
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
// have: 0666 less the umask. An existing file keeps its permissions, and its owner and group
// as far as this user may set them. Links are not followed: see [Find].
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

// ReplacePrivate writes a file that only this user can read, whatever the name refers to
// now. The name of the temporary file begins with prefix, so that the caller can find what a
// killed process left.
func ReplacePrivate(name, prefix string, content func(io.Writer) error) error {
	return write(name, prefix, private, nil, content)
}

// ReplaceReadable writes a file that everybody can read and only its owner can write (0644),
// whatever the umask is and the name refers to now.
func ReplaceReadable(name string, content func(io.Writer) error) error {
	return write(name, prefix, private, nil, func(w io.Writer) error {
		return errors.Join(content(w), w.(*os.File).Chmod(readable))
	})
}

// write gives the file the permissions and the owner of old, unless that is nil.
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

// temporary is os.CreateTemp with permissions. The system reduces them by the umask and the
// folder's default access control list.
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

// setMode does nothing if nothing changes, because some file systems refuse any change.
func setMode(f *os.File, perm fs.FileMode) error {
	if now, err := f.Stat(); err == nil && now.Mode().Perm() == perm {
		return nil
	}
	return f.Chmod(perm)
}

// limited returns the permissions of a file that could not keep its group: the new group
// gets no more than everybody has.
func limited(perm fs.FileMode) fs.FileMode {
	return perm & (0o707 | perm<<3&0o070)
}

// synced flushes a file's content to the disk, if the file system supports that.
func synced(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// SyncDir flushes a folder's entries to the disk, if the system supports that.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // Windows does so by itself, and cannot open folders
		return nil
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) { // a folder may be writable but not readable
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return synced(f)
}
