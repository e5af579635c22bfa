package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/lsp/wire"
	"spell-lsp/spell/settings"
)

// A stallable is a client's end of two pipes, which can stop reading and resume.
type stallable struct {
	io.Reader
	io.WriteCloser
	mu sync.Mutex // held while the client does not read
}

func (d *stallable) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p[:min(len(p), 1000)])
	d.mu.Lock()
	defer d.mu.Unlock()
	return n, err
}

func connectStallable(t *testing.T, o lsp.Options) (*lsptest.Editor, *server, *stallable) {
	t.Helper()
	toServer, clientWrites := io.Pipe()
	clientReads, fromServer := io.Pipe()
	s := serveOver(t, struct {
		io.Reader
		io.WriteCloser
	}{toServer, fromServer}, o)
	d := &stallable{Reader: clientReads, WriteCloser: clientWrites}
	t.Cleanup(func() { _ = clientReads.Close() })
	return lsptest.Connect(t, d), s, d
}

// An editor that hangs keeps its pipes open and does not read. The server must still read, cancel
// and end.
func TestStalledClientIsServed(t *testing.T) {
	m := newSlow()
	e, s, client := connectStallable(t, lsp.Options{Measure: m.measure})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	e.Start()
	call := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	<-m.started
	client.mu.Lock()
	defer client.mu.Unlock()
	for range 2000 {
		e.Call("textDocument/hover", anywhere)
	}
	call.Cancel()
	<-m.cancelled
	e.Call("shutdown", nil)
	e.Notify("exit", nil)
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if n := s.logs.FilterMessage("the client has not read everything that was sent").Len(); n != 1 {
		t.Errorf("the log says %d times that the client has not read everything that was sent", n)
	}
}

// A slow client gets only the last diagnostics of a file, because a queue of all diagnostics would
// grow without bound.
func TestSlowClientGetsLastDiagnostics(t *testing.T) {
	l := newLab(parkCosts)
	e, _, client := connectStallable(t, lspOptions(l))
	files := map[string]string{}
	for name, text := range park {
		files[name] = text
	}
	dir := module(t, files)
	parkGo := dir + "/park.go"
	e.Folders = []string{dir}
	e.Start()
	e.Open(parkGo)
	measure(t, e)
	e.AwaitDiagnostics(parkGo)
	client.mu.Lock()
	const edits = 3000
	for i := range edits {
		e.SetText(parkGo, fmt.Sprintf("%s\n// %d\n", park["park.go"], i))
	}
	client.mu.Unlock()
	e.AwaitDiagnostics(parkGo)
	if n := len(e.Messages("textDocument/publishDiagnostics")); n > edits/4 {
		t.Errorf("%d publications after %d edits that the client did not follow", n, edits)
	}
}

// A client that sends requests and never reads is disconnected before its answers fill the memory.
func TestStalledClientIsGivenUp(t *testing.T) {
	m := newSlow()
	report := strings.Repeat("no meter, ", 1<<20)
	e, s, client := connectStallable(t, lsp.Options{
		Measure: m.measure,
		Doctor:  func(context.Context, settings.Settings) string { return report },
	})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	e.Start()
	e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	<-m.started
	client.mu.Lock()
	defer client.mu.Unlock()
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		for range wire.MaxUnread/len(report) + 10 {
			e.Execute("spell-lsp.doctor", nil)
		}
	}()
	if err := s.wait(); err == nil || !strings.Contains(err.Error(), "does not read") {
		t.Errorf("Serve: %v", err)
	}
	if m.cleaned.Load() != 1 {
		t.Error("the measurement is still running")
	}
	_ = client.Close() // later requests get no answer
	<-asked
}

// Messages that are queued at the end are still written, also if they are long and read slowly.
func TestQueueIsWrittenAtTheEnd(t *testing.T) {
	e, s, client := connectStallable(t, lspOptions(newLab(nil)))
	e.Start()
	client.mu.Lock()
	var calls []*lsptest.Call
	for range 200 {
		calls = append(calls, e.Call("no/such/"+strings.Repeat("method", 500), nil))
	}
	last := e.Call("shutdown", nil)
	e.Notify("exit", nil)
	eventually(t, "the server is at its end", func() bool {
		return s.logs.FilterField(zap.String("method", "exit")).Len() == 1
	})
	client.mu.Unlock()
	for _, c := range calls {
		if _, err := c.Wait(); err == nil || err.Code != -32601 {
			t.Fatalf("the answer is %v", err)
		}
	}
	if _, err := last.Wait(); err != nil {
		t.Error(err)
	}
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// Some clients announce capabilities that they do not have: they do not know the method, do not
// answer, or answer nonsense. Measuring works all the same.
func TestClientsThatClaimTooMuch(t *testing.T) {
	methods := []string{"workspace/configuration", "client/registerCapability", "window/workDoneProgress/create", "workspace/codeLens/refresh"}
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	for name, claim := range map[string]func(*lsptest.Editor, string){
		"does not know": func(e *lsptest.Editor, method string) {
			e.Answer(method, func(json.RawMessage) (any, *lsptest.Error) { return nil, &lsptest.Error{Code: -32601, Message: "no"} })
		},
		"fails": func(e *lsptest.Editor, method string) {
			e.Answer(method, func(json.RawMessage) (any, *lsptest.Error) { return nil, &lsptest.Error{Code: 12, Message: "no"} })
		},
		"never answers": func(e *lsptest.Editor, method string) { e.AnswerLater(method, func() { <-never }, nil) },
		"a text":        func(e *lsptest.Editor, method string) { answerWith(e, method, "nonsense") },
		"a number":      func(e *lsptest.Editor, method string) { answerWith(e, method, 7) },
		"an object":     func(e *lsptest.Editor, method string) { answerWith(e, method, map[string]any{"a": 1}) },
		"lists":         func(e *lsptest.Editor, method string) { answerWith(e, method, []any{[]any{[]any{}}, nil, 7, "x"}) },
		"an empty list": func(e *lsptest.Editor, method string) { answerWith(e, method, []any{}) },
		"much":          func(e *lsptest.Editor, method string) { answerWith(e, method, strings.Repeat("nonsense", 1<<16)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s, parkGo := openPark(t, newLab(parkCosts), func(e *lsptest.Editor) {
				for _, method := range methods {
					claim(e, method)
				}
			})
			e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
			_, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
			if err != nil && !strings.Contains(err.Message, "settings:") { // nonsense may be bad settings
				t.Errorf("measure: %v", err)
			}
			if err == nil && e.Hover(parkGo, "oldest(") == nil {
				t.Error("there are no diagnostics")
			}
			e.Quit()
			if err := s.wait(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

func answerWith(e *lsptest.Editor, method string, result any) {
	e.Answer(method, func(json.RawMessage) (any, *lsptest.Error) { return result, nil })
}
