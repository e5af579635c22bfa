package lsp

import (
	"maps"
	"sync"
)

// restored is the set of folders whose saved runs were looked for. The zero value is empty.
type restored struct {
	mu   sync.Mutex
	dirs map[string]bool
}

// add adds a folder, and reports whether it was missing.
func (d *restored) add(dir string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]bool{}
	}
	before := d.dirs[dir]
	d.dirs[dir] = true
	return !before
}

// forget removes closed folders, so that their runs are looked for again when they are
// reopened.
func (d *restored) forget(closed func(dir string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.dirs, func(dir string, _ bool) bool { return closed(dir) })
}
