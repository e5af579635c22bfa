package content

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// readSize is that of the buffer of each reader, in bytes.
const readSize = 128 << 10

// hashAll sets size and hash of the files among entries, of which overrides replace some. The hash of
// a file that was removed stays empty.
func hashAll(ctx context.Context, folder *os.Root, entries []Entry, overrides map[string][]byte) error {
	buffers := sync.Pool{New: func() any { return new([readSize]byte) }}
	return each(entries, File, func(e *Entry) error {
		if text, found := overrides[e.Path]; found {
			e.Size, e.Hash = int64(len(text)), hashOf(text)
			return nil
		}
		buffer := buffers.Get().(*[readSize]byte)
		defer buffers.Put(buffer)
		err := hashFile(ctx, folder, e, buffer[:])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, errIrregular): // it was one when it was listed
			return fmt.Errorf("%s %w", filepath.Join(folder.Name(), filepath.FromSlash(e.Path)), ErrChanged)
		}
		return err
	})
}

// each calls do for the entries of a kind, on all processors, until one fails. The error is that of the
// first entry that fails, in their order.
func each(entries []Entry, kind Kind, do func(*Entry) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	errs := make([]error, len(entries))
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		workers.Go(func() {
			for !failed.Load() { // every entry that is taken is finished, so the first that fails is among them
				i := int(next.Add(1) - 1)
				if i >= len(entries) {
					return
				}
				if entries[i].Kind == kind {
					errs[i] = do(&entries[i])
				}
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	return cmp.Or(errs...)
}

// hashFile reads what a file has when it is opened: a log may grow as fast as it is read.
func hashFile(ctx context.Context, folder *os.Root, e *Entry, buffer []byte) error {
	f, err := openIn(folder, e.Path)
	name := filepath.Join(folder.Name(), filepath.FromSlash(e.Path))
	if errors.Is(err, errIrregular) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err != nil {
		return unreadable(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return unreadable(name, err)
	}
	if info.Size() > maxFile {
		return tooLarge(name, info.Size())
	}
	e.Size, e.Hash, err = digest(ctx, io.LimitReader(f, info.Size()), buffer)
	if err != nil && ctx.Err() == nil {
		return unreadable(name, err)
	}
	return err
}

// digest reads to the end.
func digest(ctx context.Context, r io.Reader, buffer []byte) (size int64, hash string, err error) {
	sum := sha256.New()
	for ctx.Err() == nil {
		n, err := r.Read(buffer)
		size += int64(n)
		sum.Write(buffer[:n])
		if errors.Is(err, io.EOF) {
			return size, hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return 0, "", err
		}
	}
	return 0, "", context.Cause(ctx)
}

// openIn opens a regular file in a folder, and neither a link nor a pipe in its place. A link that takes
// the place between two system calls leads to files in the folder only.
func openIn(folder *os.Root, name string) (*os.File, error) {
	name = filepath.FromSlash(name)
	if info, err := folder.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errIrregular)
	}
	lookedAt()
	f, err := folder.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, errIrregular)
	}
	return f, nil
}

// lookedAt is called between the moment when a file was looked at and the one when it is opened; tests
// change there what its name stands for.
var lookedAt = func() {}

var errIrregular = errors.New("it is not a regular file")

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
