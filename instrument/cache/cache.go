// Package cache keeps what was made of each package from one measurement to the next, in a
// folder that several processes may use at once. It gives back what was put, whole, or
// nothing; it does not know what belongs into a part, nor which rows a package needs.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spell-lsp/spell/ownership"
)

// A Cache keeps parts from one measurement to the next, in a folder that
// several processes may use at once: what is there is complete, because it was
// renamed into place, and is not changed any more. Each part has a folder with
// its files and their description, which begins with its own hash.
type Cache struct {
	Dir    string // "" keeps nothing
	Unsafe error  // why nothing is kept, where the user can change it: other users can write the folder
}

const (
	// KeepDays is how long an unused part is kept. An older one is not returned any more,
	// but removed only a day later, so that no build still uses it then.
	KeepDays = 10
	// Description is the file in the folder of a part that describes it.
	Description = "part.json"
	day         = 24 * time.Hour
)

// Open makes the folder; "" is one in the user's cache folder. A folder that other users
// can write is not used: they could put their code into the user's programs.
func Open(dir string) Cache {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return Cache{}
		}
		dir = filepath.Join(user, "spell-lsp", "instrument")
	}
	err := ownership.Make(dir)
	if open := (*ownership.Error)(nil); errors.As(err, &open) {
		return Cache{Unsafe: err}
	}
	if err != nil {
		return Cache{}
	}
	return Cache{Dir: dir}
}

func (c Cache) folder(key string) string {
	return filepath.Join(c.Dir, "parts", key[:2], key[2:])
}

// Get returns the part of that key and the folder of its files; nil if there is none.
func (c Cache) Get(key string) (*Part, string) {
	if c.Dir == "" {
		return nil, ""
	}
	dir := c.folder(key)
	name := filepath.Join(dir, Description)
	info, err := os.Stat(name)
	if err != nil || time.Since(info.ModTime()) > KeepDays*day {
		return nil, ""
	}
	p, err := readPart(dir)
	if err != nil {
		return nil, "" // a damaged part counts as none, and Put replaces it
	}
	if now := time.Now(); now.Sub(info.ModTime()) > day {
		os.Chtimes(name, now, now) //nolint:errcheck // another user may own it; then it expires and is made again
	}
	return p, dir
}

// Put keeps a part under the key. If another process was faster, its part is returned
// instead: it can only differ in the compiler's report.
func (c Cache) Put(key string, p *Part) (*Part, string, error) {
	if c.Dir == "" {
		return nil, "", errors.New("nothing is kept")
	}
	dir := c.folder(key)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(temp) //nolint:errcheck // Trim tries again
	if err := WritePart(temp, p); err != nil {
		return nil, "", err
	}
	if os.Rename(temp, dir) == nil {
		return p, dir, nil
	}
	if other, dir := c.Get(key); other != nil {
		return other, dir, nil
	}
	c.discard(dir, func(string) bool { return true })
	return p, dir, os.Rename(temp, dir)
}

// discard renames a folder and removes it then, because another process may put a new one
// in its place meanwhile. The renamed folder is checked again, and put back if it is not
// to be removed.
func (c Cache) discard(dir string, remove func(dir string) bool) {
	old, err := os.MkdirTemp(filepath.Dir(dir), "old-")
	if err != nil {
		return
	}
	defer os.RemoveAll(old) //nolint:errcheck // Trim tries again
	if moved := filepath.Join(old, "part"); os.Rename(dir, moved) == nil && !remove(moved) {
		os.Rename(moved, dir) //nolint:errcheck // then a newer one is there
	}
}

// Trim removes, once a day, what was not used for KeepDays.
func (c Cache) Trim(now time.Time) {
	mark := filepath.Join(c.Dir, "trimmed")
	if c.Dir == "" || now.Sub(modified(mark)) < day {
		return
	}
	if os.WriteFile(mark, nil, 0o600) != nil {
		return
	}
	old := func(dir string) bool {
		at := modified(filepath.Join(dir, Description))
		if at.IsZero() {
			at = modified(dir) // one that was being written, or taken away
		}
		return now.Sub(at) > (KeepDays+1)*day
	}
	parts, _ := filepath.Glob(filepath.Join(c.Dir, "parts", "*", "*")) // the pattern is right
	for _, dir := range parts {
		if old(dir) {
			c.discard(dir, old)
		}
	}
	tables, _ := filepath.Glob(filepath.Join(c.Dir, "rows", "*"))
	builds, _ := filepath.Glob(filepath.Join(c.Dir, "built", "*"))
	structures, _ := filepath.Glob(filepath.Join(c.Dir, "structures", "*"))
	for _, name := range slices.Concat(tables, builds, structures) {
		if now.Sub(modified(name)) > (KeepDays+1)*day {
			os.RemoveAll(name) //nolint:errcheck // the next trim tries again
		}
	}
}

func modified(name string) time.Time {
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Rows returns the row table of a workspace, an empty one if there is none.
func (c Cache) Rows(root string) *RowTable {
	t := &RowTable{today: int(time.Now().Unix() / int64(day/time.Second))}
	if c.Dir == "" || readSealed(c.rowFile(root), t) != nil || !t.valid() {
		t.Packages = nil
	}
	if t.Packages == nil {
		t.Packages = make(map[string]RowRange)
	}
	return t
}

// KeepRows saves the row table. Of two processes that save at once one wins; the other's
// packages get new rows the next time.
func (c Cache) KeepRows(root string, t *RowTable) {
	if c.Dir == "" || !t.changed {
		return
	}
	replace(c.rowFile(root), t)
}

// replace puts a file in place, whole. Where that fails the old one stands.
func replace(name string, v any) {
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	temp, err := os.MkdirTemp(filepath.Dir(name), "new-")
	if err != nil {
		return
	}
	defer os.RemoveAll(temp) //nolint:errcheck // Trim tries again
	if file := filepath.Join(temp, "file"); writeSealed(file, v) == nil {
		os.Rename(file, name) //nolint:errcheck // then the old one stands
	}
}

func (c Cache) rowFile(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(c.Dir, "rows", hex.EncodeToString(sum[:16])+".json")
}

// Built tells whether what was built under the key is still in the build cache of the go command;
// nothing is known of what KeepBuilt was not told. To look is a thousand times faster than to ask
// the go command.
func (c Cache) Built(key string) (there, known bool) {
	var file string
	if c.Dir == "" || readSealed(c.builtFile(key), &file) != nil {
		return false, false
	}
	_, err := os.Stat(file)
	return err == nil, true
}

// KeepBuilt notes the file in the build cache that was built under the key.
func (c Cache) KeepBuilt(key, file string) {
	if there, _ := c.Built(key); c.Dir != "" && !there {
		replace(c.builtFile(key), file)
	}
}

func (c Cache) builtFile(key string) string {
	return filepath.Join(c.Dir, "built", key)
}

// Structure reads what KeepStructure kept under the key into v, and tells whether there is any.
func (c Cache) Structure(key string, v any) bool {
	name := c.structureFile(key)
	if c.Dir == "" || readSealed(name, v) != nil {
		return false
	}
	if now := time.Now(); now.Sub(modified(name)) > day {
		os.Chtimes(name, now, now) //nolint:errcheck // another user may own it; then it expires and is made again
	}
	return true
}

// KeepStructure keeps the structure of the functions of all packages under the key.
func (c Cache) KeepStructure(key string, v any) {
	if c.Dir != "" {
		replace(c.structureFile(key), v)
	}
}

func (c Cache) structureFile(key string) string { return filepath.Join(c.Dir, "structures", key) }
