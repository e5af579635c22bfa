package config

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"spell-lsp/lsp/location"
	"spell-lsp/spell/settings"
)

// settled is how old a file must be for an unchanged modification time to mean an
// unchanged file: the resolution of file systems goes up to two seconds (FAT).
const settled = 2 * time.Second

// files caches the contents of configuration files while they do not change: nearly every
// request needs them.
type files struct {
	mu    sync.Mutex
	known map[string]file // by folder
}

type file struct {
	info     os.FileInfo
	settings settings.Settings
	err      error
}

// load returns what the configuration file in a folder says.
func (f *files) load(dir string) (settings.Settings, error) {
	info, err := os.Stat(filepath.Join(dir, settings.FileName))
	if err != nil {
		return settings.Load(dir)
	}
	f.mu.Lock()
	k, ok := f.known[dir]
	f.mu.Unlock()
	if ok && os.SameFile(k.info, info) && k.info.Size() == info.Size() && k.info.ModTime().Equal(info.ModTime()) {
		return k.settings, k.err
	}
	k = file{info: info}
	if k.settings, k.err = settings.Load(dir); time.Since(info.ModTime()) > settled {
		f.keep(dir, k)
	}
	return k.settings, k.err
}

// keep records the contents of a file.
func (f *files) keep(dir string, k file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = map[string]file{}
	}
	f.known[dir] = k
}

// FileDir returns the folder of the configuration file for dir: dir itself or the nearest
// folder above it that has one, up to the open folder open, which is "" if there is none.
// Without a file it is dir. A file that cannot be read counts, because its error must be
// shown.
func FileDir(dir, open string) string {
	for at := dir; open != "" && location.Within(at, open); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, settings.FileName)); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break // the root may be open
		}
	}
	return dir
}
