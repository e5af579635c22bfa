package atomicfile

import (
	"io/fs"
	"os"
	"sync"
)

// unfinished are the temporary files that this process is writing.
var unfinished = temporaries{names: make(map[string]bool)}

type temporaries struct {
	mu    sync.Mutex
	names map[string]bool
}

// Abandon removes the temporary files that are being written, and lets nobody begin
// another one. It is for a process that ends in the middle of its work.
func Abandon() {
	unfinished.mu.Lock() // for good
	for name := range unfinished.names {
		os.Remove(name) //nolint:errcheck // there is nobody left to tell
	}
}

// create makes a file that is not there yet. Abandon sees it before anything is
// written.
func (t *temporaries) create(name string, perm fs.FileMode) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err == nil {
		t.names[name] = true
	}
	return f, err
}

// remove is for a file that is gone, or has its last name.
func (t *temporaries) remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}
