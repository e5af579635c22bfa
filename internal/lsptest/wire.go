package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// Frame puts the header of the protocol before a message.
func Frame(body string) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// ReadFrame reads one message without its header.
func ReadFrame(r *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, fmt.Errorf("the header has no length: %v", header)
	}
	body := make([]byte, length)
	_, err = io.ReadFull(r, body)
	return body, err
}

// Raw sends bytes as they are.
func (e *Editor) Raw(data []byte) {
	e.writing.Lock()
	defer e.writing.Unlock()
	// A server that has exited does not read; tests notice that by the missing answer.
	// The editor may still be sending an answer when the test is over.
	_, _ = e.conn.Write(data)
}

func (e *Editor) send(message any) {
	if body, ok := e.encode(message); ok {
		e.Raw(Frame(string(body)))
	}
}

// sendMethod sends a notification or, with an id, a request. Encoded parameters are
// sent as they are: encoding large ones again would take most of a test's time.
func (e *Editor) sendMethod(id json.RawMessage, method string, params any) {
	name, ok := e.encode(method)
	body := `{"jsonrpc":"2.0"`
	if id != nil {
		body += `,"id":` + string(id)
	}
	body += `,"method":` + string(name)
	if params != nil {
		raw, encoded := params.(json.RawMessage)
		if !encoded {
			raw, ok = e.encode(params)
		}
		body += `,"params":` + string(raw)
	}
	if ok {
		e.Raw(Frame(body + "}"))
	}
}

func (e *Editor) encode(v any) (body json.RawMessage, ok bool) {
	body, err := json.Marshal(v)
	if err != nil {
		e.t.Errorf("encoding %v: %v", v, err)
	}
	return body, err == nil
}

type incoming struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

// read handles the server's messages in order until the connection closes.
func (e *Editor) read() {
	defer func() {
		e.mu.Lock()
		e.gone = true
		e.mu.Unlock()
		e.changed.Broadcast()
	}()
	r := bufio.NewReader(e.conn)
	for {
		body, err := ReadFrame(r)
		if err != nil {
			return
		}
		var m incoming
		if err := json.Unmarshal(body, &m); err != nil || m.JSONRPC != "2.0" {
			e.t.Errorf("the server sent %s", body)
			return
		}
		e.take(m, body)
		e.mu.Lock()
		do := e.heard[m.Method]
		e.mu.Unlock()
		if do != nil {
			do()
		}
	}
}

func (e *Editor) take(m incoming, body []byte) {
	e.mu.Lock()
	defer e.changed.Broadcast()
	defer e.mu.Unlock()
	if m.Method == "" {
		e.takeResponse(m, body)
		return
	}
	e.log = append(e.log, Message{m.Method, m.Params})
	if m.ID == nil {
		return
	}
	response := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	if answer := e.answers[m.Method]; answer == nil {
		response["error"] = &Error{Code: -32601, Message: "the editor does not know " + m.Method}
	} else if result, err := answer(m.Params); err != nil {
		response["error"] = err
	} else {
		response["result"] = result
	}
	if wait := e.late[m.Method]; wait != nil {
		go func() { wait(); e.send(response) }()
		return
	}
	e.sending++
	go func() { // the server may have to write before it can read the answer
		e.send(response)
		e.mu.Lock()
		e.sending--
		e.mu.Unlock()
		e.changed.Broadcast()
	}()
}

func (e *Editor) takeResponse(m incoming, body []byte) {
	c := e.pending[string(m.ID)]
	switch {
	case c == nil && m.Error != nil: // an answer to bytes sent by Raw
		e.log = append(e.log, Message{"error", body})
	case c == nil:
		e.t.Errorf("the server answered what was not asked: %s", body)
	case (m.Error == nil) == (m.Result == nil):
		e.t.Errorf("a response must have a result or an error: %s", body)
	default:
		delete(e.pending, string(m.ID))
		c.result, c.err = m.Result, m.Error
		close(c.done)
	}
}
