package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/render"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/page"
)

// maxLenses is how many lenses of a file come with their commands. Of more the
// client asks for those that it shows; for few, a call for each costs more than
// it saves.
const maxLenses = 100

// lensData says which component or test a lens is for.
type lensData struct {
	URI  string `json:"uri"`
	ID   string `json:"id,omitempty"`
	Test string `json:"test,omitempty"`
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
		lensed := lensedOf(v, s.offers(path))
		lazy := lazy && len(lensed) > maxLenses
		for _, l := range lensed {
			lens, err := l.lens(v.Source.Mapper(), string(u), lazy)
			if err != nil {
				return nil, err
			}
			lenses = append(lenses, lens)
		}
		return lenses, nil
	}, nil
}

// resolveLens gives a lens its command, from what is known now: that may be
// more or less than when the lens was made.
func (s *session) resolveLens(raw jsonrpc2.RawMessage) (work, error) {
	lens, err := decode[protocol.CodeLens](raw)
	if err != nil {
		return nil, err
	}
	var data lensData
	if err := json.Unmarshal(lens.Data, &data); err != nil || data.ID == "" && data.Test == "" {
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
		lens.Command = showRanking("not measured any more", data.URI, "")
		if v := s.views.View(path); v != nil {
			for _, l := range lensedOf(v, true) {
				if l.data(data.URI) == data {
					lens.Command = l.command(data.URI)
					break
				}
			}
		}
		return &lens, nil
	}, nil
}

// offers reports whether a file has lenses that run something.
func (s *session) offers(path string) bool {
	if !strings.HasSuffix(path, "_test.go") {
		return false
	}
	n := s.snapshots.Current()
	if !s.config.Trusted() {
		return false
	}
	dir, err := home(path, n.Folders)
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

// A lensed is a mark or a test that has a lens.
type lensed struct {
	mark *view.Mark
	test *outline.Function
}

// lensedOf lists what has a lens in a file: marks where their settings want it, and tests.
func lensedOf(v *view.View, tests bool) []lensed {
	var list []lensed
	for _, m := range v.Visible() {
		if m.Result.Settings.Lenses {
			list = append(list, lensed{mark: m})
		}
	}
	if !tests {
		return list
	}
	functions := v.Source.Outline().Functions
	for i := range functions {
		if f := &functions[i]; f.Test {
			list = append(list, lensed{test: f})
		}
	}
	return list
}

func (l lensed) data(uri string) lensData {
	if l.mark != nil {
		return lensData{URI: uri, ID: l.mark.Component().ID}
	}
	return lensData{URI: uri, Test: l.test.Name}
}

func (l lensed) command(uri string) protocol.Command {
	if l.mark != nil {
		return showRanking(render.Title(l.mark), uri, l.mark.Result.Run.ID)
	}
	return measureOf("measure energy", measureArguments{Scope: "test", URI: uri, Name: l.test.Name})
}

func (l lensed) lens(at *location.Mapper, uri string, lazy bool) (protocol.CodeLens, error) {
	f := l.test
	if l.mark != nil {
		f = &l.mark.Function
	}
	lens := protocol.CodeLens{Range: at.Span(f.From, f.To)}
	data, err := json.Marshal(l.data(uri))
	lens.Data = data
	if !lazy {
		lens.Command = l.command(uri)
	}
	return lens, err
}

// showRanking is the command of what shows something: a lens must have a
// command that the client finds, and all clients find the server's. This one
// changes nothing. The ranking is that of the run, as what stands in a file may be of
// several.
func showRanking(title, uri, run string) protocol.Command {
	argument := map[string]string{"uri": uri}
	if run != "" {
		argument["run"] = run
	}
	return commandOf(title, rankingCommand, argument)
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
