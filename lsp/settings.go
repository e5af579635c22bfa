package lsp

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/config"
	"spell-lsp/lsp/location"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/settings"
)

// The names of tasks that apply settings.
const (
	readingSettings       = "reading settings"
	readingConfiguration  = "reading the configuration"
	applyingConfiguration = "applying the configuration"
)

// configurationWait is how long a client may take to answer workspace/configuration. Without
// a limit, a client that never answers would keep a goroutine waiting for each request.
const configurationWait = time.Minute

// didChangeConfiguration requests the client's settings or, if the client does not support
// that, takes them from the notification.
func (s *session) didChangeConfiguration(ctx context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidChangeConfigurationParams](raw)
	if err != nil && !s.client.Capable(canConfigure) {
		return err
	}
	s.config.Tell(json.RawMessage(params.Settings))
	s.pullConfiguration(ctx)
	return nil
}

// registerConfiguration registers for changes of settings: some clients notify only servers
// that registered.
func (s *session) registerConfiguration(ctx context.Context) {
	able := func(c *client.Capabilities) *bool { return &c.ConfigChanges }
	if !s.client.Capable(able) {
		return
	}
	s.tasks.Go(ctx, "registering for settings", func(ctx context.Context) {
		options, err := json.Marshal(map[string]string{"section": config.Section})
		if err != nil {
			return // cannot happen: a map of strings always encodes
		}
		s.client.Refused(s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: Name + ".settings", Method: protocol.MethodWorkspaceDidChangeConfiguration, RegisterOptions: options,
		}}}), "registering for settings", able)
	})
}

func canConfigure(c *client.Capabilities) *bool { return &c.Configuration }

// pullConfiguration requests the client's settings. If the client does not support that, the
// settings of its last notification count.
func (s *session) pullConfiguration(ctx context.Context) {
	asked := s.config.Ask()
	if !s.client.Capable(canConfigure) {
		s.configure(ctx, nil, asked)
		return
	}
	folders := s.snapshots.Current().Folders
	s.tasks.Go(ctx, readingConfiguration, func(ctx context.Context) {
		name := config.Section
		params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}}
		for _, f := range folders {
			scope := uri.File(f.Named)
			params.Items = append(params.Items, protocol.ConfigurationItem{Section: &name, ScopeURI: &scope})
		}
		asking, done := context.WithTimeout(ctx, configurationWait)
		defer done()
		list, err := s.client.Configuration(asking, params)
		if err != nil {
			s.client.Refused(err, readingConfiguration, canConfigure)
			s.configure(ctx, nil, asked)
			return
		}
		given := &config.Answers{Folders: map[string]json.RawMessage{}}
		for i, answer := range list {
			if i == 0 {
				given.Window = json.RawMessage(answer)
			} else if i <= len(folders) {
				given.Folders[folders[i-1].Path] = json.RawMessage(answer)
			}
		}
		s.configure(ctx, given, asked)
	})
}

// configure applies the client's settings, unless they were requested again since. nil means
// that there was no answer: the known settings stay.
func (s *session) configure(ctx context.Context, given *config.Answers, asked int) {
	if !s.config.Answer(asked, given, s.client.Capable(canConfigure)) {
		return
	}
	s.tasks.Go(ctx, applyingConfiguration, func(ctx context.Context) {
		s.check(ctx)
		if asked > 1 || s.hasScenarios() {
			s.publisher.RefreshWithNext() // settings decide about lenses of tests and programs too
		}
		s.reconfigure(ctx)
	})
}

// hasScenarios reports whether an open folder has scenarios.
func (s *session) hasScenarios() bool {
	return slices.ContainsFunc(s.snapshots.Current().Folders, func(f location.Folder) bool {
		found, err := s.settingsOf(f.Path)
		return err == nil && len(found.Scenarios) > 0
	})
}

// check shows the errors in the settings of the open folders, so that the user sees them
// before a measurement. It also rereads the settings that had errors.
func (s *session) check(ctx context.Context) {
	folders := s.snapshots.Current().Folders
	dirs := s.config.Bad()
	for _, f := range folders {
		dirs = append(dirs, f.Path)
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if location.Innermost(dir, folders).Path == "" {
			s.config.Forget(dir) // it was closed
		} else if _, err := s.settingsOf(dir); err != nil {
			s.complain(ctx, err)
		}
	}
	if len(folders) == 0 {
		if err := s.config.CheckWindow(); err != nil {
			s.complain(ctx, err)
		}
	}
}

// awaitSettings waits a short time for the client's settings.
func (s *session) awaitSettings(ctx context.Context) {
	if s.config.Await(ctx) {
		s.log.Warn("the client did not send its settings")
	}
}

// settingsOf returns the settings of a folder. Every use of settings goes through here, so
// that nothing else has to ask whether the workspace is trusted.
func (s *session) settingsOf(dir string) (settings.Settings, error) {
	found := s.config.In(dir, s.snapshots.Current().OpenFolder(dir))
	if news := s.config.NewlyIgnored(found.Ignored); len(news) > 0 {
		s.client.Show(context.Background(), protocol.MessageTypeInfo, "this workspace is not trusted, so these settings are not read: "+strings.Join(news, ", "))
	}
	return found.Settings, found.Err
}

// reconfigure applies the current settings to the results, and ranks them again if the
// settings require it. Results stay unchanged if their settings have errors or ctx has ended.
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
		if ctx.Err() != nil { // the search for a baseline may have been interrupted
			return r
		}
		return revised
	})
	s.publisher.Soon()
	s.advise(ctx)
}

// revise replaces each result by to(result). If the results change meanwhile, it starts again, so
// it may call to more than once for a result.
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

// complain shows an error in the settings, once until it is corrected.
func (s *session) complain(ctx context.Context, err error) {
	if s.config.Complain(err) {
		s.client.Show(ctx, protocol.MessageTypeError, err.Error())
	}
}
