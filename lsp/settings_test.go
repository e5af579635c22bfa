package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
)

// Settings come from four places; the later ones win.
func TestSettingsLayers(t *testing.T) {
	for _, c := range []struct {
		why, file string
		options   any
		answer    any // to workspace/configuration
		pushed    any // with workspace/didChangeConfiguration, by a client without workspace/configuration
		want      string
	}{
		{"nothing is set", "", nil, nil, nil, "auto"},
		{"the file", "meter: rapl\n", nil, nil, nil, "rapl"},
		{"the options, directly", "meter: rapl\n", map[string]any{"trusted": true, "meter": "model"}, nil, nil, "model"},
		{"the options, by name", "", map[string]any{"spell": map[string]any{"meter": "model"}, "other": 1}, nil, nil, "model"},
		{"the options, as Lua writes an empty table", "meter: rapl\n", []any{}, nil, nil, "rapl"},
		{"the answer", "meter: rapl\n", map[string]any{"meter": "model"}, map[string]any{"meter": "none"}, nil, "none"},
		{"an empty answer", "meter: rapl\n", nil, []any{}, nil, "rapl"},
		{"a notification", "meter: rapl\n", nil, nil, map[string]any{"spell": map[string]any{"meter": "none"}}, "none"},
		{"a notification without the name", "", nil, nil, map[string]any{"meter": "none"}, "none"},
	} {
		l := newLab(parkCosts)
		e, _ := serve(t, lspOptions(l))
		files := map[string]string{"a.go": "package a\n\nfunc oldest() {}\n"}
		if c.file != "" {
			files[".spell-lsp.yaml"] = c.file
		}
		e.Folders, e.Options = []string{module(t, files)}, c.options
		e.Configure(c.answer)
		if c.pushed != nil {
			e.Capabilities = map[string]any{}
		}
		e.Start()
		if c.pushed != nil {
			e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": c.pushed})
		}
		e.Settle()
		measure(t, e)
		if got := (<-l.requests).Settings.Meter; got != c.want {
			t.Errorf("%s: meter %q, must be %q", c.why, got, c.want)
		}
		if shown := e.Messages("window/showMessage"); len(shown) > 0 {
			t.Errorf("%s: shown %s", c.why, shown[0].Params)
		}
	}
}

// A bad setting is shown once, with its place, and prevents measurements: otherwise the user
// would believe that the value is used.
func TestBadSettings(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	dir := module(t, map[string]string{"a.go": "package a"})
	e.Folders = []string{dir}
	e.Configure(map[string]any{"metre": "rapl"})
	e.Start()
	m := e.AwaitMessage("window/showMessage", 1)
	if !strings.Contains(string(m.Params), "spell.metre") {
		t.Errorf("shown: %s", m.Params)
	}
	_, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err == nil || err.Code != -32803 || !strings.Contains(err.Message, "spell.metre") {
		t.Errorf("measuring: %v", err)
	}
	shown := len(e.Messages("window/showMessage"))
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.AwaitMessage("workspace/configuration", 2)
	e.Settle()
	if again := len(e.Messages("window/showMessage")); again != shown {
		t.Error("the same was shown again")
	}
	e.Configure(nil)
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.AwaitMessage("workspace/configuration", 3)
	e.Settle()
	measure(t, e)

	write(t, filepath.Join(dir, ".spell-lsp.yaml"), "meter: rapl\nrounds: many\n")
	_, err = e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err == nil || !strings.Contains(err.Message, ".spell-lsp.yaml:2") {
		t.Errorf("a bad file: %v", err)
	}
	if len(l.requests) != 1 {
		t.Errorf("%d measurements, must be 1", len(l.requests))
	}
}

// Severities and lenses change at once, without a new measurement.
func TestDisplaySettings(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), func(e *lsptest.Editor) {
		e.Configure(map[string]any{"severity": map[string]any{"red": "warning", "green": "off"}})
	})
	measure(t, e)
	want := []string{"Add 2 #1 psi 0.6328, 600 mJ estimated", "sortÄ 2 #2 psi 0.3662, 500 mJ estimated"}
	if diff := cmp.Diff(want, show(e.Text(parkGo), e.Diagnostics(parkGo))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e.Configure(map[string]any{"severity": map[string]any{"red": "information", "yellow": "off", "green": "off"}, "lenses": false})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("one diagnostic", func() bool { return len(e.Diagnostics(parkGo)) == 1 })
	if got := show(e.Text(parkGo), e.Diagnostics(parkGo)); got[0] != "Add 3 #1 psi 0.6328, 600 mJ estimated" {
		t.Errorf("diagnostics %v", got)
	}
	testGo := filepath.Join(filepath.Dir(parkGo), "park_test.go")
	e.Open(testGo)
	if lenses := append(e.Lenses(parkGo), e.Lenses(testGo)...); len(lenses) > 0 {
		t.Errorf("lenses %v", lenses)
	}
	// The severity off holds for stale results too.
	e.Edit(parkGo, "for range cars", "for i := range cars")
	if got := e.AwaitDiagnostics(parkGo); len(got) != 1 {
		t.Errorf("after an edit: %v", show(e.Text(parkGo), got))
	}

	e.Configure(nil)
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("the default severities", func() bool { return len(e.Diagnostics(parkGo)) == 3 })
	file := filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml")
	e.OpenText(file, "severity:\n  red: information\n")
	e.Save(file)
	e.Eventually("the severity of the file", func() bool {
		return e.Diagnostics(parkGo)[0].Severity == lsptest.SeverityInformation
	})
}

// A measurement waits for the settings of a slow client, because with other settings it would be
// wrong.
func TestMeasurementWaitsForSettings(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	answer := make(chan struct{})
	e.AnswerLater("workspace/configuration", func() { <-answer }, []any{map[string]any{"meter": "none"}})
	e.Start()
	call := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	e.Settle()
	if len(l.requests) > 0 {
		t.Error("measured before the settings arrived")
	}
	close(answer)
	if _, err := call.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := (<-l.requests).Settings.Meter; got != "none" {
		t.Errorf("meter %q", got)
	}
}

// If settings were requested twice, the answer to the second request counts, even if it arrives
// first.
func TestAnswerToLastRequestCounts(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	answer, answered := make(chan struct{}), make(chan struct{})
	e.AnswerLater("workspace/configuration", func() { <-answer }, []any{map[string]any{"meter": "rapl"}})
	e.Start()
	e.AwaitMessage("workspace/configuration", 1)
	e.Configure(map[string]any{"meter": "none"})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.AwaitMessage("workspace/configuration", 2)
	e.Settle()
	go func() { close(answer); close(answered) }()
	<-answered
	e.Settle()
	for range 2 {
		measure(t, e)
		if got := (<-l.requests).Settings.Meter; got != "none" {
			t.Errorf("meter %q", got)
		}
	}
}

// Initialization options that are no object do not mean that the workspace is not trusted.
func TestTrustedByDefault(t *testing.T) {
	for _, options := range []string{`null`, `[]`, `"x"`, `{}`, `{"trusted":true}`, `{"trusted": true }`} {
		l := newLab(nil)
		e, _ := serve(t, lspOptions(l))
		e.Folders, e.Options = []string{module(t, map[string]string{"a.go": "package a"})}, json.RawMessage(options)
		e.Start()
		measure(t, e)
	}
}
