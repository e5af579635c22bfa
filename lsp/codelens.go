package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell"
)

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
	if !strings.HasSuffix(path, ".go") {
		return nothing, nil
	}
	return func(context.Context) (any, error) {
		lenses := []protocol.CodeLens{}
		v := s.view(path)
		if v == nil {
			return lenses, nil
		}
		for i := range v.marks {
			if m := &v.marks[i]; m.result.settings.Lenses {
				lenses = append(lenses, m.lens(v.source.mapper(), string(u)))
			}
		}
		if strings.HasSuffix(path, "_test.go") && s.offers(path) {
			lenses = append(lenses, v.source.testLenses(string(u))...)
		}
		return lenses, nil
	}, nil
}

// offers reports whether a file has lenses that run something.
func (s *session) offers(path string) bool {
	s.mu.Lock()
	trusted, folders := s.trusted, s.folders
	s.mu.Unlock()
	if !trusted {
		return false
	}
	dir, err := home(path, folders)
	if err != nil {
		return false
	}
	settings, err := s.settingsOf(dir)
	return err != nil || settings.Lenses // a bad setting shows when something is measured
}

func nothing(context.Context) (any, error) { return nil, nil }

// lens shows what was measured. A click on it asks for the ranking, which
// changes nothing: a lens must have a command that the client finds, and all
// clients find the server's.
func (m *mark) lens(at *mapper, uri string) protocol.CodeLens {
	argument, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		argument = []byte("{}") // text only: it cannot fail
	}
	return protocol.CodeLens{Range: at.span(m.from, m.to), Command: protocol.Command{
		Title: m.title(), Command: rankingCommand, Arguments: []protocol.LSPAny{argument},
	}}
}

func (m *mark) title() string {
	c := m.of()
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
	if change := m.change(); change != "" {
		parts = append(parts, change)
	}
	return strings.Join(parts, " · ")
}

// similarities writes the shares of energy by domain, calls and time.
func (r *result) similarities(phi map[string]float64) string {
	var parts []string
	for _, d := range spell.Domains() {
		if !slices.Contains(r.run.Meter.Domains, d) {
			continue
		}
		name := "E"
		if len(r.run.Meter.Domains) > 1 {
			name += "(" + string(d) + ")"
		}
		parts = append(parts, name+" "+share(phi[string(d)]))
	}
	return strings.Join(append(parts, "N "+share(phi["n"]), "T "+share(phi["time"])), " ")
}

// testLenses puts "measure energy" above every test and benchmark.
func (s *source) testLenses(uri string) []protocol.CodeLens {
	var lenses []protocol.CodeLens
	for _, f := range s.look().functions {
		if !f.test {
			continue
		}
		argument, err := json.Marshal(measureArguments{Scope: "test", URI: uri, Name: f.name})
		if err != nil {
			continue // text only: it cannot fail
		}
		lenses = append(lenses, protocol.CodeLens{Range: s.mapper().span(f.from, f.to), Command: protocol.Command{
			Title: "measure energy", Command: measureCommand, Arguments: []protocol.LSPAny{argument},
		}})
	}
	return lenses
}
