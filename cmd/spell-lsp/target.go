package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A target is where -o leads.
type target struct {
	name   string // of the file itself, links resolved
	exists bool
	mode   fs.FileMode // that it has or gets
	// direct is set where the name stands for something that is written to, not
	// replaced: a device, a pipe, or an open file (/dev/stdout).
	direct bool
}

const maxLinks = 40 // as in the kernel, path_resolution(7)

// findTarget follows links, also to a file that is not there yet.
func findTarget(name string) (*target, error) {
	for range maxLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(name))
		if err != nil {
			return nil, fmt.Errorf("there is no folder %s", filepath.Dir(name))
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		name = filepath.Join(dir, filepath.Base(name))
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &target{name: name, mode: 0o644}, nil
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, errors.New("is a folder: name a file")
		case strings.HasPrefix(name, "/proc/"): // a link there leads to an open file, not to a name
			return &target{name: name, exists: true, direct: true}, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return &target{name: name, exists: true, mode: info.Mode().Perm(), direct: !info.Mode().IsRegular()}, nil
		}
		to, err := os.Readlink(name)
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(to) {
			to = dir + string(filepath.Separator) + to // not joined: .. is to be resolved last
		}
		name = to
	}
	return nil, errors.New("too many links lead on from it")
}

// check finds out whether the target can be written, and leaves it as it is.
// Of a pipe it does not: to open it would be heard at its other end.
func (t *target) check() error {
	info, err := os.Stat(t.name)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil
	}
	if t.exists {
		f, err := os.OpenFile(t.name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil || t.direct {
			return err
		}
	}
	f, err := t.temporary()
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (t *target) temporary() (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(t.name), "."+filepath.Base(t.name)+"-*")
	if err != nil {
		return nil, fmt.Errorf("the folder cannot be written: %w", err)
	}
	return f, nil
}

// write replaces a file as a whole or not at all, and keeps its mode.
func (t *target) write(content func(io.Writer) error) (err error) {
	if t.direct {
		f, err := os.OpenFile(t.name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return errors.Join(content(f), f.Close())
	}
	f, err := t.temporary()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) //nolint:errcheck // the first error is the one that matters
		}
	}()
	if err = errors.Join(content(f), f.Chmod(t.mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), t.name)
	}
	return err
}
