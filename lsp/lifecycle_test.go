package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

var anywhere = map[string]any{
	"textDocument": map[string]any{"uri": "file:///x.go"}, "position": map[string]any{"line": 0, "character": 0},
}

// Calls at the wrong time are refused with the protocol's error code, and notifications at the
// wrong time are ignored.
func TestLifecycle(t *testing.T) {
	e, s := serve(t, lspOptions(newLab(nil)))
	refused := func(when, method string, params any, code int) {
		t.Helper()
		if _, err := e.Call(method, params).Wait(); err == nil || err.Code != code {
			t.Errorf("%s %s: %v, must be %d", method, when, err, code)
		}
	}
	for _, method := range []string{"textDocument/hover", "shutdown", "workspace/executeCommand", "no/such"} {
		refused("before initialize", method, anywhere, -32002)
	}
	e.Notify("initialized", nil)
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///x.go", "languageId": "go", "version": 1, "text": ""}})
	refused("without parameters", "initialize", nil, -32602)
	refused("with a list", "initialize", []any{}, -32602)
	e.Start()
	refused("twice", "initialize", map[string]any{"capabilities": map[string]any{}}, -32600)
	refused("as an unknown method", "no/such", nil, -32601)
	refused("as an unknown method of the $ kind", "$/no/such", nil, -32601)
	refused("with bad parameters", "textDocument/hover", map[string]any{"textDocument": 1}, -32602)
	refused("with a negative line", "textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": "file:///x.go"}, "position": map[string]any{"line": -1, "character": 0},
	}, -32602)
	refused("without parameters", "textDocument/codeLens", nil, -32602)
	e.MustCall("textDocument/hover", anywhere)
	e.MustCall("shutdown", nil)
	refused("after shutdown", "textDocument/hover", anywhere, -32600)
	refused("after shutdown", "shutdown", nil, -32600)
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file:///x.go"}})
	e.Notify("exit", nil)
	e.Gone()
	if err := s.wait(); err != nil {
		t.Errorf("Serve after shutdown and exit: %v", err)
	}
}

// Serve returns ErrExit if the client sends exit without shutdown.
func TestExitWithoutShutdown(t *testing.T) {
	for _, start := range []bool{false, true} {
		e, s := serve(t, lspOptions(newLab(nil)))
		if start {
			e.Start()
		}
		e.Notify("exit", nil)
		e.Gone()
		if err := s.wait(); !errors.Is(err, lsp.ErrExit) {
			t.Errorf("Serve: %v", err)
		}
	}
	// Some clients send parameters with both, others none.
	e, s := serve(t, lspOptions(newLab(nil)))
	e.Start()
	e.MustCall("shutdown", map[string]any{})
	e.Notify("exit", map[string]any{})
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Some clients write null for members that they could leave out.
func TestNulls(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	for _, params := range []string{
		`{"command":"spell-lsp.ranking","arguments":null,"workDoneToken":null}`,
		`{"command":"spell-lsp.ranking"}`,
		`{"command":"spell-lsp.ranking","arguments":[],"title":"what Neovim sends with the command of a lens"}`,
		`{"command":"spell-lsp.measure","arguments":[{"scope":"workspace","uri":null,"name":null,"rounds":null}]}`,
	} {
		if _, err := e.Call("workspace/executeCommand", json.RawMessage(params)).Wait(); err != nil {
			t.Errorf("%s: %v", params, err)
		}
	}
	<-l.requests
	e.Notify("textDocument/didChange", json.RawMessage(`{"textDocument":{"uri":"`+lsptest.URI(parkGo)+
		`","version":null},"contentChanges":[{"range":null,"rangeLength":null,"text":"package park\n"}]}`))
	measure(t, e)
	if r := <-l.requests; string(r.Buffers[parkGo]) != "package park\n" {
		t.Errorf("the text is %q", r.Buffers[parkGo])
	}
}

// Clients use only the capabilities that the server announces.
func TestInitializeResult(t *testing.T) {
	e, _ := serve(t, lsp.Options{Version: "1.2.3"})
	var got struct {
		Capabilities struct {
			PositionEncoding string
			TextDocumentSync struct {
				OpenClose bool
				Change    int
				Save      *struct{ IncludeText bool }
			}
			HoverProvider          bool
			CodeLensProvider       *struct{ ResolveProvider bool }
			InlayHintProvider      bool
			ExecuteCommandProvider struct {
				Commands         []string
				WorkDoneProgress bool
			}
			Workspace struct {
				WorkspaceFolders struct{ Supported, ChangeNotifications bool }
			}
		}
		ServerInfo struct{ Name, Version string }
	}
	if err := json.Unmarshal(e.Start(), &got); err != nil {
		t.Fatal(err)
	}
	c := got.Capabilities
	if c.PositionEncoding != "utf-16" || !c.TextDocumentSync.OpenClose || c.TextDocumentSync.Change != 2 || c.TextDocumentSync.Save == nil ||
		!c.HoverProvider || c.CodeLensProvider == nil || !c.CodeLensProvider.ResolveProvider || !c.InlayHintProvider || !c.Workspace.WorkspaceFolders.Supported ||
		!c.Workspace.WorkspaceFolders.ChangeNotifications || !c.ExecuteCommandProvider.WorkDoneProgress {
		t.Errorf("capabilities %+v", c)
	}
	const commands = "spell-lsp.applyAndMeasure spell-lsp.cancel spell-lsp.clear spell-lsp.compare spell-lsp.doctor spell-lsp.drillDown spell-lsp.keepBenchmark spell-lsp.load spell-lsp.machines spell-lsp.measure spell-lsp.programs spell-lsp.ranking spell-lsp.report spell-lsp.setBaseline"
	if got := strings.Join(c.ExecuteCommandProvider.Commands, " "); got != commands {
		t.Errorf("commands %s", got)
	}
	if got.ServerInfo.Name != "spell-lsp" || got.ServerInfo.Version != "1.2.3" {
		t.Errorf("server info %+v", got.ServerInfo)
	}
	if m := e.AwaitMessage("client/registerCapability", 1); !strings.Contains(string(m.Params), "**/*.go") {
		t.Errorf("registered %s", m.Params)
	}
}

// Some editors announce capabilities whose types differ from the protocol's. Initialize must
// succeed all the same.
func TestOddInitialize(t *testing.T) {
	for _, params := range []string{
		`{"capabilities":{}}`,
		`{"capabilities":{"textDocument":{"hover":{"contentFormat":"markdown"},"publishDiagnostics":{"tagSupport":true}},"window":[]}}`,
		`{"capabilities":[],"rootUri":null,"rootPath":null,"workspaceFolders":null,"initializationOptions":null}`,
		`{"capabilities":{"workspace":{"configuration":"yes"}},"processId":"12","trace":7,"initializationOptions":[]}`,
		`{"processId":1,"rootPath":"/","rootUri":"file:///","workspaceFolders":[{"uri":"git:/x","name":"x"}]}`,
	} {
		e, s := serve(t, lspOptions(newLab(nil)))
		if _, err := e.Call("initialize", json.RawMessage(params)).Wait(); err != nil {
			t.Errorf("%s: %v", params, err)
			continue
		}
		e.Notify("initialized", nil)
		e.Quit()
		if err := s.wait(); err != nil {
			t.Errorf("%s: Serve: %v", params, err)
		}
	}
}

// Some clients send malformed messages. After each of them the server must answer as before.
func TestMalformedMessages(t *testing.T) {
	e, s, parkGo := openPark(t, newLab(parkCosts))
	for _, c := range []struct {
		message string
		code    int // of the error with the id null or the message's; 0 if there is none
	}{
		{`{}`, -32600},
		{`42`, -32600},
		{`"hover"`, -32600},
		{`null`, -32600},
		{`[]`, -32600},
		{`[{"jsonrpc":"2.0","method":"exit"}]`, -32600}, // the protocol has no batches
		{`{"jsonrpc":"1.0","id":1,"method":"shutdown"}`, -32600},
		{`{"id":1,"method":"shutdown"}`, -32600},
		{`{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}`, -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"shutdown","result":1}`, -32600},
		{`{"jsonrpc":"2.0","id":12345,"result":{}}`, 0}, // an answer to a request that was never sent
		{`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`, 0},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`, 0},
		{`{"jsonrpc":"2.0","method":"no/such"}`, 0},
		{`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"off"}}`, 0},
		{`{"jsonrpc":"2.0","method":"initialized"}`, 0},
		{`{"jsonrpc":"2.0","method":"textDocument/didOpen"}`, 0},
		{`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[]}`, 0},
		{`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///none.go","version":1},"contentChanges":[]}}`, 0},
		{`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///none.go"}}}`, 0},
		{`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"%zz"}}}`, 0},
		{`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration"}`, 0},
		{`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":7}}`, 0},
		{`{"jsonrpc":"2.0","id":null,"method":"textDocument/hover"}`, 0}, // a notification, then
		{" \r\n{\"jsonrpc\":\"2.0\",\"method\":\"no\\/such\"}\n", 0},
	} {
		before := len(e.Messages("error"))
		e.Raw(lsptest.Frame(c.message))
		if c.code != 0 {
			var response struct{ Error lsptest.Error }
			m := e.AwaitMessage("error", before+1)
			if err := json.Unmarshal(m.Params, &response); err != nil || response.Error.Code != c.code {
				t.Errorf("%s: %s", c.message, m.Params)
			}
		}
		e.Lenses(parkGo)
		if after := len(e.Messages("error")); c.code == 0 && after > before {
			t.Errorf("%s: was answered by %s", c.message, e.Messages("error")[after-1].Params)
		}
	}
	// Names of methods may be escaped, names of headers may be in any case, and there may be
	// further headers.
	body := `{"jsonrpc":"2.0","method":"textDocument\/didClose","params":{"textDocument":{"uri":"` + lsptest.URI(parkGo) + `"}}}`
	e.Raw(fmt.Appendf(nil, "content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH: %d\r\n\r\n%s", len(body), body))
	e.OpenText(parkGo, "package park\n")
	e.Quit()
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A panic makes one call fail and does not end the session.
func TestPanics(t *testing.T) {
	e, s := serve(t, lsp.Options{
		Measure: func(context.Context, lsp.Request, func(lsp.Progress)) (*record.Run, error) { panic("measuring") },
		Doctor:  func(context.Context, settings.Settings) string { panic("doctoring") },
	})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	e.Start()
	for range 2 {
		for _, command := range []string{"spell-lsp.measure", "spell-lsp.doctor"} {
			var argument any
			if command == "spell-lsp.measure" {
				argument = map[string]any{"scope": "workspace"}
			}
			if _, err := e.Execute(command, argument).Wait(); err == nil || err.Code != -32603 {
				t.Errorf("%s: %v, must be -32603", command, err)
			}
		}
	}
	if n := s.logs.FilterMessage("panic").Len(); n != 4 {
		t.Errorf("%d panics in the log, must be 4", n)
	}
	e.Quit()
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A measurement that returns neither a run nor an error fails, and the server does not crash.
func TestNoResult(t *testing.T) {
	e, _ := serve(t, lsp.Options{Measure: func(context.Context, lsp.Request, func(lsp.Progress)) (*record.Run, error) {
		return nil, nil //nolint:nilnil // this is tested
	}})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	e.Start()
	if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait(); err == nil || err.Code != -32803 {
		t.Errorf("measure: %v", err)
	}
}

// Notifications must be handled in the order in which they arrive: with the server of the
// jsonrpc2 library every third session ended with a wrong text.
func TestOrder(t *testing.T) {
	for session := range 50 {
		l := newLab(map[string]cost{"f": {1, 1, 1}})
		e, _ := serve(t, lspOptions(l))
		dir := module(t, map[string]string{"f.go": "package f\n"})
		e.Folders = []string{dir}
		e.Start()
		path := filepath.Join(dir, "f.go")
		e.Open(path)
		for i := range 30 {
			e.Edit(path, "package f\n", fmt.Sprintf("package f\n// 🚗 %d\n", i))
			if i%10 == 9 {
				e.SetText(path, e.Text(path)+fmt.Sprintf("func f() { _ = %d }\n", i))
				e.Lenses(path)
			}
		}
		e.SetText(path, "package f\n\nfunc f() { /* "+e.Text(path)[:0]+"last */ }\n")
		e.Edit(path, "/* last */", fmt.Sprintf("_ = %d", session))
		measure(t, e)
		if got := string((<-l.requests).Buffers[path]); got != e.Text(path) {
			t.Fatalf("session %d: the server has\n%s\nthe editor\n%s", session, got, e.Text(path))
		}
	}
}

// An editor may send requests before it answers a request of the server. Neither side may wait
// for the other.
func TestNoDeadlock(t *testing.T) {
	l := newLab(parkCosts)
	var e *lsptest.Editor
	asked := make(chan bool, 10)
	e, _, parkGo := openPark(t, l, func(editor *lsptest.Editor) {
		wait := make(chan struct{})
		for _, method := range []string{"workspace/configuration", "client/registerCapability", "window/workDoneProgress/create"} {
			editor.AnswerLater(method, func() { asked <- true; <-wait }, nil)
		}
		t.Cleanup(func() { close(wait) })
	})
	<-asked
	for range 200 {
		e.Lenses(parkGo)
	}
	call := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	<-asked
	e.Lenses(parkGo)
	call.Cancel()
	if _, err := call.Wait(); err == nil || err.Code != -32800 {
		t.Errorf("measure: %v", err)
	}
}
