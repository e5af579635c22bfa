package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell/settings"
)

// section is what the server's settings are called in an editor.
const section = "spell"

// settingsWait is how long a measurement waits for a client that was asked for
// its settings.
const settingsWait = 3 * time.Second

// editorSettings is what the client configures, later over earlier.
type editorSettings struct {
	initial json.RawMessage // with initialize
	current json.RawMessage // when asked, or by a notification
	asked   int             // counts questions: only the answer to the last one counts
	ready   chan struct{}   // closed when the answer to the last question is there
	shown   map[string]bool // complaints that the user has seen
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
	s.configure(ctx, current, s.ask())
	return nil
}

func canConfigure(c *capabilities) *bool { return &c.configuration }

// pullConfiguration asks the client for its settings. If it cannot be asked it
// has none yet.
func (s *session) pullConfiguration(ctx context.Context) {
	asked := s.ask()
	if !s.capable(canConfigure) {
		s.configure(ctx, nil, asked)
		return
	}
	s.background(ctx, "reading the configuration", func(ctx context.Context) {
		var current json.RawMessage
		name := section
		answer, err := s.client.Configuration(ctx, &protocol.ConfigurationParams{
			Items: []protocol.ConfigurationItem{{Section: &name}},
		})
		s.refused(err, "reading the configuration", canConfigure)
		if len(answer) > 0 {
			current = json.RawMessage(answer[0])
		}
		s.configure(ctx, current, asked)
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
func (s *session) configure(ctx context.Context, current json.RawMessage, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.editor.asked != asked {
		return
	}
	s.editor.current = current
	close(s.editor.ready)
	s.background(ctx, "applying the configuration", func(ctx context.Context) {
		if _, err := s.over(settings.Default()); err != nil {
			s.complain(ctx, err)
		}
		s.reconfigure()
	})
}

// settingsOf gives the settings of a folder: its file's, and over them the
// client's.
func (s *session) settingsOf(dir string) (settings.Settings, error) {
	base, err := settings.Load(dir)
	if err != nil {
		return base, err
	}
	return s.over(base)
}

func (s *session) over(base settings.Settings) (settings.Settings, error) {
	s.mu.Lock()
	initial, current := s.editor.initial, s.editor.current
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

// reconfigure shows the results as they are to be shown now. Where the
// settings are bad they stay as they are.
func (s *session) reconfigure() {
	s.mu.Lock()
	before := s.results
	s.mu.Unlock()
	after := &results{}
	for _, r := range before.list {
		changed := *r
		if now, err := s.settingsOf(r.dir); err == nil {
			changed.settings = now
		}
		after.list = append(after.list, &changed)
	}
	s.mu.Lock()
	if s.results == before && len(after.list) > 0 {
		s.setResults(after)
	}
	s.mu.Unlock()
	s.publishSoon()
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
