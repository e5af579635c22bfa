package lsptest

import (
	"encoding/json"
	"strconv"
	"time"
)

// A Call is a request in flight.
type Call struct {
	e      *Editor
	ID     json.RawMessage
	method string
	done   chan struct{}
	result json.RawMessage
	err    *Error
}

// Call sends a request and does not wait.
func (e *Editor) Call(method string, params any) *Call {
	e.mu.Lock()
	e.next++
	id := json.RawMessage(strconv.Itoa(e.next))
	if e.next%2 == 0 { // ids may be numbers or strings, and editors use both
		id = json.RawMessage(`"call-` + strconv.Itoa(e.next) + `"`)
	}
	c := &Call{e: e, ID: id, method: method, done: make(chan struct{})}
	e.pending[string(id)] = c
	e.mu.Unlock()
	e.sendMethod(id, method, params)
	return c
}

// Wait returns the response.
func (c *Call) Wait() (json.RawMessage, *Error) {
	c.e.t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.e.mu.Lock()
		defer c.e.mu.Unlock()
		c.e.t.Fatalf("waited %v for the answer to %s; the server sent %s", patience, c.method, c.e.tail())
	}
	return c.result, c.err
}

// Done is closed when the response has arrived.
func (c *Call) Done() <-chan struct{} { return c.done }

// Cancel sends $/cancelRequest.
func (c *Call) Cancel() { c.e.Notify("$/cancelRequest", map[string]any{"id": c.ID}) }

// MustCall sends a request and returns its result; an error fails the test.
func (e *Editor) MustCall(method string, params any) json.RawMessage {
	e.t.Helper()
	result, err := e.Call(method, params).Wait()
	if err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.sendMethod(nil, method, params)
}

// Execute starts a command of the server with one argument, or none if it is
// nil.
func (e *Editor) Execute(command string, argument any) *Call {
	return e.Call("workspace/executeCommand", commandParams(command, argument))
}

// ExecuteWithProgress is Execute with a progress token.
func (e *Editor) ExecuteWithProgress(token any, command string, argument any) *Call {
	params := commandParams(command, argument)
	params["workDoneToken"] = token
	return e.Call("workspace/executeCommand", params)
}

func commandParams(command string, argument any) map[string]any {
	arguments := []any{}
	if argument != nil {
		arguments = append(arguments, argument)
	}
	return map[string]any{"command": command, "arguments": arguments}
}

// into decodes a result.
func (e *Editor) into(raw json.RawMessage, v any) {
	e.t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		e.t.Fatalf("reading %s: %v", raw, err)
	}
}
