package content

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	privateFolder = 0o700
	executable    = 0o700
)

// ErrDamaged says that a file of the store did not have the content that its name says, and was
// removed: the content must be sent again.
var ErrDamaged = errors.New("the kept content is damaged and was removed: start again, and it is sent anew")

// Lay makes the files, folders and links of a tree in an empty folder, with their permissions and
// modification times (those of links are new). Files are copies, which share blocks with the store
// where the file system can do that; of each only the size is checked. Trees that no [Scan] makes are
// refused before anything is written. After an error the folder has a part of the tree.
func (s *Store) Lay(t Tree, dir string) error {
	if err := t.check(); err != nil {
		return err
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := empty(folder); err != nil {
		return err
	}
	if err := s.lay(t, folder); err != nil {
		return explained(err, dir, t.Size(), "")
	}
	return nil
}

// lay makes links when all else is there, so that nothing is ever written by way of one.
func (s *Store) lay(t Tree, folder *os.Root) error {
	for _, e := range t.Entries {
		if e.Kind == Folder {
			if err := folder.Mkdir(filepath.FromSlash(e.Path), privateFolder); err != nil {
				return err
			}
		}
	}
	if err := each(t.Entries, File, func(e *Entry) error { return s.layFile(*e, folder) }); err != nil {
		return err
	}
	for _, e := range t.Entries {
		if e.Kind == Link {
			if err := folder.Symlink(filepath.FromSlash(e.Target), filepath.FromSlash(e.Path)); err != nil {
				return err
			}
		}
	}
	for _, e := range slices.Backward(t.Entries) { // a folder when nothing in it changes any more
		if e.Kind == Folder {
			if err := errors.Join(setTime(folder, e), folder.Chmod(filepath.FromSlash(e.Path), e.Perm)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) layFile(e Entry, folder *os.Root) error {
	from, err := s.openSized(e.Hash, e.Size)
	if err == nil {
		defer from.Close()
		err = write(folder, e.Path, e.Perm, func(f *os.File) error {
			_, err := io.Copy(f, from) // copy_file_range(2) on Linux: btrfs, XFS and others share the blocks
			return err
		})
	}
	if err == nil {
		err = setTime(folder, e)
	}
	if err != nil {
		return fmt.Errorf("laying out %s: %w", e.Path, err)
	}
	return nil
}

// openSized opens content, and removes what has another size.
func (s *Store) openSized(hash string, size int64) (*os.File, error) {
	from, err := s.Open(hash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the content %s was not sent", hash)
	}
	if err != nil {
		return nil, err
	}
	info, err := from.Stat()
	if err == nil && info.Size() != size {
		wrong := fmt.Errorf("%s: %d bytes in place of %d: %w", hash, info.Size(), size, ErrDamaged)
		err = errors.Join(wrong, s.folder.Remove(hash))
	}
	if err != nil {
		from.Close()
		return nil, err
	}
	return from, nil
}

func setTime(folder *os.Root, e Entry) error {
	at := time.Unix(0, e.ModTimeNs)
	return folder.Chtimes(filepath.FromSlash(e.Path), at, at)
}

func empty(folder *os.Root) error {
	f, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.Readdirnames(1)
	if len(names) > 0 {
		return fmt.Errorf("%s is not empty: files are laid out in a new folder only", folder.Name())
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Executable lays out content as a program of that name in a folder, for this user only, and returns
// its path. What it copies has the hash, or nothing is left.
func (s *Store) Executable(hash, name, dir string) (program string, err error) {
	if filepath.Base(name) != name || !filepath.IsLocal(name) || name == "." || !portable(name) {
		return "", fmt.Errorf("%q is not the name of a program", shortened(name))
	}
	from, err := s.Open(hash)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the program %s was not sent: there is no content %s", name, hash)
	}
	if err != nil {
		return "", err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return "", err
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	err = write(folder, name, executable, func(f *os.File) error {
		sum := sha256.New()
		n, err := io.Copy(io.MultiWriter(f, sum), from)
		if err != nil {
			return err
		}
		if wrong := compare(hash, info.Size(), sum, n); wrong != nil {
			return errors.Join(fmt.Errorf("%w: %w", wrong, ErrDamaged), s.folder.Remove(hash))
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("laying out the program %s: %w", name, explained(err, dir, info.Size(), ""))
	}
	return filepath.Join(dir, name), nil
}
