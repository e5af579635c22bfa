package lsp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell/record"
)

// puller makes an editor pull diagnostics, and support workspace/diagnostic/refresh.
func puller(e *lsptest.Editor) {
	can(map[string]map[string]any{
		"textDocument": {"diagnostic": map[string]any{"dynamicRegistration": false, "relatedDocumentSupport": false}},
		"workspace":    {"diagnostics": map[string]any{"refreshSupport": true}},
	})(e)
	e.Answer("workspace/diagnostic/refresh", func(json.RawMessage) (any, *lsptest.Error) { return nil, nil })
}

type report struct {
	Kind     string
	ResultID string `json:"resultId"`
	Items    []lsptest.Diagnostic
}

func pull(t testing.TB, e *lsptest.Editor, path, previous string) report {
	t.Helper()
	params := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(path)}, "identifier": "spell"}
	if previous != "" {
		params["previousResultId"] = previous
	}
	return into[report](t, e.MustCall("textDocument/diagnostic", params))
}

// pushed counts the pushed diagnostics that the client shows for a file.
func pushed(e *lsptest.Editor, path string) int { return len(e.Diagnostics(path)) }

// A client shows pulled diagnostics and pushed ones side by side, so a document must not have
// both.
func TestPulledDiagnosticsAreNotPushed(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), puller)
	measure(t, e)
	if n := pushed(e, parkGo); n != 3 {
		t.Errorf("before the first pull the client has %d pushed diagnostics", n)
	}
	r := pull(t, e, parkGo, "")
	if r.Kind != "full" || r.ResultID == "" || len(r.Items) != 3 || !strings.HasPrefix(r.Items[0].Message, "#1 psi 0.63") {
		t.Errorf("report %+v", r)
	}
	if n := pushed(e, parkGo); n != 0 {
		t.Errorf("%d pushed diagnostics were not withdrawn", n)
	}
	sent := len(e.Messages("textDocument/publishDiagnostics"))
	e.Edit(parkGo, "for range cars", "for range cars[1:]")
	measure(t, e)
	if n := pushed(e, parkGo); n != 0 {
		t.Errorf("after an edit and a measurement the client has %d pushed diagnostics", n)
	}
	for _, m := range e.Messages("textDocument/publishDiagnostics")[sent:] {
		if strings.Contains(string(m.Params), "park.go") {
			t.Errorf("the server sent %s", m.Params)
		}
	}
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	if n := pushed(e, carGo); n != 3 {
		t.Errorf("a file that the client did not pull has %d pushed diagnostics", n)
	}
}

// A client does not pull diagnostics of a closed document, so they are pushed.
func TestClosedDocumentIsPushedAgain(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), puller)
	measure(t, e)
	pull(t, e, parkGo, "")
	e.Close(parkGo)
	e.Eventually("diagnostics of the closed file", func() bool { return pushed(e, parkGo) == 3 })
	if r := pull(t, e, parkGo, ""); r.Kind != "full" || r.Items == nil || len(r.Items) > 0 {
		t.Errorf("the diagnostics of the closed file are pushed and pulled: %+v", r)
	}
	e.Open(parkGo)
	if r := pull(t, e, parkGo, ""); len(r.Items) != 3 {
		t.Errorf("opened again: %+v", r)
	}
	e.AwaitEmpty(parkGo)
}

// A pull is answered with "unchanged" only if the diagnostics did not change.
func TestPullUnchanged(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), puller)
	measure(t, e)
	first := pull(t, e, parkGo, "")
	if r := pull(t, e, parkGo, first.ResultID); r.Kind != "unchanged" || r.ResultID != first.ResultID || r.Items != nil {
		t.Errorf("nothing changed: %+v", r)
	}
	if r := pull(t, e, parkGo, "of another session"); r.Kind != "full" || len(r.Items) != 3 {
		t.Errorf("after an unknown result id: %+v", r)
	}
	e.Edit(parkGo, "package park", "// Park.\npackage park")
	moved := pull(t, e, parkGo, first.ResultID)
	if moved.Kind != "full" || moved.ResultID == first.ResultID {
		t.Errorf("after all functions moved by a line: %+v", moved)
	}
	want := []string{"Add 1 #1 psi 0.6328, 600 mJ estimated", "sortÄ 2 #2 psi 0.3662, 500 mJ estimated", "oldest 4 #4 psi <.0001, 10.0 mJ estimated"}
	if diff := cmp.Diff(want, show(e.Text(parkGo), moved.Items)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A client pulls again after its own edits. After any other change the server sends one refresh
// for all files.
func TestPullRefresh(t *testing.T) {
	const refresh = "workspace/diagnostic/refresh"
	e, _, parkGo := openPark(t, newLab(parkCosts), puller)
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	e.Open(carGo)
	before := pull(t, e, parkGo, "")
	pull(t, e, carGo, "")
	if len(before.Items) != 0 {
		t.Errorf("before the measurement: %+v", before)
	}
	measure(t, e)
	e.AwaitMessage(refresh, 1)
	r := pull(t, e, parkGo, before.ResultID)
	pull(t, e, carGo, "")
	if len(r.Items) != 3 {
		t.Errorf("after the measurement: %+v", r)
	}
	e.Edit(parkGo, "for range cars", "for range cars[1:]")
	edited := pull(t, e, parkGo, r.ResultID)
	if !strings.Contains(edited.Items[1].Message, "measured before this edit") {
		t.Errorf("after an edit: %+v", edited)
	}
	measure(t, e)
	e.AwaitMessage(refresh, 2)
	pull(t, e, parkGo, "")
	pull(t, e, carGo, "")
	e.Configure(map[string]any{"severity": map[string]any{"red": "information"}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.AwaitMessage(refresh, 3)
	if r := pull(t, e, parkGo, ""); r.Items[0].Severity != lsptest.SeverityInformation {
		t.Errorf("after other settings: %+v", r.Items[0])
	}
	e.Settle()
	if n := len(e.Messages(refresh)); n != 3 {
		t.Errorf("%d refreshes were sent", n)
	}
}

// When a function moves to another file, the client must pull the file that it left.
func TestPullRefreshAfterAnotherFileChanged(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), puller)
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	e.Open(carGo)
	measure(t, e)
	const oldest = "func oldest(cars []Car) Car { return cars[0] }\n"
	e.Edit(parkGo, oldest, "")
	pull(t, e, parkGo, "")
	if r := pull(t, e, carGo, ""); len(r.Items) != 3 {
		t.Errorf("car.go: %+v", r)
	}
	e.Edit(carGo, "type Car", oldest+"\ntype Car")
	if r := pull(t, e, carGo, ""); len(r.Items) != 4 {
		t.Errorf("car.go with the function that moved: %d diagnostics", len(r.Items))
	}
	e.Settle()
	told := len(e.Messages("workspace/diagnostic/refresh"))
	e.Edit(parkGo, "func never", oldest+"\nfunc never")
	e.AwaitMessage("workspace/diagnostic/refresh", told+1)
	if r := pull(t, e, carGo, ""); len(r.Items) != 3 {
		t.Errorf("car.go after the function moved back: %d diagnostics", len(r.Items))
	}
}

// A client without workspace/diagnostic/refresh would show outdated diagnostics, so it gets them
// pushed.
func TestPullNeedsRefresh(t *testing.T) {
	for name, setUp := range map[string]func(*lsptest.Editor){
		"neither":    func(*lsptest.Editor) {},
		"no refresh": can(map[string]map[string]any{"textDocument": {"diagnostic": map[string]any{}}}),
		"no pull":    can(map[string]map[string]any{"workspace": {"diagnostics": map[string]any{"refreshSupport": true}}}),
		"both":       puller,
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := serve(t, lspOptions(newLab(nil)))
			setUp(e)
			got := into[struct {
				Capabilities struct{ DiagnosticProvider json.RawMessage }
			}](t, e.Start()).Capabilities.DiagnosticProvider
			want := ""
			if name == "both" {
				want = `{"identifier":"spell","interFileDependencies":true,"workspaceDiagnostics":false}`
			}
			if string(got) != want {
				t.Errorf("diagnosticProvider %s, must be %q", got, want)
			}
			_, err := e.Call("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": "file:///x.go"}}).Wait()
			if (err == nil) != (name == "both") {
				t.Errorf("asked: %v", err)
			}
		})
	}
}

// Edits, measurements and pulls happen in any order. In the end a client that pulls after each
// edit and each refresh has the current diagnostics, and each of them once.
func TestPullsInAnyOrder(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), puller)
	told := make(chan struct{}, 1000)
	e.OnMessage("workspace/diagnostic/refresh", func() { told <- struct{}{} })
	for i := range 30 {
		e.Edit(parkGo, "package park", fmt.Sprintf("// %d\npackage park", i))
		c := e.Call("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(parkGo)}})
		switch i % 3 {
		case 0:
			measure(t, e)
		case 1:
			if _, err := e.Execute("spell-lsp.clear", map[string]any{}).Wait(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	last := pull(t, e, parkGo, "")
	measure(t, e)
	for range 2 {
		e.Settle()
	}
	for len(told) > 0 {
		<-told
		last = pull(t, e, parkGo, "")
	}
	if len(last.Items) != 3 || last.Items[0].Range.Of(e.Text(parkGo)) != "Add" || pushed(e, parkGo) != 0 {
		t.Errorf("asked: %+v; sent: %d", last, pushed(e, parkGo))
	}
}

// Some clients support related information only in pulled diagnostics. When a caller moves, they
// must be told to pull the diagnostics that link to it.
func TestPulledLinksFollowTheCaller(t *testing.T) {
	dir := module(t, map[string]string{"a/a.go": "package a\n\nfunc Work() {}\n", "b/b.go": "package b\n\nfunc Main() {}\n"})
	l := newLab(map[string]cost{"Work": {1, 9, 9}, "Main": {1, 1, 1}})
	l.alter = func(run *record.Run) {
		run.CallTree = []record.CallNode{{Parent: -1, Component: 1}, {Parent: 0, Component: 0, TimeMS: 9}}
	}
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	puller(e)
	can(map[string]map[string]any{"textDocument": {
		"publishDiagnostics": map[string]any{}, "diagnostic": map[string]any{"relatedInformation": true},
	}})(e)
	e.Start()
	callee, caller := filepath.Join(dir, "a", "a.go"), filepath.Join(dir, "b", "b.go")
	e.Open(callee)
	e.Open(caller)
	measure(t, e)
	link := func() int {
		r := into[struct {
			Items []struct{ RelatedInformation []lsptest.Related }
		}](t, e.MustCall("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(callee)}}))
		if len(r.Items) != 1 || len(r.Items[0].RelatedInformation) != 1 {
			t.Fatalf("diagnostics %+v", r)
		}
		return r.Items[0].RelatedInformation[0].Location.Range.Start.Line
	}
	if got := link(); got != 2 {
		t.Errorf("the caller is on line %d, must be on 2", got)
	}
	e.Settle()
	told := len(e.Messages("workspace/diagnostic/refresh"))
	e.Edit(caller, "func Main", "// Main.\nfunc Main")
	e.AwaitMessage("workspace/diagnostic/refresh", told+1)
	if got := link(); got != 3 {
		t.Errorf("the caller is on line %d, must be on 3", got)
	}
}
