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
	// maxTextBytes bounds the texts that a Cache keeps.
	maxTextBytes = 32 << 20
	// maxDeclarations bounds the declarations that a Cache keeps.
	maxDeclarations = 1 << 18
	// settled is how old a file must be for an unchanged modification time to mean an
	// unchanged file: the resolution of file systems goes up to two seconds (FAT).
	settled = 2 * time.Second
	// byteOrderMark begins some files. No editor counts it as text.
	byteOrderMark = "\ufeff"
)

// A Cache keeps the sources and declarations of files on disk while their size and
// modification time stay the same. Declarations are much smaller than sources and have
// a bound of their own, so that a folder can be searched whose texts exceed theirs. The zero
// Cache is empty and ready to use, by several goroutines.
type Cache struct {
	sources      memo[*Source]
	declarations memo[[]Declaration]
}

// Source returns the text of a file without its byte order mark, or nil if the file cannot
// be read.
func (c *Cache) Source(path string) *Source {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if source, ok := c.sources.get(path, info); ok {
		return source
	}
	text, err := regularfile.Read(path, regularfile.MaxSource)
	if err != nil {
		return nil
	}
	source := NewSource(strings.TrimPrefix(string(text), byteOrderMark), nil)
	c.sources.put(path, info, source, len(source.Text), maxTextBytes)
	return source
}

// Declarations lists what a file declares, nothing if it cannot be read.
func (c *Cache) Declarations(path string) []Declaration {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if list, ok := c.declarations.get(path, info); ok {
		return list
	}
	source := c.Source(path)
	if source == nil {
		return nil
	}
	list := source.Declarations()
	c.declarations.put(path, info, list, len(list), maxDeclarations)
	return list
}

// A memo keeps one value for each file. The zero memo is empty.
type memo[T any] struct {
	mu    sync.Mutex
	known map[string]memoized[T] // by path
	size  int                    // the sum of the sizes given to put
}

type memoized[T any] struct {
	size     int64
	modified time.Time
	value    T
}

func (m *memo[T]) get(path string, info os.FileInfo) (value T, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.known[path]
	return k.value, ok && k.size == info.Size() && k.modified.Equal(info.ModTime())
}

// put keeps a value unless its file is too new. When the limit is exceeded it forgets all
// others: an order of use would help only where slightly more is needed than fits.
func (m *memo[T]) put(path string, info os.FileInfo, value T, size, limit int) {
	if time.Since(info.ModTime()) <= settled {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += size; m.size > limit || m.known == nil {
		m.known, m.size = map[string]memoized[T]{}, size
	}
	m.known[path] = memoized[T]{info.Size(), info.ModTime(), value}
}

// ParseAhead reads files and computes their outlines, so that views of them are ready
// sooner. It stops when ctx ends, and where a Cache would begin to forget.
func ParseAhead(ctx context.Context, paths []string, sourceOf func(path string) *Source) {
	total := 0
	for _, path := range paths {
		source := sourceOf(path)
		if source == nil {
			continue
		}
		if total += len(source.Text); total > maxTextBytes || ctx.Err() != nil {
			return
		}
		source.Outline()
	}
}
