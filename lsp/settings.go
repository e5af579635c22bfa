package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/location"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/settings"
)

// section is what the server's settings are called in an editor.
const section = "spell"

// What is done when settings may be others.
const (
	readingSettings       = "reading settings"
	readingConfiguration  = "reading the configuration"
	applyingConfiguration = "applying the configuration"
)

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
	told    json.RawMessage            // by a notification since it last answered: of use if it cannot be asked
	folders map[string]json.RawMessage // when asked for a folder, by its path; in place of current
	asked   int                        // counts questions: only the answer to the last one counts
	ready   chan struct{}              // closed when the answer to the last question is there
	bad     map[string]string          // what is wrong with the settings of a folder, by its path
	shown   map[string]bool            // of that what the user has seen
}

// didChangeConfiguration asks the client for its settings or, if it cannot be
// asked, takes them out of the notification.
func (s *session) didChangeConfiguration(ctx context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidChangeConfigurationParams](raw)
	if err != nil && !s.capable(canConfigure) {
		return err
	}
	if own := sectionOf(json.RawMessage(params.Settings)); own != nil {
		s.mu.Lock()
		s.editor.told = own
		s.mu.Unlock()
	}
	s.pullConfiguration(ctx)
	return nil
}

// sectionOf finds the server's settings among all that a client tells: by the
// name of their section, or without it. It is nil if those of others are all.
func sectionOf(all json.RawMessage) json.RawMessage {
	var group map[string]json.RawMessage
	if json.Unmarshal(all, &group) != nil {
		return nil
	}
	if own, ok := group[section]; ok {
		return own
	}
	for _, k := range settings.Keys() {
		top, _, _ := strings.Cut(k.Name, ".")
		if _, ok := group[top]; ok {
			return all
		}
	}
	return nil
}

// registerConfiguration asks the client to tell when settings change: some do so
// only then.
func (s *session) registerConfiguration(ctx context.Context) {
	able := func(c *client.Capabilities) *bool { return &c.ConfigChanges }
	if !s.capable(able) {
		return
	}
	s.tasks.Go(ctx, "registering for settings", func(ctx context.Context) {
		options, err := json.Marshal(map[string]string{"section": section})
		if err != nil {
			return // text only: it cannot fail
		}
		s.refused(s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: Name + ".settings", Method: protocol.MethodWorkspaceDidChangeConfiguration, RegisterOptions: options,
		}}}), "registering for settings", able)
	})
}

func canConfigure(c *client.Capabilities) *bool { return &c.Configuration }

// answers are the client's settings: of the window, and of each folder that was
// asked for.
type answers struct {
	current json.RawMessage
	folders map[string]json.RawMessage
}

// pullConfiguration asks the client for its settings. If it cannot be asked they
// are those that it has told.
func (s *session) pullConfiguration(ctx context.Context) {
	asked := s.ask()
	if !s.capable(canConfigure) {
		s.configure(ctx, nil, asked)
		return
	}
	folders := s.snapshots.Current().Folders
	s.tasks.Go(ctx, readingConfiguration, func(ctx context.Context) {
		name := section
		params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}}
		for _, f := range folders {
			scope := uri.File(f.Named)
			params.Items = append(params.Items, protocol.ConfigurationItem{Section: &name, ScopeURI: &scope})
		}
		asking, done := context.WithTimeout(ctx, configurationWait)
		defer done()
		list, err := s.client.Configuration(asking, params)
		if err != nil {
			s.refused(err, readingConfiguration, canConfigure)
			s.configure(ctx, nil, asked)
			return
		}
		given := &answers{folders: map[string]json.RawMessage{}}
		for i, answer := range list {
			if i == 0 {
				given.current = json.RawMessage(answer)
			} else if i <= len(folders) {
				given.folders[folders[i-1].Path] = json.RawMessage(answer)
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

// configure takes the client's settings, unless it was asked again since. nil
// stands for no answer: then what is known stays.
func (s *session) configure(ctx context.Context, given *answers, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.editor.asked != asked {
		return
	}
	switch e := &s.editor; {
	case given != nil:
		e.current, e.folders, e.told = given.current, given.folders, nil
	case !s.capable(canConfigure) && e.told != nil:
		e.current, e.folders = e.told, nil
	}
	close(s.editor.ready)
	s.tasks.Go(ctx, applyingConfiguration, func(ctx context.Context) {
		s.check(ctx)
		if asked > 1 {
			s.publisher.RefreshLater() // lenses of tests follow settings, too
		}
		s.reconfigure(ctx)
	})
}

// check complains of what is wrong with the settings of the open folders, so
// that it is known before something is measured, and looks again at those in
// them that were bad.
func (s *session) check(ctx context.Context) {
	s.mu.Lock()
	dirs := slices.Collect(maps.Keys(s.editor.bad))
	s.mu.Unlock()
	folders := s.snapshots.Current().Folders
	for _, f := range folders {
		dirs = append(dirs, f.Path)
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if location.Innermost(dir, folders).Path == "" {
			s.assess(dir, nil) // it was closed
		} else if _, err := s.settingsOf(dir); err != nil {
			s.complain(ctx, err)
		}
	}
	if len(folders) == 0 {
		_, err := s.over(settings.Default(), "")
		if s.assess("", err); err != nil {
			s.complain(ctx, err)
		}
	}
}

// assess notes what is wrong with the settings of a folder, nil for nothing. Who
// mends a mistake and makes it again is to be told again.
func (s *session) assess(dir string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	bad := s.editor.bad
	was := bad[dir]
	switch {
	case was == text:
		return
	case text == "":
		delete(bad, dir)
	case bad == nil:
		s.editor.bad = map[string]string{dir: text}
	default:
		bad[dir] = text
	}
	if !slices.Contains(slices.Collect(maps.Values(bad)), was) {
		delete(s.editor.shown, was)
	}
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
// the settings say it. Where they are bad the results stay as they are, and when ctx
// has ended.
func (s *session) reconfigure(ctx context.Context) {
	s.revise(func(r *results.Result) *results.Result {
		now, err := s.settingsOf(r.Dir)
		if err != nil {
			s.complain(ctx, err)
			return r
		}
		if reflect.DeepEqual(now, r.Settings) {
			return r
		}
		revised := r.Under(now)
		if now.Baseline != r.Settings.Baseline {
			revised = s.compared(ctx, revised)
		}
		if ctx.Err() != nil { // then a baseline was perhaps not found
			return r
		}
		return revised
	})
	s.publisher.PublishSoon()
}

// revise shows other forms of the results, also of one that comes meanwhile: it
// begins anew then. It may call to for a result more than once.
func (s *session) revise(to func(*results.Result) *results.Result) {
	for done := false; !done; {
		before := s.snapshots.Current().Results
		after, other := &results.Layers{}, false
		for _, r := range before.List {
			revised := to(r)
			other = other || revised != r
			after.List = append(after.List, revised)
		}
		s.update(func(next *snapshot.Snapshot) bool {
			done = next.Results == before
			if done && other {
				next.Show(after)
			}
			return done && other
		})
	}
}

// complain shows what is wrong with the settings, once until it is mended.
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
