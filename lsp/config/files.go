package config

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"spell-lsp/lsp/location"
	"spell-lsp/spell/settings"
)

// settled is how old a file must be for its time to tell whether it changes:
// file systems count in steps of up to two seconds.
const settled = 2 * time.Second

// files keeps what the configuration files say while they stay as they
// are: nearly every request asks for it.
type files struct {
	mu    sync.Mutex
	known map[string]file // by folder
}

type file struct {
	info     os.FileInfo
	settings settings.Settings
	err      error
}

// load gives what the configuration file of a folder says.
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

func (f *files) keep(dir string, k file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = map[string]file{}
	}
	f.known[dir] = k
}

// FileDir is where the configuration file of a folder is: in itself or, as
// for a module in an open folder, in the nearest one above it, up to the open
// one, which is "" for none. Without a file it is the folder itself. What has the file's name but
// cannot be read counts: its error must be told.
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
