package lsp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
)

// A rawLens is a lens with the members that the user does not see.
type rawLens struct {
	Range   lsptest.Range `json:"range"`
	Command *struct {
		Title     string `json:"title"`
		Command   string `json:"command"`
		Arguments []any  `json:"arguments"`
	} `json:"command,omitempty"`
	Data any `json:"data,omitempty"`
}

func rawLenses(t testing.TB, e *lsptest.Editor, path string) []rawLens {
	t.Helper()
	return into[[]rawLens](t, e.MustCall("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(path)}}))
}

func resolved(t testing.TB, e *lsptest.Editor, lens rawLens) rawLens {
	t.Helper()
	return into[rawLens](t, e.MustCall("codeLens/resolve", lens))
}

// openLarge opens and measures a file with the given number of functions, F1 the costliest.
func openLarge(t testing.TB, functions int, setUp ...func(*lsptest.Editor)) (e *lsptest.Editor, path string) {
	t.Helper()
	text, costs := "package park\n", map[string]cost{}
	for i := 1; i <= functions; i++ {
		text += fmt.Sprintf("\nfunc F%d() {\n\tprintln(%d)\n}\n", i, i)
		costs[fmt.Sprintf("F%d", i)] = cost{n: 1, ms: float64(functions - i + 1), joules: float64(functions - i + 1)}
	}
	dir := module(t, map[string]string{"large.go": text})
	e, _ = serve(t, lspOptions(newLab(costs)))
	e.Folders = []string{dir}
	for _, f := range setUp {
		f(e)
	}
	e.Start()
	path = filepath.Join(dir, "large.go")
	e.Open(path)
	measure(t, e)
	return e, path
}

// The lenses of a large file are sent without titles. The client requests the titles of the
// lenses that are on the screen.
func TestLensesOfALargeFileAreResolved(t *testing.T) {
	e, path := openLarge(t, 101)
	lenses := rawLenses(t, e, path)
	if len(lenses) != 101 || lenses[0].Command != nil || lenses[0].Data == nil {
		t.Fatalf("%d lenses, the first %+v", len(lenses), lenses[0])
	}
	got := resolved(t, e, lenses[0])
	if got.Command == nil || !strings.HasPrefix(got.Command.Title, "YELLOW #1 · psi ") || got.Command.Command != "spell-lsp.ranking" || got.Range != lenses[0].Range {
		t.Errorf("resolved %+v", got)
	}
}

// The lenses of a small file are sent with titles, because a request for each would cost more.
func TestLensesOfASmallFileNeedNotBeResolved(t *testing.T) {
	e, path := openLarge(t, 100)
	for _, lens := range rawLenses(t, e, path) {
		if lens.Command == nil {
			t.Fatalf("a lens without a command: %+v", lens)
		}
		if got := resolved(t, e, lens); got.Command.Title != lens.Command.Title {
			t.Fatalf("resolving made %q of %q", got.Command.Title, lens.Command.Title)
		}
	}
}

// A client that can resolve other members of a lens, but not commands, gets all commands at
// once: otherwise it would draw nothing.
func TestClientThatDoesNotResolveCommands(t *testing.T) {
	e, path := openLarge(t, 101, can(map[string]map[string]any{
		"textDocument": {"codeLens": map[string]any{"resolveSupport": map[string]any{"properties": []string{"tooltip"}}}},
	}))
	if lens := rawLenses(t, e, path)[100]; lens.Command == nil || !strings.Contains(lens.Command.Title, "#101") {
		t.Errorf("the last lens is %+v", lens)
	}
}

// After the lenses were sent and before one is resolved, its function may be edited or deleted,
// or its result cleared. The title must be true when it is shown.
func TestLensIsResolvedFromCurrentResults(t *testing.T) {
	e, path := openLarge(t, 101)
	lenses := rawLenses(t, e, path)
	e.Edit(path, "println(1)", "print(1)")
	if got := resolved(t, e, lenses[0]).Command.Title; !strings.HasPrefix(got, "measured before this edit: #1 · ") {
		t.Errorf("after an edit of the function: %q", got)
	}
	e.Edit(path, "func F2() {\n\tprintln(2)\n}\n", "")
	if got := resolved(t, e, lenses[1]).Command; got.Title != "not measured any more" || got.Command == "" {
		t.Errorf("after the function was deleted: %+v", got)
	}
	if got := resolved(t, e, lenses[2]).Command.Title; !strings.HasPrefix(got, "YELLOW #3 · ") {
		t.Errorf("another function: %q", got)
	}
	if _, err := e.Execute("spell-lsp.clear", map[string]any{}).Wait(); err != nil {
		t.Fatal(err)
	}
	if got := resolved(t, e, lenses[2]).Command.Title; got != "not measured any more" {
		t.Errorf("after clear: %q", got)
	}
}

// A client may resolve a lens that has a title already. It must get a current title, not the
// old one.
func TestLensWithACommandIsResolvedAgain(t *testing.T) {
	e, path := openLarge(t, 3)
	lenses := rawLenses(t, e, path)
	e.Edit(path, "println(1)", "print(1)")
	if got := resolved(t, e, lenses[0]).Command.Title; !strings.HasPrefix(got, "measured before this edit: #1 · ") {
		t.Errorf("after an edit of the function: %q", got)
	}
}

// Resolving a lens of another server is an error or, if the lens has a command, leaves it
// unchanged.
func TestForeignLens(t *testing.T) {
	e, _ := openLarge(t, 1)
	if _, err := e.Call("codeLens/resolve", map[string]any{"range": lsptest.Range{}, "data": 7}).Wait(); err == nil || err.Code != -32602 {
		t.Errorf("a lens without our data: %v", err)
	}
	lens := map[string]any{"range": lsptest.Range{}, "command": map[string]any{"title": "x", "command": "y"}}
	if got := into[rawLens](t, e.MustCall("codeLens/resolve", lens)); got.Command == nil || got.Command.Title != "x" {
		t.Errorf("a complete lens came back as %+v", got)
	}
}

// The lenses of a file with many tests are sent without titles too.
func TestTestLensesAreResolved(t *testing.T) {
	text := "package park\n\nimport \"testing\"\n"
	for i := range 101 {
		text += fmt.Sprintf("\nfunc TestF%d(t *testing.T) {}\n", i)
	}
	dir := module(t, map[string]string{"f_test.go": text})
	l := newLab(nil)
	e, _ := serve(t, lsp.Options{Measure: l.measure})
	e.Folders = []string{dir}
	e.Start()
	path := filepath.Join(dir, "f_test.go")
	e.Open(path)
	lenses := rawLenses(t, e, path)
	if len(lenses) != 101 || lenses[7].Command != nil {
		t.Fatalf("%d lenses, one of them %+v", len(lenses), lenses[7])
	}
	got := resolved(t, e, lenses[7])
	if got.Command.Title != "measure energy" || got.Command.Command != "spell-lsp.measure" {
		t.Fatalf("resolved %+v", got.Command)
	}
	if _, err := e.Execute(got.Command.Command, got.Command.Arguments[0]).Wait(); err != nil {
		t.Fatal(err)
	}
	if r := <-l.requests; r.Run != "^TestF7$" {
		t.Errorf("measured %q", r.Run)
	}
}
