package outline

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
type Cache struct {
	mu    sync.Mutex
	files map[string]cachedSource
	bytes int

	lists  map[string]cachedDeclarations
	listed int // traits in lists
}

type cachedSource struct {
	size     int64
	modified time.Time
	source   *Source
}

// DiskTraits are what a file declares. They are kept apart from texts, of which they
// are a small part: folders are searched whose texts are more than are kept.
type cachedDeclarations struct {
	size     int64
	modified time.Time
	list     []Declaration
}

// traits lists what a file declares, none if it is not there.
func (d *Cache) Declarations(path string) []Declaration {
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
	source := d.Source(path)
	if source == nil {
		return nil
	}
	f = cachedDeclarations{info.Size(), info.ModTime(), source.Declarations()}
	if time.Since(f.modified) > settled {
		d.keepList(path, f)
	}
	return f.list
}

func (d *Cache) keepList(path string, f cachedDeclarations) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.listed += len(f.list); d.listed > maxTraits || d.lists == nil {
		d.lists, d.listed = map[string]cachedDeclarations{}, len(f.list)
	}
	d.lists[path] = f
}

// read gives the text of a file, nil if there is none that can be shown.
func (d *Cache) Source(path string) *Source {
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
	f = cachedSource{info.Size(), info.ModTime(), NewSource(strings.TrimPrefix(string(text), byteOrderMark), nil)}
	if time.Since(f.modified) > settled {
		d.keep(path, f)
	}
	return f.source
}

// keep forgets all others once there are too many: an order of use would help
// only where just a few more than fit are needed.
func (d *Cache) keep(path string, f cachedSource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes += len(f.source.Text); d.bytes > maxDisk || d.files == nil {
		d.files, d.bytes = map[string]cachedSource{}, len(f.source.Text)
	}
	d.files[path] = f
}

// lookAhead reads files and finds their functions, but not in more text than is kept.
func ParseAhead(ctx context.Context, paths []string, sourceOf func(path string) *Source) {
	total := 0
	for _, path := range paths {
		source := sourceOf(path)
		if source == nil {
			continue
		}
		if total += len(source.Text); total > maxDisk || ctx.Err() != nil {
			return
		}
		source.Outline()
	}
}
