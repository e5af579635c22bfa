package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"go.lsp.dev/uri"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell/settings"
)

// section is what the server's settings are called in an editor.
const section = "spell"

// settingsWait is how long a measurement waits for a client that was asked for
// its settings.
const settingsWait = 3 * time.Second

// configurationWait is how long a client may take to tell its settings. One that
// never does must not be waited for by more and more goroutines.
const configurationWait = time.Minute

// editorSettings is what the client configures, later over earlier.
type editorSettings struct {
	initial json.RawMessage            // with initialize
	current json.RawMessage            // when asked, or by a notification
	folders map[string]json.RawMessage // when asked for a folder, by its path; in place of current
	asked   int                        // counts questions: only the answer to the last one counts
	ready   chan struct{}              // closed when the answer to the last question is there
	shown   map[string]bool            // complaints that the user has seen
}

// didChangeConfiguration asks the client for its settings or, if it cannot be
// asked, takes them out of the notification.
func (s *session) didChangeConfiguration(ctx context.Context, raw jsonrpc2.RawMessage) error {
	if s.capable(canConfigure) {
		s.pullConfiguration(ctx)
		return nil
	}
	params, err := decode[protocol.DidChangeConfigurationParams](raw)
	if err != nil {
		return err
	}
	current := json.RawMessage(params.Settings)
	var all map[string]json.RawMessage
	if json.Unmarshal(current, &all) == nil && all[section] != nil {
		current = all[section]
	}
	s.configure(ctx, answers{current: current}, s.ask())
	return nil
}

// registerConfiguration asks the client to tell when settings change: some do so
// only then.
func (s *session) registerConfiguration(ctx context.Context) {
	able := func(c *capabilities) *bool { return &c.configChanges }
	if !s.capable(able) {
		return
	}
	s.background(ctx, "registering for settings", func(ctx context.Context) {
		options, err := json.Marshal(map[string]string{"section": section})
		if err != nil {
			return // text only: it cannot fail
		}
		s.refused(s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: Name + ".settings", Method: protocol.MethodWorkspaceDidChangeConfiguration, RegisterOptions: options,
		}}}), "registering for settings", able)
	})
}

func canConfigure(c *capabilities) *bool { return &c.configuration }

// answers are the client's settings: of the window, and of each folder that was
// asked for.
type answers struct {
	current json.RawMessage
	folders map[string]json.RawMessage
}

// pullConfiguration asks the client for its settings. If it cannot be asked it
// has none yet.
func (s *session) pullConfiguration(ctx context.Context) {
	asked := s.ask()
	if !s.capable(canConfigure) {
		s.configure(ctx, answers{}, asked)
		return
	}
	s.mu.Lock()
	folders := s.folders
	s.mu.Unlock()
	s.background(ctx, "reading the configuration", func(ctx context.Context) {
		name := section
		params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}}
		for _, f := range folders {
			scope := uri.File(f.named)
			params.Items = append(params.Items, protocol.ConfigurationItem{Section: &name, ScopeURI: &scope})
		}
		asking, done := context.WithTimeout(ctx, configurationWait)
		defer done()
		list, err := s.client.Configuration(asking, params)
		s.refused(err, "reading the configuration", canConfigure)
		given := answers{folders: map[string]json.RawMessage{}}
		for i, answer := range list {
			if i == 0 {
				given.current = json.RawMessage(answer)
			} else if i <= len(folders) {
				given.folders[folders[i-1].path] = json.RawMessage(answer)
			}
		}
		s.configure(ctx, given, asked)
	})
}

// ask counts a question to the client. It must be called in the order of the
// wire.
func (s *session) ask() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.editor.asked++
	select {
	case <-s.editor.ready:
		s.editor.ready = make(chan struct{})
	default: // there are those who wait already
	}
	return s.editor.asked
}

// configure takes the client's settings, unless it was asked again since.
func (s *session) configure(ctx context.Context, given answers, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.editor.asked != asked {
		return
	}
	s.editor.current, s.editor.folders = given.current, given.folders
	close(s.editor.ready)
	s.background(ctx, "applying the configuration", func(ctx context.Context) {
		s.check(ctx)
		s.mu.Lock()
		s.restyle = s.restyle || asked > 1 // lenses of tests follow settings, too
		s.mu.Unlock()
		s.reconfigure()
	})
}

// check complains of what is wrong with the settings of the open folders, so
// that it is known before something is measured.
func (s *session) check(ctx context.Context) {
	s.mu.Lock()
	folders := s.folders
	s.mu.Unlock()
	for _, f := range folders {
		if _, err := s.settingsOf(f.path); err != nil {
			s.complain(ctx, err)
		}
	}
	if len(folders) == 0 {
		if _, err := s.over(settings.Default(), ""); err != nil {
			s.complain(ctx, err)
		}
	}
}

// settingsOf gives the settings of a folder: its file's, and over them the
// client's.
func (s *session) settingsOf(dir string) (settings.Settings, error) {
	base, err := settings.Load(s.configured(dir))
	if err != nil {
		return base, err
	}
	return s.over(base, s.openFolder(dir))
}

// configured is where the configuration file of a folder is: in itself or, as
// for a module in an open folder, in the nearest one above it, up to the open
// one. Without a file it is the folder itself. What has the file's name but
// cannot be read counts: its error must be told.
func (s *session) configured(dir string) string {
	open := s.openFolder(dir)
	for at := dir; open != "" && within(at, open); at = filepath.Dir(at) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return folderOf(dir, s.folders).path
}

// over lays the client's settings over others: those that it has for the open
// folder, which is "" for none.
func (s *session) over(base settings.Settings, open string) (settings.Settings, error) {
	s.mu.Lock()
	initial, current := s.editor.initial, s.editor.current
	if of, ok := s.editor.folders[open]; ok && string(of) != "null" {
		current = of
	}
	s.mu.Unlock()
	result, err := settings.ParseJSON(initial, base)
	if err != nil {
		return base, fmt.Errorf("initialization options: %w", err)
	}
	result, err = settings.ParseJSON(current, result)
	if err != nil {
		return base, fmt.Errorf("settings: %w", err)
	}
	return result, nil
}

// awaitSettings waits until the client has told its settings, but not for
// long: it may never do so.
func (s *session) awaitSettings(ctx context.Context) {
	limit := time.After(settingsWait)
	for {
		s.mu.Lock()
		ready := s.editor.ready
		s.mu.Unlock()
		select {
		case <-ready:
		case <-ctx.Done():
			return
		case <-limit:
			s.log.Warn("the client did not tell its settings")
			return
		}
		s.mu.Lock()
		last := s.editor.ready == ready
		s.mu.Unlock()
		if last {
			return
		}
	}
}

// reconfigure shows the results as they are to be shown now, ranked anew where
// the settings say it. Where they are bad the results stay as they are.
func (s *session) reconfigure() {
	s.revise(func(r *result) *result {
		if now, err := s.settingsOf(r.dir); err == nil && !reflect.DeepEqual(now, r.settings) {
			return r.under(now)
		}
		return r
	})
	s.publishSoon()
}

// revise shows other forms of the results, also of one that comes meanwhile: it
// begins anew then. It may call to for a result more than once.
func (s *session) revise(to func(*result) *result) {
	for done := false; !done; {
		s.mu.Lock()
		before := s.results
		s.mu.Unlock()
		after, other := &results{}, false
		for _, r := range before.list {
			revised := to(r)
			other = other || revised != r
			after.list = append(after.list, revised)
		}
		s.mu.Lock()
		if done = s.results == before; done && other {
			s.setResults(after)
		}
		s.mu.Unlock()
	}
}

// complain shows what is wrong with the settings, once.
func (s *session) complain(ctx context.Context, err error) {
	s.mu.Lock()
	if s.editor.shown == nil {
		s.editor.shown = map[string]bool{}
	}
	seen := s.editor.shown[err.Error()]
	s.editor.shown[err.Error()] = true
	s.mu.Unlock()
	if !seen {
		s.show(ctx, protocol.MessageTypeError, err.Error())
	}
}
