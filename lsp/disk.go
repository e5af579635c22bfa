package lsp

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"spell-lsp/spell/regularfile"
)

const (
	// maxDisk is how many bytes of text are kept of files that are not open.
	maxDisk = 32 << 20
	// settled is how old a file must be for its time to tell whether it changes:
	// file systems count in steps of up to two seconds.
	settled = 2 * time.Second
	// maxTraits is how many functions are kept of files that are not open.
	maxTraits = 1 << 18
	// byteOrderMark begins some files. No editor counts it as text.
	byteOrderMark = "\ufeff"
)

// A disk keeps what was seen in files that are not open, while they stay as
// they are. The places of callers are looked for in the same files again and
// again.
type disk struct {
	mu    sync.Mutex
	files map[string]diskFile
	bytes int

	lists  map[string]diskTraits
	listed int // traits in lists
}

type diskFile struct {
	size     int64
	modified time.Time
	source   *source
}

// DiskTraits are what a file declares. They are kept apart from texts, of which they
// are a small part: folders are searched whose texts are more than are kept.
type diskTraits struct {
	size     int64
	modified time.Time
	list     []trait
}

// traits lists what a file declares, none if it is not there.
func (d *disk) traits(path string) []trait {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	d.mu.Lock()
	f, ok := d.lists[path]
	d.mu.Unlock()
	if ok && f.size == info.Size() && f.modified.Equal(info.ModTime()) {
		return f.list
	}
	source := d.read(path)
	if source == nil {
		return nil
	}
	f = diskTraits{info.Size(), info.ModTime(), source.traits()}
	if time.Since(f.modified) > settled {
		d.keepList(path, f)
	}
	return f.list
}

func (d *disk) keepList(path string, f diskTraits) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.listed += len(f.list); d.listed > maxTraits || d.lists == nil {
		d.lists, d.listed = map[string]diskTraits{}, len(f.list)
	}
	d.lists[path] = f
}

// read gives the text of a file, nil if there is none that can be shown.
func (d *disk) read(path string) *source {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	d.mu.Lock()
	f, ok := d.files[path]
	d.mu.Unlock()
	if ok && f.size == info.Size() && f.modified.Equal(info.ModTime()) {
		return f.source
	}
	text, err := regularfile.Read(path, regularfile.MaxSource)
	if err != nil {
		return nil
	}
	f = diskFile{info.Size(), info.ModTime(), newSource(strings.TrimPrefix(string(text), byteOrderMark), nil)}
	if time.Since(f.modified) > settled {
		d.keep(path, f)
	}
	return f.source
}

// lookAhead reads files and finds their functions, but not in more text than is kept: a
// result that comes later is shown sooner.
func (s *session) lookAhead(ctx context.Context, paths []string) {
	defer func() {
		if p := recover(); p != nil {
			_ = s.panicked("looking at files", p) // nobody waits for it
		}
	}()
	total := 0
	for _, path := range paths {
		source := s.sourceOf(path)
		if source == nil {
			continue
		}
		if total += len(source.text); total > maxDisk || ctx.Err() != nil {
			return
		}
		source.look()
	}
}

// keep forgets all others once there are too many: an order of use would help
// only where just a few more than fit are needed.
func (d *disk) keep(path string, f diskFile) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes += len(f.source.text); d.bytes > maxDisk || d.files == nil {
		d.files, d.bytes = map[string]diskFile{}, len(f.source.text)
	}
	d.files[path] = f
}
