package content

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
// a file that was removed stays empty. The error is that of the first of the files with one.
func hashAll(ctx context.Context, folder *os.Root, entries []Entry, overrides map[string][]byte) error {
	var next atomic.Int64
	var readers sync.WaitGroup
	errs := make([]error, len(entries))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		readers.Go(func() {
			buffer := make([]byte, readSize)
			for i := next.Add(1) - 1; int(i) < len(entries) && ctx.Err() == nil; i = next.Add(1) - 1 {
				e := &entries[i]
				if e.Kind != File {
					continue
				}
				if text, found := overrides[e.Path]; found {
					e.Size, e.Hash = int64(len(text)), hashOf(text)
				} else if err := hashFile(ctx, folder, e, buffer); err != nil && !errors.Is(err, fs.ErrNotExist) {
					errs[i] = err
					stop()
				}
			}
		})
	}
	readers.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return context.Cause(ctx)
}

// hashFile reads what a file has when it is opened: a log may grow as fast as it is read.
func hashFile(ctx context.Context, folder *os.Root, e *Entry, buffer []byte) error {
	f, err := openIn(folder, e.Path)
	name := filepath.Join(folder.Name(), filepath.FromSlash(e.Path))
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

// openIn opens a regular file in a folder. What is in its place since it was listed is not opened: no
// link is followed, and no pipe waited for.
func openIn(folder *os.Root, name string) (*os.File, error) {
	name = filepath.FromSlash(name)
	listed, err := folder.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !listed.Mode().IsRegular() {
		return nil, errIrregular
	}
	f, err := folder.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, listed) {
		f.Close()
		return nil, errors.Join(err, errIrregular)
	}
	return f, nil
}

var errIrregular = errors.New("it is not a regular file")

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
