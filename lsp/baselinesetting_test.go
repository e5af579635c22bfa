package lsp_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// The setting baseline names a run, for example a file in the repository. Results are compared
// with it as soon as it is set, without a new measurement. In a workspace without trust it is
// ignored, because looking it up may run git.
func TestBaselineFromSettings(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		l := newLab(maps.Clone(slowCosts))
		l.rounds = 10
		dir := module(t, maps.Clone(park))
		base, err := l.invent(lsp.Request{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		l.costs["sortÄ"] = cost{5, 2500, 25}
		head, err := l.invent(lsp.Request{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		asked := make(chan string, 100)
		e, _ := serve(t, lsp.Options{
			Load: func(string, settings.Settings) (*record.Run, error) { return head, nil },
			Named: func(_ context.Context, _, name string) (*record.Run, error) {
				asked <- name
				if name != "release/1.0" {
					return nil, errors.New(name + " is nothing")
				}
				return base, nil
			},
		})
		e.Folders, e.Options = []string{dir}, map[string]any{"trusted": trusted}
		e.Start()
		parkGo := filepath.Join(dir, "park.go")
		e.Open(parkGo)
		execute(t, e, "load", map[string]any{"path": filepath.Join(dir, "run.json")})
		less := func() bool {
			for _, lens := range e.Lenses(parkGo) {
				if strings.Contains(lens.Command.Title, "50 % less energy, significant") {
					return true
				}
			}
			return false
		}
		if less() || len(asked) > 0 {
			t.Fatal("there is a comparison although no setting names a baseline")
		}
		configure(e, "release/1.0")
		if !trusted {
			e.Eventually("the settings to be taken", func() bool { return len(e.Diagnostics(parkGo)) > 0 && e.Diagnostics(parkGo)[0].Severity == 4 })
			if less() || len(asked) > 0 {
				t.Error("the baseline of settings that are not trusted was looked for")
			}
			continue
		}
		e.Eventually("the change since the baseline", less)
		configure(e, "nonsense")
		e.Eventually("no change after the setting names no run", func() bool { return !less() })
		configure(e, "release/1.0")
		e.Eventually("the change again", less)
		configure(e, "")
		e.Eventually("no change after the setting is empty", func() bool { return !less() })
	}
}

func configure(e *lsptest.Editor, baseline string) {
	e.Configure(map[string]any{"baseline": baseline, "severity": map[string]any{"red": "hint"}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
}
