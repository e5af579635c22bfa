package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/location"
	"spell-lsp/lsp/render"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/page"
)

// maxLenses is the largest number of lenses of a file that are sent with their commands.
// In longer files the client resolves the lenses that it shows; in shorter ones a request
// per lens would cost more than it saves.
const maxLenses = 100

// lensData identifies the component, or what is measured, of a lens.
type lensData struct {
	URI   string `json:"uri"`
	ID    string `json:"id,omitempty"`
	Scope string `json:"scope,omitempty"`
	Name  string `json:"name,omitempty"`
}

func (s *session) codeLens(raw jsonrpc2.RawMessage) (work, error) {
	params, err := decode[protocol.CodeLensParams](raw)
	if err != nil {
		return nil, err
	}
	u := params.TextDocument.URI
	path, err := s.pathOf(u)
	if err != nil {
		return nil, err
	}
	lazy := s.client.Capable(func(c *client.Capabilities) *bool { return &c.LensResolve })
	return func(context.Context) (any, error) {
		lenses := []protocol.CodeLens{}
		v := s.views.View(path)
		if v == nil {
			return lenses, nil
		}
		targets := s.targets(path, v)
		if runs := s.runTargets(path, v); len(runs) > 0 && s.offersRunning(path) {
			targets = append(targets, runs...)
		}
		lazy := lazy && len(targets) > maxLenses
		for _, t := range targets {
			lens, err := t.lens(v.Source.Mapper(), string(u), lazy)
			if err != nil {
				return nil, err
			}
			lenses = append(lenses, lens)
		}
		return lenses, nil
	}, nil
}

// resolveLens adds the command to a lens, from the current results: they may differ from
// the results when the lens was sent.
func (s *session) resolveLens(raw jsonrpc2.RawMessage) (work, error) {
	lens, err := decode[protocol.CodeLens](raw)
	if err != nil {
		return nil, err
	}
	var data lensData
	if err := json.Unmarshal(lens.Data, &data); err != nil || data.ID == "" && data.Scope == "" {
		if lens.Command.Command == "" {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the lens has no data of this server")
		}
		return func(context.Context) (any, error) { return &lens, nil }, nil
	}
	path, err := s.pathOf(uri.URI(data.URI))
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		lens.Command = showRanking("not measured any more", rankingArguments{URI: data.URI})
		if v := s.views.View(path); v != nil {
			for _, t := range append(s.targets(path, v), s.runTargets(path, v)...) {
				if t.data(data.URI) == data {
					lens.Command = t.command(data.URI, v.Source.Mapper())
					break
				}
			}
		}
		return &lens, nil
	}, nil
}

// offersRunning reports whether the tests or the program of a file have lenses that run them.
func (s *session) offersRunning(path string) bool {
	if !s.config.Trusted() {
		return false
	}
	dir, err := moduleDir(path, s.snapshots.Current().Folders)
	if err != nil {
		return false
	}
	settings, err := s.settingsOf(dir)
	if err != nil {
		s.complain(context.Background(), err)
		return true
	}
	return settings.Lenses
}

// A lensTarget has a lens: it is a mark, chosen or runnable.
type lensTarget struct {
	mark   *view.Mark
	chosen *chosen
	run    runnable
}

// markTargets lists the marks whose settings enable lenses.
func markTargets(v *view.View) []lensTarget {
	var list []lensTarget
	for _, m := range v.Visible() {
		if m.Result.Settings.Lenses {
			list = append(list, lensTarget{mark: m})
		}
	}
	return list
}

// targets lists all that has a lens in a file, apart from what can be run.
func (s *session) targets(path string, v *view.View) []lensTarget {
	list := markTargets(v)
	for _, c := range s.chosenIn(path, v) {
		if c.result.Settings.Lenses {
			list = append(list, lensTarget{chosen: &c})
		}
	}
	return list
}

// runTargets lists what can be run in a file.
func (s *session) runTargets(path string, v *view.View) []lensTarget {
	var list []lensTarget
	for _, r := range s.runnables(path, v) {
		list = append(list, lensTarget{run: r})
	}
	return list
}

func (t lensTarget) data(uri string) lensData {
	if t.mark != nil {
		return lensData{URI: uri, ID: t.mark.Component().ID}
	}
	if t.chosen != nil {
		return lensData{URI: uri, Scope: "alternatives", Name: t.chosen.at.Name}
	}
	return lensData{URI: uri, Scope: t.run.scope, Name: t.run.name}
}

func (t lensTarget) command(uri string, at *location.Mapper) protocol.Command {
	if t.mark != nil {
		return showRanking(render.Title(t.mark), rankingArguments{URI: uri, Run: t.mark.Result.Run.ID})
	}
	if t.chosen != nil {
		position := at.Position(t.chosen.at.From)
		return showRanking(t.chosen.title, rankingArguments{URI: uri, Run: t.chosen.result.Run.ID, At: &position})
	}
	return measureOf(t.run.lens(), t.run.arguments(uri))
}

func (t lensTarget) lens(at *location.Mapper, uri string, lazy bool) (protocol.CodeLens, error) {
	f := t.run.at
	switch {
	case t.mark != nil:
		f = &t.mark.Function
	case t.chosen != nil:
		f = t.chosen.at
	}
	lens := protocol.CodeLens{Range: at.Span(f.From, f.To)}
	data, err := json.Marshal(t.data(uri))
	lens.Data = data
	if !lazy {
		lens.Command = t.command(uri, at)
	}
	return lens, err
}

// showRanking is the command of lenses that only show something: a lens must have a command
// that the client knows, all clients know the server's commands, and this one changes
// nothing. It names the run, because the marks of one file may come from several runs.
func showRanking(title string, args rankingArguments) protocol.Command {
	return commandOf(title, rankingCommand, args)
}

func measureOf(title string, args measureArguments) protocol.Command {
	return commandOf(title, measureCommand, args)
}

func commandOf(title, name string, argument any) protocol.Command {
	raw, err := json.Marshal(argument)
	if err != nil {
		raw = []byte("{}") // text only: it cannot fail
	}
	return protocol.Command{Title: page.CleanLines(title), Command: name, Arguments: []protocol.LSPAny{raw}}
}
