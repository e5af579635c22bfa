// Package lsptest is an editor for tests of a language server. Its methods
// read as what a user does: open, edit, save, measure, cancel, look.
//
// It speaks the protocol with code of its own, so that a mistake of the
// libraries that the server uses shows. What the server sends is kept in the
// order in which it came.
package lsptest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// patience is how long an editor waits for anything. It only matters where a
// test fails.
const patience = 2 * time.Minute

// An Editor is connected to one server. Its methods fail the test when the
// server does not answer.
type Editor struct {
	t    testing.TB
	conn io.ReadWriteCloser

	// Capabilities, Options, Client (its name and version), Folders and ProcessID go
	// into initialize; folders are paths.
	Capabilities map[string]any
	Client       map[string]string
	Options      any
	Folders      []string
	ProcessID    int // of the editor, 0 for one that does not say

	client    *Client // of the real world, if it is one
	pulls     bool    // the server has diagnostics for those who ask
	refreshed int     // how often the server said that they are out of date, and it was heard

	writing sync.Mutex

	mu      sync.Mutex
	changed *sync.Cond // on mu, when a message came
	next    int        // id of the last call
	pending map[string]*Call
	log     []Message
	sending int  // answers on their way
	gone    bool // the server closed the connection
	buffers map[string]*buffer
	answers map[string]func(params json.RawMessage) (any, *Error)
	late    map[string]func() // what an answer waits for
	heard   map[string]func() // what happens on a message
}

// A Message is a notification or a call of the server.
type Message struct {
	Method string
	Params json.RawMessage
}

// An Error is the error of a response.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Connect starts an editor that can do what modern ones can. It says nothing
// to the server yet.
func Connect(t testing.TB, conn io.ReadWriteCloser) *Editor {
	e := &Editor{
		t: t, conn: conn, Capabilities: Rich(),
		pending: map[string]*Call{}, buffers: map[string]*buffer{},
		answers: map[string]func(json.RawMessage) (any, *Error){}, late: map[string]func(){}, heard: map[string]func(){},
	}
	e.changed = sync.NewCond(&e.mu)
	for _, method := range []string{"window/workDoneProgress/create", "client/registerCapability", "workspace/codeLens/refresh"} {
		e.Answer(method, func(json.RawMessage) (any, *Error) { return nil, nil })
	}
	e.Configure(nil)
	go e.read()
	t.Cleanup(func() { _ = conn.Close() }) // it may be closed already
	return e
}

// Rich is the capabilities of an editor that can do all that the server asks
// for.
func Rich() map[string]any {
	return map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-32", "utf-8", "utf-16"}},
		"window":  map[string]any{"workDoneProgress": true},
		"workspace": map[string]any{
			"configuration": true, "workspaceFolders": true,
			"codeLens":              map[string]any{"refreshSupport": true},
			"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
		},
		"textDocument": map[string]any{
			"hover": map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
			"publishDiagnostics": map[string]any{
				"relatedInformation": true, "codeDescriptionSupport": true, "versionSupport": true,
				"tagSupport": map[string]any{"valueSet": []int{1, 2}},
			},
		},
	}
}

// Subprocess starts a command and gives its standard input and output, which
// has a method CloseRead as well. Its standard error goes to the test's.
func Subprocess(t testing.TB, cmd *exec.Cmd) io.ReadWriteCloser {
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatalf("starting %v: %v", cmd, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("starting %v: %v", cmd, err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %v: %v", cmd, err)
	}
	return &pipes{Reader: out, WriteCloser: in, out: out}
}

type pipes struct {
	io.Reader
	io.WriteCloser
	out io.Closer
}

// CloseRead makes that nobody reads any more what the process writes.
func (p *pipes) CloseRead() error { return p.out.Close() }

// Answer sets how the editor answers a method that the server calls. Without
// an answer it says that it does not know the method.
func (e *Editor) Answer(method string, answer func(params json.RawMessage) (any, *Error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers[method] = answer
	delete(e.late, method)
}

// Configure sets the user's settings, the section "spell", of all folders. It
// does not tell the server.
func (e *Editor) Configure(settings any) {
	e.Answer("workspace/configuration", func(params json.RawMessage) (any, *Error) {
		var asked struct{ Items []json.RawMessage }
		if err := json.Unmarshal(params, &asked); err != nil {
			return nil, &Error{-32602, err.Error()}
		}
		answers := make([]any, len(asked.Items))
		for i := range answers {
			answers[i] = settings
		}
		return answers, nil
	})
}

// Start says initialize and initialized, and returns the server's answer.
func (e *Editor) Start() json.RawMessage {
	e.t.Helper()
	result := e.MustCall("initialize", e.initializeParams())
	var can struct {
		Capabilities struct{ DiagnosticProvider json.RawMessage }
	}
	e.into(result, &can)
	e.pulls = len(can.Capabilities.DiagnosticProvider) > 0
	e.Notify("initialized", map[string]any{})
	return result
}

func (e *Editor) initializeParams() map[string]any {
	folders := []map[string]string{}
	for _, f := range e.Folders {
		folders = append(folders, map[string]string{"uri": URI(f), "name": f})
	}
	params := map[string]any{
		"processId": nil, "rootUri": nil, "capabilities": e.Capabilities, "workspaceFolders": folders,
	}
	if e.ProcessID != 0 {
		params["processId"] = e.ProcessID
	}
	if e.Options != nil {
		params["initializationOptions"] = e.Options
	}
	if e.Client != nil {
		params["clientInfo"] = e.Client
	}
	return params
}

// Quit says shutdown and exit.
func (e *Editor) Quit() {
	e.t.Helper()
	e.MustCall("shutdown", nil)
	e.Notify("exit", nil)
}

// Messages lists what the server sent by the given method so far.
func (e *Editor) Messages(method string) []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []Message
	for _, m := range e.log {
		if m.Method == method {
			list = append(list, m)
		}
	}
	return list
}

// Gone waits until the server has closed the connection.
func (e *Editor) Gone() {
	e.t.Helper()
	e.await("the end of the connection", func() bool { return e.gone })
}

// Eventually waits until a condition holds, and asks it whenever the server
// sent something.
func (e *Editor) Eventually(what string, condition func() bool) {
	e.t.Helper()
	for seen := -1; ; {
		e.await(what, func() bool {
			more := len(e.log) > seen
			seen = len(e.log)
			return more
		})
		if condition() {
			return
		}
	}
}

// await waits for a condition on what the server sent. The condition is
// called with mu held.
func (e *Editor) await(what string, condition func() bool) {
	e.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		e.mu.Lock()
		late = true
		e.mu.Unlock()
		e.changed.Broadcast()
	})
	defer timer.Stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !condition() {
		if late {
			e.t.Fatalf("waited %v for %s; the server sent %s", patience, what, e.tail())
		}
		e.changed.Wait()
	}
}

// tail shows the last messages. The caller holds mu.
func (e *Editor) tail() string {
	text := fmt.Sprintf("%d messages", len(e.log))
	for _, m := range e.log[max(0, len(e.log)-5):] {
		text += fmt.Sprintf("\n\t%s %.300s", m.Method, m.Params)
	}
	return text
}

// AnswerLater is Answer with a result that is given when wait returns.
func (e *Editor) AnswerLater(method string, wait func(), result any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.late[method] = wait
	e.answers[method] = func(json.RawMessage) (any, *Error) { return result, nil }
}

// OnMessage makes the editor do something whenever the server sends a message
// of a method, before it reads on.
func (e *Editor) OnMessage(method string, do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard[method] = do
}

// Settle waits until the server has taken all that was sent so far, and the
// answers to its own calls, except for late ones.
func (e *Editor) Settle() {
	e.t.Helper()
	for range 2 { // an answer may lead to another message
		e.await("the editor's own answers", func() bool { return e.sending == 0 })
		<-e.Call("$/settle", nil).Done() // the server does not know it, and says so
	}
}
