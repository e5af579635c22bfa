package instrument

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"spell-lsp/spell/ownership"
)

// A store keeps parts from one measurement to the next, in a folder that
// several processes may use at once: what is there is complete, because it was
// renamed into place, and is not changed any more. Each part has a folder with
// its files and their description, which begins with its own hash.
type store struct {
	dir     string // "" keeps nothing
	warning string // why, where the user can do something about it
}

const (
	// keepDays is how long what is not used is kept. A part that old is not
	// taken any more, and removed a day later: what is being removed is in
	// nobody's build.
	keepDays    = 10
	description = "part.json"
	day         = 24 * time.Hour
)

// openStore makes the folder, in the user's cache folder where none is named. What
// others can write is not used: they could put their code into the user's programs.
func openStore(dir string) store {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return store{}
		}
		dir = filepath.Join(user, "spell-lsp", "instrument")
	}
	err := ownership.Make(dir)
	if open := (*ownership.Error)(nil); errors.As(err, &open) {
		return store{warning: fmt.Sprintf("nothing is kept for the next measurement, which takes longer for it: %v; or set XDG_CACHE_HOME to a folder of your own", err)}
	}
	if err != nil {
		return store{}
	}
	return store{dir: dir}
}

func (s store) folder(key string) string {
	return filepath.Join(s.dir, "parts", key[:2], key[2:])
}

// get returns the part of that key and its folder, or nil.
func (s store) get(key string) (*part, string) {
	if s.dir == "" {
		return nil, ""
	}
	dir := s.folder(key)
	name := filepath.Join(dir, description)
	info, err := os.Stat(name)
	if err != nil || time.Since(info.ModTime()) > keepDays*day {
		return nil, ""
	}
	p, err := readPart(dir)
	if err != nil {
		return nil, "" // as good as none: put replaces it
	}
	if now := time.Now(); now.Sub(info.ModTime()) > day {
		os.Chtimes(name, now, now) //nolint:errcheck // others may own it: then it is made anew in time
	}
	return p, dir
}

// put keeps a part under the key. Where another process was faster, its part
// stands, and is returned: it differs in nothing but the compiler's report.
func (s store) put(key string, p *part) (*part, string, error) {
	if s.dir == "" {
		return nil, "", errors.New("nothing is kept")
	}
	dir := s.folder(key)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(temp) //nolint:errcheck // trim tries again
	if err := writePart(temp, p); err != nil {
		return nil, "", err
	}
	if os.Rename(temp, dir) == nil {
		return p, dir, nil
	}
	if other, dir := s.get(key); other != nil {
		return other, dir, nil
	}
	s.discard(dir, func(string) bool { return true })
	return p, dir, os.Rename(temp, dir)
}

// discard removes a folder, under a name of its own, as another process may put
// a new one in its place. What is not to be removed, looked at again, is put
// back.
func (s store) discard(dir string, remove func(dir string) bool) {
	old, err := os.MkdirTemp(filepath.Dir(dir), "old-")
	if err != nil {
		return
	}
	defer os.RemoveAll(old) //nolint:errcheck // trim tries again
	if moved := filepath.Join(old, "part"); os.Rename(dir, moved) == nil && !remove(moved) {
		os.Rename(moved, dir) //nolint:errcheck // then a newer one is there
	}
}

// trim removes, once a day, what was not used for long.
func (s store) trim(now time.Time) {
	mark := filepath.Join(s.dir, "trimmed")
	if s.dir == "" || now.Sub(modified(mark)) < day {
		return
	}
	if os.WriteFile(mark, nil, 0o600) != nil {
		return
	}
	old := func(dir string) bool {
		at := modified(filepath.Join(dir, description))
		if at.IsZero() {
			at = modified(dir) // one that was being written, or taken away
		}
		return now.Sub(at) > (keepDays+1)*day
	}
	parts, _ := filepath.Glob(filepath.Join(s.dir, "parts", "*", "*")) // the pattern is right
	for _, dir := range parts {
		if old(dir) {
			s.discard(dir, old)
		}
	}
	tables, _ := filepath.Glob(filepath.Join(s.dir, "rows", "*"))
	for _, name := range tables {
		if now.Sub(modified(name)) > (keepDays+1)*day {
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

// rows returns the table of a workspace, an empty one where none is kept.
func (s store) rows(root string) *rowTable {
	t := &rowTable{today: int(time.Now().Unix() / int64(day/time.Second))}
	if s.dir == "" || readSealed(s.rowFile(root), t) != nil || !t.valid() {
		t.Packages = nil
	}
	if t.Packages == nil {
		t.Packages = make(map[string]rowRange)
	}
	return t
}

// keepRows keeps the table. Of two processes that do so at once one wins: what
// the other had is placed anew the next time.
func (s store) keepRows(root string, t *rowTable) {
	if s.dir == "" || !t.changed {
		return
	}
	name := s.rowFile(root)
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	temp, err := os.MkdirTemp(filepath.Dir(name), "new-")
	if err != nil {
		return
	}
	defer os.RemoveAll(temp) //nolint:errcheck // trim tries again
	if file := filepath.Join(temp, "rows"); writeSealed(file, t) == nil {
		os.Rename(file, name) //nolint:errcheck // then the old one stands
	}
}

func (s store) rowFile(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(s.dir, "rows", hex.EncodeToString(sum[:16])+".json")
}
