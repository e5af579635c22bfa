package content

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spell-lsp/spell/filelock"
	"spell-lsp/spell/ownership"
)

const (
	lockName         = "lock"
	unfinishedPrefix = "new-" // of files that are being written
	private          = 0o600
	lockPoll         = 20 * time.Millisecond // Trim needs a second for 100,000 files
	removable        = " (all that is in the folder can be removed while nothing is measured: it is sent again)"
)

var emptyHash = hashOf(nil)

// A Store keeps content in a folder: one file for each, named by its hash. Several processes may use
// one folder. While a store is open, [Trim] removes nothing from it.
type Store struct {
	dir    string
	folder *os.Root
	lock   *os.File // held shared
}

// OpenStore opens the store in a folder, which only this user can change; a missing one is made. It
// waits while another process trims the store. The error is an [*ownership.Error] if other users can
// change the folder. Close the store when the tree is laid out.
func OpenStore(ctx context.Context, dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := ownership.Make(dir); err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	lock, err := folder.OpenFile(lockName, os.O_CREATE|os.O_RDWR, private)
	if err != nil {
		folder.Close()
		return nil, explained(err, dir, 0, removable)
	}
	s := &Store{dir, folder, lock}
	for errors.Is(filelock.TryShared(lock), filelock.ErrHeld) { // without locks, Trim does nothing
		select {
		case <-ctx.Done():
			s.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
	return s, nil
}

// Close lets [Trim] remove content again.
func (s *Store) Close() {
	s.lock.Close()
	s.folder.Close()
}

// Has tells whether the store has the content with a hash, and counts that as a use.
func (s *Store) Has(hash string) bool {
	if checkContent(hash, 0) != nil {
		return false
	}
	info, err := s.folder.Lstat(hash)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 && hash != emptyHash { // a crash can leave an empty file
		return false
	}
	now := time.Now()
	_ = s.folder.Chtimes(hash, now, now) // it is only evicted earlier
	return true
}

// Missing lists the hashes whose content the store lacks, in their order, each once.
func (s *Store) Missing(hashes []string) (missing []string) {
	asked := make(map[string]bool)
	for _, h := range hashes {
		if !asked[h] && !s.Has(h) {
			missing = append(missing, h)
		}
		asked[h] = true
	}
	return missing
}

// Open opens content, whose hash is not checked again. The error is [fs.ErrNotExist] if the store has
// none with that hash.
func (s *Store) Open(hash string) (*os.File, error) {
	if err := checkContent(hash, 0); err != nil {
		return nil, err
	}
	return s.folder.Open(hash)
}

// Put reads size bytes of r, no more, and keeps them if they have the hash. Nothing is left of what is
// too short, has another hash, or does not fit on the disk.
func (s *Store) Put(hash string, size int64, r io.Reader) error {
	if err := checkContent(hash, size); err != nil {
		return err
	}
	name := unfinishedPrefix + strconv.FormatUint(rand.Uint64(), 36) // #nosec G404 -- O_EXCL guards it
	err := write(s.folder, name, private, func(f *os.File) error {
		sum := sha256.New()
		n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(r, size))
		if err != nil {
			return err
		}
		return compare(hash, size, sum, n)
	})
	if err != nil {
		return fmt.Errorf("keeping the content %s: %w", hash, explained(err, s.dir, size, removable))
	}
	if err := s.folder.Rename(name, hash); err != nil {
		_ = s.folder.Remove(name) // the first error is the one that matters
		return err
	}
	return nil
}

// compare fails unless n bytes with that sum are the content.
func compare(hash string, size int64, sum hash.Hash, n int64) error {
	if n != size {
		return fmt.Errorf("it ended after %d of %d bytes", n, size)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != hash {
		return fmt.Errorf("%d bytes with the hash %s came in its place", n, got)
	}
	return nil
}

// write makes a file, which must be new, or leaves none. The umask does not matter.
func write(folder *os.Root, name string, perm fs.FileMode, content func(*os.File) error) error {
	f, err := folder.OpenFile(filepath.FromSlash(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, private)
	if err != nil {
		return err
	}
	err = content(f)
	if err == nil && perm != private {
		err = f.Chmod(perm)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = folder.Remove(filepath.FromSlash(name)) // the first error is the one that matters
	}
	return err
}

// Trim removes content from the store in a folder, that of the longest time without use first, until
// at most limit bytes are left, and what killed processes have not finished. It returns the number of
// bytes that it removed. It removes nothing while a store is open in that folder, in any process: that
// one's user trims later.
func Trim(dir string, limit int64) (removed int64, err error) {
	if err := ownership.Check(dir); err != nil {
		return 0, err
	}
	folder, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	lock, err := folder.OpenFile(lockName, os.O_CREATE|os.O_RDWR, private)
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	switch err := filelock.Try(lock); {
	case errors.Is(err, filelock.ErrHeld):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("%s cannot be locked, so nothing is removed from it: %w: "+
			"remove the folder when nothing is measured, or choose one on a local disk", dir, err)
	}
	return trim(folder, limit)
}

func trim(folder *os.Root, limit int64) (removed int64, err error) {
	kept, unfinished, err := unused(folder)
	if err != nil {
		return 0, err
	}
	var left int64
	for _, info := range kept {
		left += info.Size()
	}
	doomed := unfinished
	for _, info := range kept {
		if left <= limit {
			break
		}
		doomed, left = append(doomed, info), left-info.Size()
	}
	for _, info := range doomed {
		if err := folder.Remove(info.Name()); err != nil {
			return removed, err
		}
		removed += info.Size()
	}
	return removed, nil
}

// unused lists content in the order of its last use, and files that are unfinished.
func unused(folder *os.Root) (kept, unfinished []fs.FileInfo, err error) {
	f, err := folder.Open(".")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil:
			return nil, nil, err
		case strings.HasPrefix(e.Name(), unfinishedPrefix):
			unfinished = append(unfinished, info)
		case checkContent(e.Name(), 0) == nil: // not the lock, nor what is not ours
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	return kept, unfinished, nil
}
