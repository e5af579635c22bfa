package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// serveLogging starts a server and keeps its log of level debug as text.
func serveLogging(t *testing.T, o lsp.Options) (*lsptest.Editor, *server, *safeBuffer) {
	t.Helper()
	text := new(safeBuffer)
	o.Log = zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(text), zap.DebugLevel))
	e, s := serve(t, o)
	return e, s, text
}

// Users attach logs to bug reports: a log must show what happened, in order.
func TestLogShowsWhatHappened(t *testing.T) {
	m := newSlow()
	l := newLab(parkCosts)
	measure := l.measure
	e, s, text := serveLogging(t, lsp.Options{Measure: func(ctx context.Context, r lsp.Request, p func(lsp.Progress)) (*record.Run, error) {
		return measure(ctx, r, p)
	}})
	e.Folders = []string{module(t, map[string]string{"park.go": park["park.go"]}), module(t, map[string]string{"a.go": "package a"})}
	e.Client = map[string]string{"name": "Nedit", "version": "5.7"}
	e.Start()
	scope := map[string]any{"scope": "workspace", "uri": lsptest.URI(e.Folders[0])}
	e.Execute("spell-lsp.measure", scope).Wait()
	measure = m.measure
	call := e.Execute("spell-lsp.measure", scope)
	<-m.started
	call.Cancel()
	call.Wait()
	measure = func(context.Context, lsp.Request, func(lsp.Progress)) (*record.Run, error) {
		return nil, os.ErrPermission
	}
	e.Execute("spell-lsp.measure", scope).Wait()
	e.Notify("no/such", nil)
	e.Quit()
	if err := s.wait(); err != nil {
		t.Fatal(err)
	}
	rest := text.String()
	for _, want := range []string{
		`"msg":"start","version":"test","go":"go1`,
		`"msg":"initialize","client":"Nedit","version":"5.7","folders":2,"trusted":true`,
		`"level":"debug","ts":`, `"msg":"request","method":"initialize","took":`,
		`"msg":"measurement begins"`, `"msg":"measurement ended","tests":1,"components":3,"rounds":3,"after":`,
		`"msg":"request","method":"workspace/executeCommand"`,
		`"msg":"measurement begins"`, `"msg":"measurement cancelled","after":`,
		`"msg":"measurement begins"`, `"msg":"measurement failed","cause":"permission denied","after":`,
		`"msg":"unknown notification","method":"no/such"`,
		`"msg":"end","after":`,
	} {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("the log lacks %s, or has it too early:\n%s", want, text.String())
		}
		rest = after
	}
}

const secret = "xyzzy-SECRET-42"

// The log must not contain texts, settings or parameters, not even in errors, which quote them.
func TestLogHasNoSecrets(t *testing.T) {
	fail := errors.New("./a.go:3: undefined: " + secret)
	o := lsp.Options{
		Measure: func(_ context.Context, _ lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
			progress(lsp.Progress{Message: secret})
			return nil, fail
		},
		Doctor: func(context.Context, settings.Settings) string { panic("the doctor knows " + secret) },
		Load: func(path string, _ settings.Settings) (*record.Run, error) {
			return nil, fmt.Errorf("reading %s: %w", path, fail)
		},
	}
	e, s, text := serveLogging(t, o)
	dir := module(t, map[string]string{"a.go": "package a // " + secret, secret + "/b.go": "package b", settings.FileName: secret + ": 1\n"})
	e.Folders = []string{dir, filepath.Join(dir, secret)}
	e.Options = map[string]any{"token": secret, "spell": map[string]any{secret: secret, "rounds": secret}}
	e.Configure(map[string]any{"meter": secret, secret: 1})
	e.Answer("client/registerCapability", func(json.RawMessage) (any, *lsptest.Error) {
		return nil, &lsptest.Error{Code: -32000, Message: "no " + secret}
	})
	e.Start()
	path := filepath.Join(dir, "a.go")
	e.Open(path)
	e.SetText(path, "package "+secret)
	for _, u := range []string{
		"file:///" + secret + ".go?" + secret + "#" + secret, "http://" + secret + "/x.go", secret, "%" + secret, "file://" + secret + "/x.go", "file:///x.go?" + secret,
	} {
		file := map[string]any{"uri": u, "text": secret, "version": 1, "languageId": secret}
		for _, method := range []string{"didOpen", "didChange", "didSave", "didClose"} {
			e.Notify("textDocument/"+method, map[string]any{"textDocument": file, "contentChanges": []any{map[string]any{"text": secret}}})
		}
		e.Call("textDocument/hover", map[string]any{"textDocument": file, "position": map[string]any{"line": 0, "character": 0}}).Wait()
		e.Execute("spell-lsp.measure", map[string]any{"scope": "file", "uri": u}).Wait()
	}
	for _, odd := range oddParams {
		params := strings.ReplaceAll(odd, `"x"`, `"`+secret+`"`)
		if len(params) > 1<<16 || !json.Valid([]byte(params)) { // long parameters test nothing here
			continue
		}
		for _, method := range lsp.Notifications() {
			e.Notify(method, json.RawMessage(params))
			e.Notify(method, json.RawMessage(`{"`+secret+`":`+params+`,"token":"`+secret+`","id":"`+secret+`","changes":"`+secret+`","textDocument":"`+secret+`"}`))
		}
	}
	for command, argument := range map[string]any{
		"measure": map[string]any{"scope": secret, "name": secret}, "doctor": map[string]any{}, "ranking": map[string]any{"sort": secret, "uri": secret},
		"load": map[string]any{"path": "/" + secret}, "report": map[string]any{"format": secret}, "drillDown": map[string]any{"id": secret}, secret: nil,
	} {
		e.ExecuteWithProgress(secret, "spell-lsp."+command, argument).Wait()
	}
	e.Raw(lsptest.Frame(`{"jsonrpc":"2.0","` + secret + `":1}`))
	e.Settle()
	e.Raw(lsptest.Frame(`{"jsonrpc":"2.0","` + secret))
	err := s.wait()
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("Serve: %v", err)
	}
	// With valid settings a measurement starts, and fails.
	write(t, filepath.Join(dir, settings.FileName), "")
	e, _, second := serveLogging(t, o)
	e.Folders = []string{dir}
	e.Start()
	e.Execute("spell-lsp.measure", map[string]any{"scope": "file", "uri": lsptest.URI(path)}).Wait()
	e.Execute("spell-lsp.doctor", nil).Wait()
	e.Execute("spell-lsp.load", map[string]any{"path": path}).Wait()
	got := text.String() + second.String()
	for line := range strings.Lines(got) {
		if strings.Contains(line, secret) {
			t.Errorf("the log contains %s", line)
		}
	}
	for _, want := range []string{"panic", "measurement failed", "notification", "invalid message", "watching files"} {
		if !strings.Contains(got, `"msg":"`+want+`"`) {
			t.Errorf("the log has no %s, so this was not tested", want)
		}
	}
}
