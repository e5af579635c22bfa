// Package regularfile reads files of a workspace that nobody has vouched for.
// What has the name of a source file may be a named pipe, which keeps its reader
// waiting for ever, or lead to a device that never ends.
package regularfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The most bytes that are read of a file.
const (
	MaxSettings = 1 << 20
	MaxSource   = 16 << 20
)

// Read reads a regular file, or what a link to one leads to, of at most the
// given number of bytes. Its errors name the file; that of one that is not there
// is [fs.ErrNotExist].
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s has more than %d KiB, too many to be read: make it smaller or remove it", name, most>>10)
	}
	return data, err
}

// Open opens a regular file for reading. It does not wait.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err == nil {
		err = check(name, info)
	}
	if err != nil {
		return nil, err // opening some devices does something already
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(name, info) // another one may stand there meanwhile
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// check refuses what is not a regular file.
func check(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s, must be a regular file: remove it or put a file in its place", name, kindOf(info.Mode()))
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
	return "no file that can be read"
}
