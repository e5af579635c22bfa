// Package lsptest is a fake editor for tests of a language server. Its methods read
// as a user's actions: open, edit, save, measure, cancel, look.
//
// It implements the protocol itself, so that mistakes of the libraries that the
// server uses show. It keeps the server's messages in the order of their arrival.
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

// patience is the longest wait for anything. It only matters in tests that fail.
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
	ProcessID    int // of the editor; 0 = not sent

	client    *Client // the real editor that it behaves like; nil = none
	pulls     bool    // the server offers diagnostics on request
	refreshed int     // number of diagnostic refreshes that the editor has handled

	writing sync.Mutex

	mu      sync.Mutex
	changed *sync.Cond // on mu, signalled when a message has come
	next    int        // id of the last call
	pending map[string]*Call
	log     []Message
	sending int  // answers that are being sent
	gone    bool // the server closed the connection
	buffers map[string]*buffer
	answers map[string]func(params json.RawMessage) (any, *Error)
	late    map[string]func() // by method: called before the answer is sent
	heard   map[string]func() // by method: called for each message, before the next is read
}

// A Message is a notification or request from the server.
type Message struct {
	Method string
	Params json.RawMessage
}

// An Error is the error of a response.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    json.RawMessage
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Connect returns an editor with the capabilities of modern ones. It sends nothing
// yet.
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

// Rich is the capabilities of an editor that has every one that the server looks
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

// Subprocess starts a command and returns a connection to its standard input and
// output, which also has a method CloseRead. Its standard error goes to the test's.
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

// CloseRead closes the reading end of the process's standard output.
func (p *pipes) CloseRead() error { return p.out.Close() }

// Answer sets the editor's answer to a request of the server. Without one it answers
// that the method is unknown.
func (e *Editor) Answer(method string, answer func(params json.RawMessage) (any, *Error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers[method] = answer
	delete(e.late, method)
}

// Configure sets the user's settings (the section "spell") of all folders, without
// notifying the server.
func (e *Editor) Configure(settings any) {
	e.Answer("workspace/configuration", func(params json.RawMessage) (any, *Error) {
		var asked struct{ Items []json.RawMessage }
		if err := json.Unmarshal(params, &asked); err != nil {
			return nil, &Error{Code: -32602, Message: err.Error()}
		}
		answers := make([]any, len(asked.Items))
		for i := range answers {
			answers[i] = settings
		}
		return answers, nil
	})
}

// Start sends initialize and initialized, and returns the server's answer.
func (e *Editor) Start() json.RawMessage {
	e.t.Helper()
	result := e.Initialize()
	e.Notify("initialized", map[string]any{})
	return result
}

// Initialize only sends initialize. Until initialized the server watches no files, so
// that a test can run in a synctest bubble.
func (e *Editor) Initialize() json.RawMessage {
	e.t.Helper()
	result := e.MustCall("initialize", e.initializeParams())
	var can struct {
		Capabilities struct{ DiagnosticProvider json.RawMessage }
	}
	e.into(result, &can)
	e.pulls = len(can.Capabilities.DiagnosticProvider) > 0
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

// Quit sends shutdown and exit.
func (e *Editor) Quit() {
	e.t.Helper()
	e.MustCall("shutdown", nil)
	e.Notify("exit", nil)
}

// Messages lists the server's messages of a method so far.
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

// Eventually waits until a condition holds; it checks the condition after each
// message of the server.
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

// await waits for a condition on the server's messages, which is checked with mu
// held.
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

// AnswerLater is Answer with a result that is sent after wait has returned.
func (e *Editor) AnswerLater(method string, wait func(), result any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.late[method] = wait
	e.answers[method] = func(json.RawMessage) (any, *Error) { return result, nil }
}

// OnMessage makes the editor call do for each message of a method, before it reads
// the next message.
func (e *Editor) OnMessage(method string, do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard[method] = do
}

// Settle waits until the server has processed everything that was sent so far,
// including the answers to its own requests, except those of AnswerLater.
func (e *Editor) Settle() {
	e.t.Helper()
	for range 2 { // an answer may lead to another message
		e.await("the editor's own answers", func() bool { return e.sending == 0 })
		<-e.Call("$/settle", nil).Done() // an unknown method, which the server answers with an error
	}
}
