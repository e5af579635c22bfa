package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/spell/settings"
)

// fileTimeSettled is how old a file must be for its time to tell whether it changes:
// file systems count in steps of up to two seconds.
const fileTimeSettled = 2 * time.Second

// settingsFiles keeps what the configuration files say while they stay as they
// are: nearly every request asks for it.
type settingsFiles struct {
	mu    sync.Mutex
	known map[string]settingsFile // by folder
}

type settingsFile struct {
	info     os.FileInfo
	settings settings.Settings
	err      error
}

// load gives what the configuration file of a folder says.
func (f *settingsFiles) load(dir string) (settings.Settings, error) {
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
	k = settingsFile{info: info}
	if k.settings, k.err = settings.Load(dir); time.Since(info.ModTime()) > fileTimeSettled {
		f.keep(dir, k)
	}
	return k.settings, k.err
}

func (f *settingsFiles) keep(dir string, k settingsFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = map[string]settingsFile{}
	}
	f.known[dir] = k
}

// settingsOf gives the settings of a folder: its file's, and over them the
// client's, which may be those of the folder too. Every use of settings goes
// through here, so that nothing else has to ask whether the workspace is trusted.
func (s *session) settingsOf(dir string) (settings.Settings, error) {
	found, err := s.files.load(s.configured(dir))
	if err == nil {
		found, err = s.over(found, s.openFolder(dir))
	}
	s.assess(dir, err)
	if err != nil || s.mayRun() == nil {
		return found, err
	}
	harmless, ignored := found.WithoutTrust()
	s.tellIgnored(ignored)
	return harmless, nil
}

// tellIgnored says which settings are not read for want of trust, once each.
func (s *session) tellIgnored(keys []string) {
	s.mu.Lock()
	var news []string
	for _, k := range keys {
		if !s.ignored[k] {
			news = append(news, k)
			s.ignored[k] = true
		}
	}
	s.mu.Unlock()
	if len(news) > 0 {
		s.show(context.Background(), protocol.MessageTypeInfo, "this workspace is not trusted, so these settings are not read: "+strings.Join(news, ", "))
	}
}

// configured is where the configuration file of a folder is: in itself or, as
// for a module in an open folder, in the nearest one above it, up to the open
// one. Without a file it is the folder itself. What has the file's name but
// cannot be read counts: its error must be told.
func (s *session) configured(dir string) string {
	open := s.openFolder(dir)
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

// openFolder is the open folder that a folder is in, "" if there is none.
func (s *session) openFolder(dir string) string {
	return s.snapshots.Current().OpenFolder(dir)
}
