package lsp

import (
	"os"
	"sync"
	"time"
)

// maxFiles is how many files that are not open are kept, with what was found in
// them.
const maxFiles = 512

// settled is how old a file must be to be kept: one that is written again at once
// may have the same time.
const settled = 100 * time.Millisecond

// files are the files on disk that were read before.
type files struct {
	mu    sync.Mutex
	known map[string]fileRead
}

type fileRead struct {
	stamp  stamp
	source *source
}

func newFiles() *files { return &files{known: map[string]fileRead{}} }

// read gives a file as it is on disk, nil if there is none.
func (f *files) read(path string) *source {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	now := stamp{info.Size(), info.ModTime()}
	f.mu.Lock()
	known, ok := f.known[path]
	f.mu.Unlock()
	if ok && known.stamp == now {
		return known.source
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	s := newSource(string(text), nil)
	if time.Since(now.modified) < settled {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for other := range f.known { // of too many, any goes
		if len(f.known) < maxFiles {
			break
		}
		delete(f.known, other)
	}
	f.known[path] = fileRead{now, s}
	return s
}
