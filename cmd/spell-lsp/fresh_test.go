package main

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"testing"

	"go.uber.org/zap"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// dark is a module in which each package, file and type has functions that get no
// probe, or that nothing runs.
var dark = map[string]string{
	"go.mod": "module example.com/dark\n\ngo 1.26\n",
	"dark.go": `package dark

type T struct{}

func (T) Run() (n int) {
	for i := range 1000 {
		n += T{}.tight(i)
	}
	return n
}

//go:nosplit
func (T) tight(i int) int { return i }

func (T) Left() {}

func never() {}
`,
	"shown.go": "package dark\n\nfunc Shown() {}\n",
	"embed.go": "package dark\n\nimport _ \"embed\"\n\n//go:embed shown.go\nvar Text string\n\nfunc Embeds() string { return Text }\n",
	"left.go":  "package dark\n\nfunc Generated() {}\n",
	"dark_test.go": `package dark

import "testing"

func TestRun(*testing.T) {
	T{}.Run()
	T{}.Left()
	Shown()
	Embeds()
	Generated()
}
`,
}

// What was measured just now, and not edited since, is fresh, whatever is ranked.
func TestMeasuredIsFresh(t *testing.T) {
	long(t)
	for kind, want := range map[spell.Kind]int{spell.KindPackage: 1, spell.KindFile: 2, spell.KindType: 2, spell.KindFunction: 2} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			dir := module(t, dark)
			s := settings.Default()
			s.Meter, s.Granularity, s.Rounds, s.Warmup, s.Exclude = "none", kind, 1, 0, []string{"left.go", "dark.T.Left"}
			run, err := measureForEditor(t.Context(), lsp.Request{Dir: dir, Patterns: []string{"./..."}, Settings: s}, func(lsp.Progress) {})
			if err != nil {
				t.Fatal(err)
			}
			e := editorWith(t, dir, run)
			if rows, stale := staleRows(t, e); rows != want || len(stale) > 0 {
				t.Errorf("%d rows, want %d; stale are %q", rows, want, stale)
			}
			path := filepath.Join(dir, "dark.go")
			e.Open(path)
			e.Edit(path, "return i }", "return i + 1 }")
			// Of functions, the one that was edited has no probe, and no row.
			if _, stale := staleRows(t, e); (len(stale) == 0) != (kind == spell.KindFunction) {
				t.Errorf("after an edit of a function without a probe, stale are %q", stale)
			}
			e.Quit()
		})
	}
}

// editorWith is an editor that has the folder open, and a run of it.
func editorWith(t *testing.T, dir string, run *record.Run) *lsptest.Editor {
	t.Helper()
	near, far := net.Pipe()
	measure := func(context.Context, lsp.Request, func(lsp.Progress)) (*record.Run, error) { return run, nil }
	ended := make(chan error, 1)
	go func() {
		ended <- lsp.Serve(context.Background(), far, lsp.Options{Measure: measure, Log: zap.NewNop(), Version: "test"})
	}()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	e := lsptest.Connect(t, near)
	e.Folders = []string{dir}
	e.Start()
	if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait(); err != nil {
		t.Fatal(err)
	}
	return e
}

// staleRows counts the rows of the ranking, and names those that are stale.
func staleRows(t *testing.T, e *lsptest.Editor) (n int, stale []string) {
	t.Helper()
	raw, failure := e.Execute("spell-lsp.ranking", map[string]any{}).Wait()
	if failure != nil {
		t.Fatal(failure)
	}
	var rows []struct {
		ID    string
		Stale bool
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for _, r := range rows {
		if r.Stale {
			stale = append(stale, r.ID)
		}
	}
	return len(rows), stale
}
