package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
	"spell-lsp/spell/page"
)

// maxLenses is how many lenses of a file come with their commands. Of more the
// client asks for those that it shows; for few, a call for each costs more than
// it saves.
const maxLenses = 100

// lensData says what a lens is of: a component or a test.
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
	lazy := s.client.capable(func(c *capabilities) *bool { return &c.lensResolve })
	return func(context.Context) (any, error) {
		lenses := []protocol.CodeLens{}
		v := s.views.of(path)
		if v == nil {
			return lenses, nil
		}
		lensed := v.lensed(s.offers(path))
		lazy := lazy && len(lensed) > maxLenses
		for _, l := range lensed {
			lens, err := l.lens(v.source.Mapper(), string(u), lazy)
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
		if v := s.views.of(path); v != nil {
			for _, l := range v.lensed(true) {
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
	n := s.snapshots.now()
	if !n.trusted {
		return false
	}
	dir, err := home(path, n.folders)
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

func nothing(context.Context) (any, error) { return nil, nil }

// A lensed is what has a lens: a mark, or a test.
type lensed struct {
	mark *mark
	test *outline.Function
}

func (v *view) lensed(tests bool) []lensed {
	var list []lensed
	for _, m := range v.visible() {
		if m.result.settings.Lenses {
			list = append(list, lensed{mark: m})
		}
	}
	if !tests {
		return list
	}
	functions := v.source.Outline().Functions
	for i := range functions {
		if f := &functions[i]; f.Test {
			list = append(list, lensed{test: f})
		}
	}
	return list
}

func (l lensed) data(uri string) lensData {
	if l.mark != nil {
		return lensData{URI: uri, ID: l.mark.of().ID}
	}
	return lensData{URI: uri, Test: l.test.Name}
}

func (l lensed) command(uri string) protocol.Command {
	if l.mark != nil {
		return showRanking(l.mark.title(), uri, l.mark.result.run.ID)
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

func (m *mark) title() string {
	c := m.counted()
	parts := []string{
		fmt.Sprintf("%s #%d", strings.ToUpper(string(c.Zone)), c.Rank),
		"psi " + share(c.Psi),
	}
	if m.stale {
		parts[0] = fmt.Sprintf("%s: #%d", staleness, c.Rank)
	}
	parts = append(parts, m.result.similarities(c.Phi))
	parts = append(parts, m.result.joules(c.EnergyJ))
	if c.EPIJ > 0 {
		parts = append(parts, m.result.perCall(c))
	}
	if c.BelowResolution {
		parts = append(parts, unresolved)
	}
	for _, more := range []string{m.change(), m.result.age(time.Now())} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return page.CleanLines(strings.Join(parts, " · "))
}

// similarities writes the shares of energy by domain, calls and time.
func (r *result) similarities(phi map[string]float64) string {
	var parts []string
	for _, d := range spell.Domains() {
		if !slices.Contains(r.run.Matrix.Domains, d) {
			continue
		}
		name := "E"
		if len(r.run.Matrix.Domains) > 1 {
			name += "(" + string(d) + ")"
		}
		parts = append(parts, name+" "+share(phi[string(d)]))
	}
	return strings.Join(append(parts, "N "+share(phi["n"]), "T "+share(phi["time"])), " ")
}
