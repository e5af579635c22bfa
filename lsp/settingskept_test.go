package lsp_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/settings"
)

// tell sends settings with workspace/didChangeConfiguration.
func tell(e *lsptest.Editor, all any) {
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": all})
	e.Settle()
}

// meterOf returns the meter with which a folder is measured.
func meterOf(t testing.TB, e *lsptest.Editor, l *lab, dir string) string {
	t.Helper()
	if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "package", "uri": lsptest.URI(dir)}).Wait(); err != nil {
		t.Fatal(err)
	}
	return (<-l.requests).Settings.Meter
}

// A client without workspace/configuration sends its settings once. They stay when folders are
// added, and when a notification has only settings of other servers.
func TestNotifiedSettingsStay(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	dir, other := module(t, maps.Clone(park)), t.TempDir()
	e.Folders = []string{dir}
	e.Capabilities = map[string]any{"workspace": map[string]any{"workspaceFolders": true}}
	e.Start()
	tell(e, map[string]any{"spell": map[string]any{"meter": "none"}})
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added": []any{map[string]any{"uri": lsptest.URI(other), "name": "other"}}, "removed": []any{},
	}})
	e.Settle()
	if got := meterOf(t, e, l, dir); got != "none" {
		t.Errorf("after a folder was added: meter %q", got)
	}
	for _, all := range []any{map[string]any{"gopls": map[string]any{"staticcheck": true}}, nil, []any{}} {
		if tell(e, all); meterOf(t, e, l, dir) != "none" {
			t.Errorf("the notification %v changed the settings", all)
		}
	}
	if tell(e, map[string]any{"spell": nil}); meterOf(t, e, l, dir) != "auto" {
		t.Error("settings that the client set to null are kept")
	}
	for _, m := range e.Messages("window/showMessage") {
		if strings.Contains(string(m.Params), `"type":1`) {
			t.Errorf("shown %s", m.Params)
		}
	}
}

// If the client answers workspace/configuration with an error, the settings stay.
func TestSettingsStayAfterError(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	dir := module(t, maps.Clone(park))
	e.Folders = []string{dir}
	e.Configure(map[string]any{"meter": "none"})
	e.Start()
	e.AwaitMessage("workspace/configuration", 1)
	if got := meterOf(t, e, l, dir); got != "none" {
		t.Fatalf("meter %q", got)
	}
	e.Answer("workspace/configuration", func(json.RawMessage) (any, *lsptest.Error) {
		return nil, &lsptest.Error{Code: -32603, Message: "busy"}
	})
	tell(e, nil)
	e.AwaitMessage("workspace/configuration", 2)
	if got := meterOf(t, e, l, dir); got != "none" {
		t.Errorf("after an error: meter %q", got)
	}
}

// Some clients announce workspace/configuration but do not know it. The settings of a
// notification that they sent before the server noticed count.
func TestSettingsNotifiedBeforeRefusal(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	dir := module(t, maps.Clone(park))
	e.Folders = []string{dir}
	e.Capabilities = map[string]any{"workspace": map[string]any{"configuration": true}}
	e.Answer("workspace/configuration", func(json.RawMessage) (any, *lsptest.Error) {
		return nil, &lsptest.Error{Code: -32601, Message: "no such method"}
	})
	e.Start()
	tell(e, map[string]any{"spell": map[string]any{"meter": "none"}})
	if got := meterOf(t, e, l, dir); got != "none" {
		t.Errorf("meter %q", got)
	}
}

// A mistake in the settings that was corrected and made again is shown again.
func TestSettingsBadAgain(t *testing.T) {
	e, _ := serve(t, lspOptions(newLab(parkCosts)))
	dir := module(t, maps.Clone(park))
	file := filepath.Join(dir, settings.FileName)
	write(t, file, "meter: nope\n")
	e.Folders = []string{dir}
	e.Start()
	e.AwaitMessage("window/showMessage", 1)
	change := func(text string) {
		replace(t, file, text)
		e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(file), "type": 2}}})
		e.MustCall(lsp.FlushMethod, nil)
	}
	change("meter: nope\n# still\n")
	if n := len(e.Messages("window/showMessage")); n != 1 {
		t.Errorf("the same mistake was shown %d times", n)
	}
	change("meter: none\n")
	change("meter: nope\n")
	if m := e.AwaitMessage("window/showMessage", 2); !strings.Contains(string(m.Params), "nope") {
		t.Errorf("shown: %s", m.Params)
	}
}

// A module inside the open folder has its own configuration file. Errors in it are shown when a
// file of the module is opened.
func TestBadSettingsOfModuleInFolder(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "inner")
	for name, text := range park {
		write(t, filepath.Join(inner, name), text)
	}
	write(t, filepath.Join(inner, "go.mod"), "module example.com/park\n\ngo 1.26\n")
	write(t, filepath.Join(inner, settings.FileName), "meter: nope\n")
	e, _ := serve(t, lspOptions(newLab(parkCosts)))
	e.Folders = []string{root}
	e.Start()
	testGo := filepath.Join(inner, "park_test.go")
	e.Open(testGo)
	for range 2 {
		e.Lenses(testGo)
	}
	if m := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(m.Params), "nope") {
		t.Errorf("shown: %s", m.Params)
	}
	e.Settle()
	if n := len(e.Messages("window/showMessage")); n != 1 {
		t.Errorf("shown %d times", n)
	}
}
