package content

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged says that a file no longer has the content that its hash names.
var ErrChanged = errors.New("was changed while it was sent: save, and start again")

// A Source finds content by its hash, in the files that were added to it. The zero value has none.
// Content can be opened from several goroutines once everything is added.
type Source struct {
	origins map[string]origin // by hash
}

// An origin is where content is: in a file below a folder, in a file, or in memory.
type origin struct {
	folder, name string        // the name has forward slashes
	text         *bytes.Reader // if not nil, the content
	size         int64         // in bytes
}

// AddTree adds the files of a tree that [Scan] made of a folder with these options.
func (s *Source) AddTree(root string, t Tree, o Options) error {
	dir, err := resolved(root)
	if err != nil {
		return err
	}
	overrides := overridesIn(dir, o.Overrides)
	for _, e := range t.Entries {
		if e.Kind != File {
			continue
		}
		from := origin{folder: dir, name: e.Path, size: e.Size}
		if text, found := overrides[e.Path]; found {
			from.text = bytes.NewReader(text)
		}
		s.add(e.Hash, from)
	}
	return nil
}

// AddFile adds a regular file, such as a program, and returns its hash and its size in bytes. Links
// are followed.
func (s *Source) AddFile(ctx context.Context, name string) (hash string, size int64, err error) {
	dir, err := resolved(name)
	if err != nil {
		return "", 0, err
	}
	dir, name = filepath.Split(dir)
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return "", 0, err
	}
	defer folder.Close()
	e := Entry{Path: name}
	if err := hashFile(ctx, folder, &e, make([]byte, readSize)); err != nil {
		return "", 0, err
	}
	s.add(e.Hash, origin{folder: dir, name: name, size: e.Size})
	return e.Hash, e.Size, nil
}

// resolved is the absolute name of a file or folder, without links.
func resolved(name string) (string, error) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

func (s *Source) add(hash string, from origin) {
	if s.origins == nil {
		s.origins = make(map[string]origin)
	}
	s.origins[hash] = from
}

// Open reads content again, of which size is the length in bytes. The reader fails with [ErrChanged],
// and holds back the end, if what it read does not have the hash: whoever gets all bytes has the right
// ones. What was appended to a file since is not read.
func (s *Source) Open(hash string) (r io.ReadCloser, size int64, err error) {
	from, found := s.origins[hash]
	if !found {
		return nil, 0, fmt.Errorf("no file with the content %s was added", shortened(hash))
	}
	f, err := from.open()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errIrregular) {
		return nil, 0, from.changed()
	}
	if err != nil {
		return nil, 0, unreadable(from.path(), err)
	}
	return &checked{f: f, sum: sha256.New(), from: from, hash: hash, left: from.size}, from.size, nil
}

func (o origin) open() (io.ReadCloser, error) {
	if o.text != nil {
		return io.NopCloser(io.NewSectionReader(o.text, 0, o.size)), nil
	}
	folder, err := os.OpenRoot(o.folder)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return openIn(folder, o.name)
}

func (o origin) path() string { return filepath.Join(o.folder, filepath.FromSlash(o.name)) }

func (o origin) changed() error { return fmt.Errorf("%s %w", o.path(), ErrChanged) }

// checked reads the content with a hash.
type checked struct {
	f    io.ReadCloser
	sum  hash.Hash
	from origin
	hash string
	left int64 // bytes
	err  error // once reading has failed
}

func (c *checked) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.f.Read(p[:min(int64(len(p)), c.left)])
	c.sum.Write(p[:n])
	c.left -= int64(n)
	switch {
	case c.left == 0 && hex.EncodeToString(c.sum.Sum(nil)) != c.hash, errors.Is(err, io.EOF) && c.left > 0:
		c.err = c.from.changed()
	case err != nil && !errors.Is(err, io.EOF):
		c.err = unreadable(c.from.path(), err)
	}
	if c.err != nil {
		return 0, c.err
	}
	return n, nil
}

func (c *checked) Close() error { return c.f.Close() }
