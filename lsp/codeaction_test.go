package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

type codeAction struct {
	Title       string
	Kind        string
	Diagnostics []json.RawMessage
	Disabled    *struct{ Reason string }
	Edit        *workspaceEdit
	Command     json.RawMessage // text where the action is a command itself
}

type workspaceEdit struct {
	Changes         map[string][]textEdit
	DocumentChanges []struct {
		Kind         string
		URI          string
		TextDocument struct {
			URI     string
			Version *int
		}
		Edits []textEdit
	}
}

type textEdit struct {
	Range   lsptest.Range
	NewText string
}

// modern gives an editor all capabilities of code actions.
func modern(e *lsptest.Editor) {
	can(map[string]map[string]any{
		"textDocument": {"codeAction": map[string]any{
			"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix"}}}, "disabledSupport": true,
		}},
		"workspace": {"workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create", "rename"}}},
	})(e)
}

// actionsAt requests the actions at a part of an open file.
func actionsAt(t testing.TB, e *lsptest.Editor, path, part string, context ...map[string]any) []codeAction {
	t.Helper()
	asked := map[string]any{"diagnostics": []any{}}
	for _, c := range context {
		asked = c
	}
	return into[[]codeAction](t, e.MustCall("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": lsptest.URI(path)}, "range": spanOf(t, e.Text(path), part), "context": asked,
	}))
}

func titles(list []codeAction) []string {
	var titles []string
	for _, a := range list {
		title := a.Title
		if a.Disabled != nil {
			title += " (" + a.Disabled.Reason + ")"
		}
		titles = append(titles, title)
	}
	return titles
}

func titled(t testing.TB, list []codeAction, title string) codeAction {
	t.Helper()
	i := slices.IndexFunc(list, func(a codeAction) bool { return a.Title == title })
	if i < 0 {
		t.Fatalf("there is no %q among %q", title, titles(list))
	}
	return list[i]
}

// All actions of a measured function are offered anywhere in it; outside measured functions
// there are none.
func TestCodeActions(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), modern)
	if got := actionsAt(t, e, parkGo, "Add"); len(got) > 0 {
		t.Errorf("before the measurement: %q", titles(got))
	}
	measure(t, e)
	want := []string{
		"Measure energy of (*Park).Add", "Measure energy of this package", "Drill into blocks of (*Park).Add",
		"Show energy ranking", "Set as baseline", "Hide (*Park).Add",
	}
	for _, place := range []string{"Add", "func (p", "p.cars = append", "\n}\n\nfunc sortÄ", "Add(c Car) {\n\tp.cars"} {
		if diff := cmp.Diff(want, titles(actionsAt(t, e, parkGo, place))); diff != "" {
			t.Errorf("at %q (-want +got):\n%s", place, diff)
		}
	}
	for _, place := range []string{"package", "type Park", "func never"} {
		if got := actionsAt(t, e, parkGo, place); len(got) > 0 {
			t.Errorf("at %q: %q", place, titles(got))
		}
	}
}

// The command of every action must have an argument that the server accepts.
func TestCodeActionsAreCommandsOfTheServer(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l, modern)
	measure(t, e)
	<-l.requests
	got := map[string]string{}
	for _, a := range actionsAt(t, e, parkGo, "Add") {
		if a.Edit != nil {
			continue
		}
		c := into[struct {
			Title, Command string
			Arguments      []json.RawMessage
		}](t, a.Command)
		if c.Title != a.Title || len(c.Arguments) != 1 || a.Kind != "quickfix" {
			t.Errorf("action %+v", a)
		}
		got[a.Title] = c.Command + " " + strings.ReplaceAll(string(c.Arguments[0]), lsptest.URI(parkGo), "URI")
	}
	want := map[string]string{
		"Measure energy of (*Park).Add":    `spell-lsp.measure {"scope":"function","uri":"URI","name":"(*Park).Add"}`,
		"Measure energy of this package":   `spell-lsp.measure {"scope":"package","uri":"URI"}`,
		"Drill into blocks of (*Park).Add": `spell-lsp.drillDown {"id":"example.com/park.(*Park).Add","uri":"URI"}`,
		"Show energy ranking":              `spell-lsp.ranking {"uri":"URI","run":"20261120T180000Z-3f9a"}`,
		"Set as baseline":                  `spell-lsp.setBaseline {"run":"20261120T180000Z-3f9a"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Some editors have no lenses: the lens of a test must also be an action, even before the
// first measurement.
func TestCodeActionOfATest(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l, modern)
	testGo := filepath.Join(filepath.Dir(parkGo), "park_test.go")
	e.Open(testGo)
	list := actionsAt(t, e, testGo, "BenchmarkPark(b")
	if diff := cmp.Diff([]string{"Measure energy of BenchmarkPark", "Measure energy of this package"}, titles(list)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	c := into[struct {
		Command   string
		Arguments []any
	}](t, list[0].Command)
	if _, err := e.Execute(c.Command, c.Arguments[0]).Wait(); err != nil {
		t.Fatal(err)
	}
	if r := <-l.requests; r.Bench != "^BenchmarkPark$" {
		t.Errorf("measured %q", r.Bench)
	}
	if got := actionsAt(t, e, testGo, "func helper"); len(got) > 0 {
		t.Errorf("at a function that is not a test: %q", titles(got))
	}
}

// A client that supports only commands gets no code actions with other members, and no edits.
func TestCodeActionsOfMinimalClient(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	list := actionsAt(t, e, parkGo, "Add")
	for _, a := range list {
		if a.Command[0] != '"' || a.Kind != "" || a.Edit != nil {
			t.Errorf("%q is no command: %s", a.Title, a.Command)
		}
	}
	if len(list) != 5 {
		t.Errorf("actions %q", titles(list))
	}
}

// If a client requests a kind of actions, it gets the actions of that kind and of the kinds
// below it, and no others.
func TestCodeActionKinds(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), modern)
	measure(t, e)
	for only, want := range map[string]bool{"quickfix": true, "": true, "refactor": false, "source.fixAll": false, "quick": false, "quickfix.spell": false} {
		got := actionsAt(t, e, parkGo, "Add", map[string]any{"diagnostics": []any{}, "only": []string{"refactor.inline", only}})
		if len(got) > 0 != want {
			t.Errorf("of the kind %q: %q", only, titles(got))
		}
	}
}

// Editors show an action beside its diagnostics: these must be diagnostics of this server,
// whatever fields the diagnostics of other servers have.
func TestCodeActionsBelongToTheirDiagnostics(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), modern)
	measure(t, e)
	var published struct{ Diagnostics []json.RawMessage }
	for _, m := range e.Messages("textDocument/publishDiagnostics") {
		if strings.Contains(string(m.Params), "park.go") {
			published = into[struct{ Diagnostics []json.RawMessage }](t, m.Params)
		}
	}
	odd := []json.RawMessage{
		json.RawMessage(`{"range":{"start":{"line":4,"character":30},"end":{"line":4,"character":31}},"message":"x","source":"other","code":{"value":1},"tags":"odd"}`),
		json.RawMessage(`7`),
	}
	list := actionsAt(t, e, parkGo, "Add", map[string]any{"diagnostics": append(odd, published.Diagnostics...)})
	for _, a := range list {
		if len(a.Diagnostics) != 1 || !strings.Contains(string(a.Diagnostics[0]), "#1 psi") {
			t.Errorf("%s is for %s", a.Title, a.Diagnostics)
		}
	}
	if len(list) == 0 {
		t.Error("there are no actions")
	}
}

// A workspace without trust is not executed, so actions that would execute it are not offered.
func TestCodeActionsWithoutTrust(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), modern, func(e *lsptest.Editor) { e.Options = map[string]any{"trusted": false} })
	testGo := filepath.Join(filepath.Dir(parkGo), "park_test.go")
	e.Open(testGo)
	if got := actionsAt(t, e, testGo, "TestPark"); len(got) > 0 {
		t.Errorf("actions %q", titles(got))
	}
}

// While a measurement is running, the actions that would start another one are disabled with
// a reason or, if the client cannot show a reason, left out.
func TestCodeActionsWhileMeasuring(t *testing.T) {
	for _, shows := range []bool{true, false} {
		l := newLab(parkCosts)
		e, _, parkGo := openPark(t, l, modern, func(e *lsptest.Editor) {
			e.Capabilities["textDocument"].(map[string]any)["codeAction"].(map[string]any)["disabledSupport"] = shows //nolint:forcetypeassert // made above
		})
		measure(t, e)
		l.release = make(chan struct{})
		running := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
		<-l.waiting
		want := []string{"Show energy ranking", "Set as baseline", "Hide (*Park).Add"}
		if shows {
			const why = " (a measurement is already running)"
			want = append([]string{
				"Measure energy of (*Park).Add" + why, "Measure energy of this package" + why, "Drill into blocks of (*Park).Add" + why,
			}, want...)
		}
		list := actionsAt(t, e, parkGo, "Add")
		if diff := cmp.Diff(want, titles(list)); diff != "" {
			t.Errorf("shows %v (-want +got):\n%s", shows, diff)
		}
		close(l.release)
		if _, err := running.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// applied returns the text of a file after edits.
func applied(t *testing.T, text string, edits []textEdit) string {
	t.Helper()
	if len(edits) != 1 || edits[0].Range.Start != edits[0].Range.End {
		t.Fatalf("one insertion was expected, got %+v", edits)
	}
	lines := strings.SplitAfter(text, "\n")
	at := 0
	for _, l := range lines[:edits[0].Range.Start.Line] {
		at += len(l)
	}
	at += edits[0].Range.Start.Character
	return text[:at] + edits[0].NewText + text[at:]
}

// Hiding a function adds its ID to the configuration file, which keeps its comments. The server
// only offers the edit; once the user has applied and saved it, the function is shown nowhere,
// and all others are.
func TestHide(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l, modern)
	config := filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml")
	write(t, config, "# ours\nexclude:\n  - gen # made\n")
	measure(t, e)
	hide := titled(t, actionsAt(t, e, parkGo, "Add"), "Hide (*Park).Add")
	if len(hide.Edit.DocumentChanges) != 1 || hide.Edit.Changes != nil || hide.Edit.DocumentChanges[0].TextDocument.URI != lsptest.URI(config) ||
		hide.Edit.DocumentChanges[0].TextDocument.Version != nil {
		t.Fatalf("edit %+v", hide.Edit)
	}
	text := applied(t, "# ours\nexclude:\n  - gen # made\n", hide.Edit.DocumentChanges[0].Edits)
	if want := "# ours\nexclude:\n  - gen # made\n  - \"example.com/park.(*Park).Add\"\n"; text != want {
		t.Errorf("the file is\n%s, must be\n%s", text, want)
	}
	if sent := e.Messages("workspace/applyEdit"); len(sent) > 0 {
		t.Error("the server edits by itself")
	}
	write(t, config, text)
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(config), "type": 2}}})
	e.Eventually("the function to be hidden", func() bool { return len(e.Diagnostics(parkGo)) == 2 })
	if h := e.Hover(parkGo, "Add(c"); h != nil || len(e.Lenses(parkGo)) != 2 || len(actionsAt(t, e, parkGo, "Add")) > 0 {
		t.Errorf("the hidden function is shown: %+v", h)
	}
	if h := e.Hover(parkGo, "sortÄ("); h == nil {
		t.Error("another function is hidden as well")
	}
}

// The configuration file may be missing, or be open with unsaved text, and editors differ in
// the edits that they support.
func TestHideEdits(t *testing.T) {
	poor := func(e *lsptest.Editor) {
		modern(e)
		can(map[string]map[string]any{"workspace": {"workspaceEdit": map[string]any{}}})(e)
	}
	t.Run("no file", func(t *testing.T) {
		e, _, parkGo := openPark(t, newLab(parkCosts), modern)
		measure(t, e)
		changes := titled(t, actionsAt(t, e, parkGo, "sortÄ"), "Hide sortÄ").Edit.DocumentChanges
		config := lsptest.URI(filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml"))
		if len(changes) != 2 || changes[0].Kind != "create" || changes[0].URI != config || changes[1].TextDocument.URI != config {
			t.Fatalf("changes %+v", changes)
		}
		if got := applied(t, "", changes[1].Edits); got != "exclude:\n  - \"example.com/park.sortÄ\"\n" {
			t.Errorf("the file is %q", got)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml")); err == nil {
			t.Error("the server made the file")
		}
	})
	t.Run("no file, and none can be made", func(t *testing.T) {
		e, _, parkGo := openPark(t, newLab(parkCosts), poor)
		measure(t, e)
		hide := titled(t, actionsAt(t, e, parkGo, "Add"), "Hide (*Park).Add")
		if hide.Disabled == nil || !strings.Contains(hide.Disabled.Reason, "there is no .spell-lsp.yaml") || hide.Edit != nil {
			t.Errorf("action %+v", hide)
		}
	})
	t.Run("edits without versions", func(t *testing.T) {
		e, _, parkGo := openPark(t, newLab(parkCosts), poor)
		config := filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml")
		write(t, config, "top: 3\n")
		measure(t, e)
		edit := titled(t, actionsAt(t, e, parkGo, "Add"), "Hide (*Park).Add").Edit
		if edit.DocumentChanges != nil || applied(t, "top: 3\n", edit.Changes[lsptest.URI(config)]) != "top: 3\nexclude:\n  - \"example.com/park.(*Park).Add\"\n" {
			t.Errorf("edit %+v", edit)
		}
	})
	t.Run("open and not saved", func(t *testing.T) {
		e, _, parkGo := openPark(t, newLab(parkCosts), modern)
		config := filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml")
		write(t, config, "top: 3\n")
		measure(t, e)
		e.OpenText(config, "top: 3\nexclude: [😀] # new\n")
		e.Edit(config, "new", "newer")
		change := titled(t, actionsAt(t, e, parkGo, "Add"), "Hide (*Park).Add").Edit.DocumentChanges[0]
		if change.TextDocument.Version == nil || *change.TextDocument.Version != 4 {
			t.Errorf("version %v", change.TextDocument.Version)
		}
		if got := applied(t, e.Text(config), change.Edits); got != "top: 3\nexclude: [\"example.com/park.(*Park).Add\", 😀] # newer\n" {
			t.Errorf("the text is %q", got)
		}
		e.Edit(config, "[", "[\"example.com/park.(*Park).Add\", ")
		if again := titled(t, actionsAt(t, e, parkGo, "Add"), "Hide (*Park).Add"); again.Disabled == nil || !strings.Contains(again.Disabled.Reason, "has it already: save the file") {
			t.Errorf("applied and not saved, it is offered again: %+v", again)
		}
	})
}

// Hide is disabled, with the reason, if its edit would have no effect or would break the file.
func TestHideIsDisabled(t *testing.T) {
	t.Run("the file has mistakes", func(t *testing.T) {
		e, _, parkGo := openPark(t, newLab(parkCosts), modern)
		measure(t, e)
		write(t, filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml"), "tops: 3\n")
		hide := titled(t, actionsAt(t, e, parkGo, "Add"), "Hide (*Park).Add")
		if hide.Disabled == nil || !strings.Contains(hide.Disabled.Reason, "tops is not a setting") {
			t.Errorf("action %+v", hide)
		}
	})
	t.Run("the editor's setting is stronger", func(t *testing.T) {
		e, _, parkGo := openPark(t, newLab(parkCosts), modern, func(e *lsptest.Editor) { e.Configure(map[string]any{"exclude": []string{"gen"}}) })
		measure(t, e)
		hide := titled(t, actionsAt(t, e, parkGo, "Add"), "Hide (*Park).Add")
		if hide.Disabled == nil || !strings.Contains(hide.Disabled.Reason, "spell.exclude") {
			t.Errorf("action %+v", hide)
		}
	})
	t.Run("a type", func(t *testing.T) {
		l := newLab(parkCosts)
		l.kind = spell.KindType
		e, _, parkGo := openPark(t, l, modern)
		measure(t, e)
		list := actionsAt(t, e, parkGo, "Park struct")
		hide := titled(t, list, "Hide this type")
		if hide.Disabled == nil || slices.ContainsFunc(titles(list), func(s string) bool { return strings.Contains(s, "Drill") }) {
			t.Errorf("actions %q", titles(list))
		}
	})
}

// Files and packages are hidden by their path on disk.
func TestHideFileAndPackage(t *testing.T) {
	for kind, want := range map[spell.Kind]string{spell.KindFile: `"a\\[1]/b\\*.go"`, spell.KindPackage: `"a\\[1]"`} {
		files := map[string]string{"a[1]/b*.go": "package a\n\nfunc F() {}\n"}
		l := newLab(map[string]cost{"F": {n: 1, ms: 1, joules: 1}})
		l.kind = kind
		dir := module(t, files)
		e, _ := serve(t, lsp.Options{Measure: l.measure})
		e.Folders = []string{dir}
		modern(e)
		e.Start()
		path := filepath.Join(dir, "a[1]", "b*.go")
		e.Open(path)
		measure(t, e)
		hide := titled(t, actionsAt(t, e, path, "package a"), "Hide this "+string(kind))
		if hide.Edit == nil || !strings.Contains(hide.Edit.DocumentChanges[1].Edits[0].NewText, want) {
			t.Errorf("%s: %+v", kind, hide)
		}
	}
}

// A renamed function has another ID than in the run, so drilling and hiding are disabled.
func TestCodeActionsOfARenamedFunction(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), modern)
	measure(t, e)
	e.Edit(parkGo, "sortÄ", "order")
	const why = " (the function was renamed since it was measured: measure it again first)"
	want := []string{
		"Measure energy of order", "Measure energy of this package", "Drill into blocks of order" + why,
		"Show energy ranking", "Set as baseline", "Hide order" + why,
	}
	if diff := cmp.Diff(want, titles(actionsAt(t, e, parkGo, "order"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if h := e.Hover(parkGo, "order").Contents.Value; !strings.Contains(h, "`example.com/park.sortÄ`: #2") || !strings.Contains(h, "Measured under the name example.com/park.sortÄ, renamed since.") {
		t.Errorf("hover %s", h)
	}
}

// Within a measured block the actions of its function are offered.
func TestCodeActionsInABlock(t *testing.T) {
	dir := module(t, map[string]string{"f.go": "package p\n\nfunc F(n int) {\n\tfor range n {\n\t\tprintln(n)\n\t}\n}\n"})
	e, _ := serve(t, lspOptions(newLab(map[string]cost{"F": {1, 1, 0.1}, "F#for1": {10, 5, 0.5}})))
	e.Folders = []string{dir}
	modern(e)
	e.Start()
	path := filepath.Join(dir, "f.go")
	e.Open(path)
	measure(t, e)
	execute(t, e, "drillDown", map[string]any{"id": "example.com/park.F"})
	if n := len(e.Lenses(path)); n != 2 {
		t.Fatalf("there are %d lenses: the block has none", n)
	}
	if got := titles(actionsAt(t, e, path, "println")); !slices.Contains(got, "Drill into blocks of F") || !slices.Contains(got, "Hide F") {
		t.Errorf("actions %q", got)
	}
}

// A component of another language, known only by its line, cannot be measured, but it can be
// hidden, and then disappears.
func TestCodeActionsOfOtherLanguages(t *testing.T) {
	dir := module(t, map[string]string{"app.py": "import os\n\ndef slow():\n    pass\n"})
	run := &record.Run{Schema: record.Schema, ID: "c", Meter: record.Meter{Name: "file", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}}, Granularity: spell.KindFunction}
	run.Matrix.Domains = run.Meter.Domains
	run.Tests = []record.Test{{Name: "t1", Outcome: record.Pass}}
	run.Components = []record.Component{{ID: "slow", Kind: spell.KindFunction, File: "app.py", Line: 3, Column: 5, N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}}}
	run.Matrix.Add(record.Cell{N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}})
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	e, _ := serve(t, lsp.Options{Load: func(string, settings.Settings) (*record.Run, error) { return run, nil }})
	e.Folders = []string{dir}
	modern(e)
	e.Start()
	path := filepath.Join(dir, "app.py")
	e.Open(path)
	execute(t, e, "load", map[string]any{"path": "m.csv"})
	list := actionsAt(t, e, path, "slow")
	if diff := cmp.Diff([]string{"Show energy ranking", "Set as baseline", "Hide this function"}, titles(list)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	write(t, filepath.Join(dir, ".spell-lsp.yaml"), titled(t, list, "Hide this function").Edit.DocumentChanges[1].Edits[0].NewText)
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(filepath.Join(dir, ".spell-lsp.yaml")), "type": 1}}})
	e.AwaitEmpty(path)
	e.Edit(path, "pass", "print(os)")
	if h := e.Hover(path, "slow"); h != nil {
		t.Errorf("the hidden component has a hover: %s", h.Contents.Value)
	}
}
