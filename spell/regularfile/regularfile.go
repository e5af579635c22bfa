// Package regularfile reads files that are not trusted: from a workspace, from a folder
// that a setting names, from the kernel, or from another process. Such a file may be a
// named pipe that blocks its reader for ever, a link to an endless device, or larger than
// the memory.
package regularfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Limits of the bytes that are read from a file.
const (
	MaxValue    = 64 << 10 // a value in /sys, which is a page at most; the id in a baseline
	MaxSettings = 1 << 20
	MaxSource   = 16 << 20 // of Go; also a table in /proc, which grows with the processors
	MaxIndex    = 64 << 20 // of saved runs, a part of the cache
	MaxBuilt    = 1 << 30  // a Go file that is built: generated ones hold whole assets
	MaxProfile  = 1 << 30  // of processor time
	MaxRecord   = 1 << 30  // of a run, in JSON: all of it is in memory
	MaxSaved    = 4 << 30  // a run in the store
	MaxMatrix   = 16 << 30 // a matrix; only the parsed cells are kept in memory
)

// Read reads a regular file of at most the given number of bytes, and follows links. Errors
// name the file; if it does not exist the error is [fs.ErrNotExist].
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, name, most)
}

// ReadAll reads all of r, which must not exceed the given number of bytes. Errors call the
// input name.
func ReadAll(r io.Reader, name string, most int64) ([]byte, error) {
	var data bytes.Buffer
	if f, ok := r.(*os.File); ok {
		info, err := f.Stat()
		switch { // files of /proc and /sys report a size of 0 or one page
		case err != nil:
			return nil, err
		case info.Size() > most:
			return nil, fmt.Errorf("%s is %s, over the limit of %s: make it smaller or remove it", name, size(info.Size()), size(most))
		}
		data.Grow(int(info.Size()) + bytes.MinRead)
	}
	if _, err := data.ReadFrom(Limit(r, name, most)); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// Open opens a regular file for reading. It does not wait.
func Open(name string) (*os.File, error) {
	return open(name, func(mode fs.FileMode) bool { return mode.IsRegular() }, "a regular file")
}

// OpenStream also opens named pipes, and waits until they have a writer. It is for files
// that a user names on the command line, such as <(zcat matrix.csv.gz), and for readers that
// do not hold the whole input.
func OpenStream(name string) (*os.File, error) {
	return open(name, func(mode fs.FileMode) bool { return mode.IsRegular() || mode.Type() == fs.ModeNamedPipe }, "a regular file or a pipe")
}

func open(name string, allowed func(fs.FileMode) bool, what string) (*os.File, error) {
	check := func(info fs.FileInfo) error {
		if allowed(info.Mode()) {
			return nil
		}
		return fmt.Errorf("%s is %s, must be %s: remove it or put a file in its place", name, kindOf(info.Mode()), what)
	}
	info, err := os.Stat(name) // opening some devices has side effects
	var path *fs.PathError
	if errors.As(err, &path) {
		path.Op = "open" // the operation that the caller knows
	}
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, err
	}
	var f *os.File
	if info.Mode().IsRegular() {
		f, err = openWithoutWaiting(name)
	} else {
		f, err = os.OpenFile(name, os.O_RDONLY, 0)
	}
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(info) // it may have been replaced since
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// Limit returns r up to the given number of bytes. Reading beyond them fails with an error
// that names the input.
func Limit(r io.Reader, name string, most int64) io.Reader {
	return &limited{r: r, name: name, left: most, most: most}
}

type limited struct {
	r          io.Reader
	name       string
	left, most int64
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		n = int(l.left)
		err = fmt.Errorf("%s is over the limit of %s: make it smaller or remove it", l.name, size(l.most))
	}
	l.left -= int64(n)
	return n, err
}

// LimitLines returns r. Reading a line of more than the given number of bytes fails with an
// error that names the line.
func LimitLines(r io.Reader, most int) io.Reader {
	return &lines{r: r, most: most, line: 1}
}

type lines struct {
	r          io.Reader
	most, long int // long is the length of the current line so far
	line       int
	broken     error
}

func (l *lines) Read(p []byte) (int, error) {
	if l.broken != nil {
		return 0, l.broken
	}
	n, err := l.r.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		if l.long += end; l.long > l.most {
			l.broken = fmt.Errorf("line %d is longer than %s: put each row on its own line", l.line, size(int64(l.most)))
			return 0, l.broken
		}
		if end == len(rest) {
			break
		}
		l.line, l.long = l.line+1, 0
		rest = rest[end+1:]
	}
	return n, err
}

// size formats a number of bytes.
func size(bytes int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if bytes >= unit.bytes {
			return fmt.Sprintf("%.4g %s", float64(bytes)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
