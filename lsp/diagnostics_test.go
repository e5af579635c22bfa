package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell/record"
)

// A fullDiagnostic is a diagnostic with all members that an editor may show.
type fullDiagnostic struct {
	lsptest.Diagnostic
	Tags               []int
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range lsptest.Range
		}
		Message string
	}
}

// sent returns the diagnostics that were last sent for a file.
func sent(t testing.TB, e *lsptest.Editor, name string) (list []fullDiagnostic, raw json.RawMessage) {
	t.Helper()
	for _, m := range e.Messages("textDocument/publishDiagnostics") {
		p := into[struct {
			URI         string
			Diagnostics []fullDiagnostic
		}](t, m.Params)
		if strings.HasSuffix(p.URI, name) {
			list, raw = p.Diagnostics, m.Params
		}
	}
	return list, raw
}

// Often the caller of a costly function must be changed, not the function: its diagnostic
// links to the costliest callers at their current places.
func TestRelatedInformation(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = calling
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	e.Edit(parkGo, "func sortÄ", "// sorts.\nfunc sortÄ")
	e.AwaitDiagnostics(parkGo)
	list, _ := sent(t, e, "park.go")
	var got []string
	for _, d := range list {
		for _, r := range d.RelatedInformation {
			got = append(got, d.Range.Of(e.Text(parkGo))+" "+r.Location.Range.Of(e.Text(parkGo))+": "+r.Message)
			if r.Location.URI != lsptest.URI(parkGo) {
				t.Errorf("the caller is in %s", r.Location.URI)
			}
		}
	}
	want := []string{
		"Add sortÄ: called by example.com/park.sortÄ: 75.0 % of its energy",
		"Add oldest: called by example.com/park.oldest: 20.0 % of its energy",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Callers may be in files that are not open, and may have been deleted.
func TestRelatedInformationOfOtherFiles(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = calling
	e, _, parkGo := openPark(t, l)
	e.Edit(parkGo, "func sortÄ(cars []Car) { // 🚗\n\tfor range cars {\n\t}\n}\n", "")
	e.Save(parkGo)
	dir := filepath.Dir(parkGo)
	write(t, filepath.Join(dir, "sort.go"), "package park\n\nfunc sortÄ(cars []Car) {\n}\n")
	measure(t, e)
	list, _ := sent(t, e, "park.go")
	if r := list[0].RelatedInformation; len(r) != 2 || r[0].Location.URI != lsptest.URI(filepath.Join(dir, "sort.go")) || r[0].Location.Range.Start.Line != 2 {
		t.Errorf("callers %+v", r)
	}
	e.Edit(parkGo, "func oldest(cars []Car) Car { return cars[0] }", "")
	e.AwaitDiagnostics(parkGo)
	list, _ = sent(t, e, "park.go")
	if r := list[0].RelatedInformation; len(r) != 1 {
		t.Errorf("after one caller is gone: %+v", r)
	}
}

// Stale diagnostics are faded if the client supports that tag.
func TestStaleDiagnosticsAreFaded(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	e.Edit(parkGo, "for range cars", "for range cars[1:]")
	e.AwaitDiagnostics(parkGo)
	list, _ := sent(t, e, "park.go")
	for i, want := range []int{0, 1, 0} {
		if len(list[i].Tags) != want || want == 1 && list[i].Tags[0] != 1 {
			t.Errorf("diagnostic %d has the tags %v", i, list[i].Tags)
		}
	}
}

// A client gets no member that it does not support, because some clients refuse the whole
// message then.
func TestDiagnosticsOfMinimalClient(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = calling
	e, _, parkGo := openPark(t, l, can(map[string]map[string]any{"textDocument": {"publishDiagnostics": map[string]any{"versionSupport": false}}}))
	measure(t, e)
	e.Edit(parkGo, "for range cars", "for range cars[1:]")
	e.Eventually("the edit to show", func() bool { return strings.Contains(e.Diagnostics(parkGo)[1].Message, "measured before") })
	_, raw := sent(t, e, "park.go")
	for _, member := range []string{"relatedInformation", "tags", "codeDescription", "version", "null"} {
		if strings.Contains(string(raw), member) {
			t.Errorf("the client was sent %q: %s", member, raw)
		}
	}
	if !strings.Contains(string(raw), `"code":"energy-leak"`) {
		t.Errorf("there is no code: %s", raw)
	}
}

// Old clients announce tagSupport as true, not as an object. The rest of their announcement
// must count all the same.
func TestTagSupportOfOldClients(t *testing.T) {
	e, _, _ := openPark(t, newLab(parkCosts), can(map[string]map[string]any{
		"textDocument": {"publishDiagnostics": map[string]any{"tagSupport": true, "codeDescriptionSupport": true}},
	}))
	measure(t, e)
	if list, _ := sent(t, e, "park.go"); len(list) != 3 || list[0].CodeDescription.Href == "" {
		t.Errorf("diagnostics %+v", list)
	}
}

// When a caller in another package is edited, the link to it must follow, although the called
// function was not edited.
func TestRelatedInformationFollowsTheCaller(t *testing.T) {
	dir := module(t, map[string]string{"a/a.go": "package a\n\nfunc Work() {}\n", "b/b.go": "package b\n\nfunc Main() {}\n"})
	l := newLab(map[string]cost{"Work": {1, 9, 9}, "Main": {1, 1, 1}})
	l.alter = func(run *record.Run) {
		run.CallTree = []record.CallNode{{Parent: -1, Component: 1}, {Parent: 0, Component: 0, TimeMS: 9}}
	}
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	e.Start()
	caller := filepath.Join(dir, "b", "b.go")
	e.Open(caller)
	measure(t, e)
	lines := func() (lines []int) {
		list, _ := sent(t, e, "a.go")
		for _, r := range list[0].RelatedInformation {
			lines = append(lines, r.Location.Range.Start.Line)
		}
		return lines
	}
	if got := lines(); len(got) != 1 || got[0] != 2 {
		t.Errorf("the caller is on the lines %v, must be on 2", got)
	}
	e.Edit(caller, "func Main", "// Main.\nfunc Main")
	e.Eventually("the link to move with the caller", func() bool { return len(lines()) == 1 && lines()[0] == 3 })
	e.Edit(caller, "func Main() {}", "")
	e.Eventually("the link to go with the caller", func() bool { return len(lines()) == 0 })
	e.Close(caller)
	e.Eventually("the link to be back", func() bool { return len(lines()) == 1 && lines()[0] == 2 })
	write(t, caller, "package b\n\n\n\n\nfunc Main() {}\n")
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(caller), "type": 2}}})
	e.Eventually("the link to follow a checkout", func() bool { return len(lines()) == 1 && lines()[0] == 5 })
}
