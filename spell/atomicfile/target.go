package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Target is a file that a user named for output, with its links resolved.
type Target struct {
	name   string
	exists bool
	// direct is set where the name stands for something that is written to, not
	// replaced: a device, a pipe, or an open file (/dev/stdout).
	direct bool
}

const maxLinks = 40 // as in the kernel, path_resolution(7)

// Find resolves the links of a name, also of one whose file does not exist yet. The
// error says what is wrong with the name, and does not repeat it.
func Find(name string) (*Target, error) {
	for range maxLinks {
		if err := plantedOnTheWay(name); err != nil {
			return nil, err
		}
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
			return &Target{name: name}, nil
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, errors.New("is a folder: name a file")
		case strings.HasPrefix(name, "/proc/"): // a link there leads to an open file, not to a name
			return &Target{name: name, exists: true, direct: true}, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return &Target{name: name, exists: true, direct: !info.Mode().IsRegular()}, nil
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

// Check finds out whether the target can be written, and leaves it as it is.
// A pipe is not opened: its reader would notice.
func (t *Target) Check() error {
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
	f, err := temporary(t.name, prefix, private)
	if err != nil {
		return fmt.Errorf("the folder cannot be written: %w", err)
	}
	defer unfinished.remove(f.Name())
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes to the device, pipe or open file, and otherwise is [Replace].
func (t *Target) Write(content func(io.Writer) error) error {
	if !t.direct {
		return Replace(t.name, content)
	}
	f, err := os.OpenFile(t.name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}
