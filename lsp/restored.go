package lsp

import (
	"maps"
	"sync"
)

// restored holds the folders whose saved runs were looked for. The zero value has none.
type restored struct {
	mu   sync.Mutex
	dirs map[string]bool
}

// first reports whether this is the first time that runs of a folder are looked for.
func (d *restored) first(dir string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]bool{}
	}
	before := d.dirs[dir]
	d.dirs[dir] = true
	return !before
}

// forget has runs of closed folders looked for again when they are opened again.
func (d *restored) forget(closed func(dir string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.dirs, func(dir string, _ bool) bool { return closed(dir) })
}
