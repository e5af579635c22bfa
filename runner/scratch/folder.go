// Package scratch makes the folder in which a measurement keeps all that is temporary, and
// removes it, also those of processes that were killed before they could.
//
// It does not know what is kept in the folder.
package scratch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spell-lsp/spell/ownership"
)

const (
	prefix = "spell-lsp-measure-"
	// mark is a file in the folder, locked as long as the measurement
	// lives: the kernel frees the lock however the process ends, and knows it
	// across containers, where process numbers mean nothing. It holds the boot ID
	// of the machine, because the locks of another one that shares the folder are
	// not always seen. Earlier versions left it empty.
	mark = ".spell-lsp-scratch"
	// abandonedAfter is the age from which a folder counts as abandoned although
	// its lock says nothing: that of another machine, or of a file system without
	// locks.
	abandonedAfter = 10 * 24 * time.Hour
	private        = 0o700
)

// A Folder is the scratch folder of one measurement. Other users may be able to write to its
// parent and replace it at any time: it is checked, used and removed through one descriptor.
type Folder struct {
	Dir    string // absolute
	parent *os.Root
	folder *os.Root
	unlock func()
	links  []func() // each removes one, see Link
}

// lookedAt is called between the moment when a folder was looked at and the one
// when it is used; tests change there what its name stands for.
var lookedAt = func() {}

// makeFolder makes a scratch folder in another folder, with an absolute name.
func makeFolder(in string) (*Folder, error) {
	s := &Folder{Dir: filepath.Join(in, fmt.Sprintf("%s%016x", prefix, rand.Uint64())), unlock: func() {}}
	if err := s.make(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *Folder) make() (err error) {
	in, name := filepath.Split(s.Dir)
	if s.parent, err = os.OpenRoot(filepath.Clean(in)); err != nil {
		return err
	}
	if err := s.parent.Mkdir(name, private); err != nil {
		return err
	}
	lookedAt()
	if s.folder, err = s.parent.OpenRoot(name); err != nil {
		return err
	}
	if !isNew(s.folder) {
		return fmt.Errorf("%s was created just now and is not empty or not this user's: another user replaced it, or the file system has no owners", s.Dir)
	}
	unlock, err := putMark(s.folder)
	if err != nil {
		removeFolder(s.parent, name, s.folder)
		return fmt.Errorf("marking it: %w", err)
	}
	s.unlock = unlock
	return nil
}

// Unsafe says who else could replace what is in the folder; nil if nobody could.
func (s *Folder) Unsafe() error { return ownership.Check(s.Dir) }

// Remove removes the folder. The next measurement tries again where this one cannot.
func (s *Folder) Remove() {
	for _, remove := range s.links {
		remove()
	}
	removeFolder(s.parent, filepath.Base(s.Dir), s.folder)
	s.close()
}

func (s *Folder) close() {
	s.unlock()
	for _, r := range []*os.Root{s.folder, s.parent} {
		if r != nil {
			r.Close()
		}
	}
}

// removeOrphans removes the scratch folders that nobody holds. What has no mark is
// not ours, whatever its name.
func removeOrphans(in string) {
	parent, err := os.OpenRoot(in)
	if err != nil {
		return
	}
	defer parent.Close()
	names, _ := namesIn(parent) // on error nothing is removed
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			removeOrphan(parent, name)
		}
	}
}

// removeOrphan removes a folder if it is an abandoned one of this user. Whatever
// its name stands for meanwhile, what is emptied is what was looked at.
func removeOrphan(parent *os.Root, name string) {
	folder, err := parent.OpenRoot(name)
	if err != nil {
		return
	}
	defer folder.Close()
	unlock, abandoned := take(folder)
	if !abandoned {
		return
	}
	defer unlock()
	lookedAt()
	removeFolder(parent, name, folder)
}

// take locks a folder that a process left behind. It is not abandoned where
// its owner lives, where it has no mark, and where another user made it or could
// put a mark into it.
func take(folder *os.Root) (unlock func(), abandoned bool) {
	if !isPrivate(folder) {
		return nil, false
	}
	f, err := folder.OpenFile(mark, os.O_RDWR|nonblocking, 0)
	if err != nil {
		return nil, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || !isOwn(info) || !isAbandoned(f, info, lock(f)) {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}

// isAbandoned says whether a mark is that of a process that is gone; locked is what
// came of locking it.
func isAbandoned(f io.Reader, info fs.FileInfo, locked error) bool {
	if errors.Is(locked, errHeld) {
		return false
	}
	madeOn, err := io.ReadAll(io.LimitReader(f, 100))
	here := err == nil && (len(madeOn) == 0 || string(madeOn) == bootID())
	return locked == nil && here || time.Since(info.ModTime()) > abandonedAfter
}

// putMark puts the mark into a folder. It is locked before it has its name, so
// that nobody ever sees it unlocked while this process lives. A file system without
// locks is no obstacle.
func putMark(folder *os.Root) (unlock func(), err error) {
	const unnamed = mark + ".new"
	f, err := folder.OpenFile(unnamed, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	_ = lock(f)
	_, err = io.WriteString(f, bootID())
	if err == nil {
		err = folder.Rename(unnamed, mark)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}

// removeFolder removes a folder of that name, its mark last: what cannot be removed
// now can still be told for ours by the next measurement.
func removeFolder(parent *os.Root, name string, folder *os.Root) {
	names, err := namesIn(folder)
	if err != nil {
		return
	}
	for _, inside := range names {
		if inside != mark && removeTree(folder, inside) != nil {
			return
		}
	}
	if err := folder.Remove(mark); err == nil || errors.Is(err, fs.ErrNotExist) {
		parent.Remove(name) //nolint:errcheck // it is empty, or stands for something else now
	}
}

// removeTree removes what is in a folder under a name, and all below it. A test may
// have left folders without permissions.
func removeTree(folder *os.Root, name string) error {
	err := folder.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = fs.WalkDir(folder.FS(), filepath.ToSlash(name), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return folder.Chmod(filepath.FromSlash(path), private)
		}
		return err
	})
	return folder.RemoveAll(name)
}

func namesIn(folder *os.Root) ([]string, error) {
	f, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// isNew says that nothing of anybody is lost if the folder is removed. Its mode is
// not looked at: there are file systems that have none.
func isNew(folder *os.Root) bool {
	info, err := folder.Stat(".")
	names, errNames := namesIn(folder)
	return err == nil && errNames == nil && isOwn(info) && len(names) == 0
}

// isPrivate says that the folder is this user's, and nobody else can write it.
func isPrivate(folder *os.Root) bool {
	info, err := folder.Stat(".")
	return err == nil && isOwn(info) && info.Mode().Perm()&^private == 0
}

// Sub makes a folder of that name in the scratch folder, where there is none.
func Sub(dir, name string) (string, error) {
	sub := filepath.Join(dir, name)
	if err := os.MkdirAll(sub, private); err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return sub, nil
}
