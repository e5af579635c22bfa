package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"spell-lsp/internal/lsptest"
)

// answerTimeout is how long the bench waits for an answer. gopls loads a large workspace
// before its first answer.
const answerTimeout = 5 * time.Minute

// A client is an editor with its own server process, connected by standard input and
// output. Times are from before a message is written until after the last byte of the
// answer was read.
type client struct {
	cmd     *exec.Cmd
	started time.Time // just before the process was started
	in      io.WriteCloser
	exited  chan struct{} // closed when the process has exited and was waited for

	writing sync.Mutex

	mu      sync.Mutex
	next    int
	pending map[int]chan answer
	heard   func(notification) // called for each notification, in the order of arrival; may be nil
}

// An answer is the server's response to a call.
type answer struct {
	result json.RawMessage
	err    *lsptest.Error
	at     time.Time // when it was received
}

// failure is the server's error response to a method; nil if it has a result.
func (a answer) failure(method string) error {
	if a.err == nil {
		return nil
	}
	return fmt.Errorf("%s: the server answers %d: %s", method, a.err.Code, a.err.Message)
}

// A notification is a notification from the server.
type notification struct {
	Method string
	Params json.RawMessage
	At     time.Time
}

// launch starts a server with env added to its environment. The server is killed when
// ctx ends.
func launch(ctx context.Context, env []string, command string, args ...string) (*client, error) {
	frames := make(chan frame, maxFrames)
	c := &client{cmd: exec.CommandContext(ctx, command, args...), exited: make(chan struct{}), pending: map[int]chan answer{}}
	c.cmd.Env = append(os.Environ(), env...)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", command, err)
	}
	// Not StdoutPipe: Wait closes that pipe, possibly before everything was read.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", command, err)
	}
	c.in, c.cmd.Stdout = in, theirs
	c.started = time.Now()
	err = c.cmd.Start()
	theirs.Close()
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("starting %s: %w", command, err)
	}
	go read(out, frames)
	go c.understand(out, frames)
	go func() {
		c.cmd.Wait() //nolint:errcheck // the exit status of a killed server does not matter
		close(c.exited)
	}()
	return c, nil
}

// incoming is any message from a server.
type incoming struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *lsptest.Error
}

// maxFrames is how many messages may be read before the first of them is decoded; no
// table expects as many at once.
const maxFrames = 1 << 16

// A frame is an undecoded message.
type frame struct {
	body []byte
	at   time.Time
}

// read reads frames until the end. Decoding is left to another goroutine, so that the
// server never has to wait for it.
func read(out *os.File, frames chan<- frame) {
	defer close(frames)
	r := bufio.NewReaderSize(out, 1<<16)
	for {
		body, err := lsptest.ReadFrame(r)
		if err != nil {
			return
		}
		frames <- frame{body, time.Now()}
	}
}

// understand decodes and dispatches frames until the server exits or sends an invalid
// one.
func (c *client) understand(out *os.File, frames <-chan frame) {
	defer c.hangUp()
	defer out.Close()
	for f := range frames {
		var m incoming
		if json.Unmarshal(f.body, &m) != nil {
			return
		}
		switch {
		case m.Method == "":
			c.answered(m, f.at)
		case m.ID != nil:
			go c.send(map[string]any{"id": m.ID, "result": reply(m)}) //nolint:errcheck // if the server has exited, the calls end too
		default:
			c.mu.Lock()
			heard := c.heard
			c.mu.Unlock()
			if heard != nil {
				heard(notification{m.Method, m.Params, f.at})
			}
		}
	}
}

// reply is the answer of an editor with an empty configuration to a request of the
// server.
func reply(m incoming) any {
	if m.Method != "workspace/configuration" {
		return nil
	}
	var params struct{ Items []json.RawMessage }
	if json.Unmarshal(m.Params, &params) != nil {
		return nil
	}
	return make([]any, len(params.Items))
}

func (c *client) answered(m incoming, at time.Time) {
	var id int
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiting := c.pending[id]; waiting != nil {
		waiting <- answer{m.Result, m.Error, at}
		delete(c.pending, id)
	}
}

// hangUp ends all calls without an answer.
func (c *client) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, waiting := range c.pending {
		close(waiting)
		delete(c.pending, id)
	}
	c.pending = nil
}

func (c *client) hear(f func(notification)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = f
}

func (c *client) send(message map[string]any) error {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.in.Write(lsptest.Frame(string(body))); err != nil {
		return fmt.Errorf("writing to the server: %w", err)
	}
	return nil
}

func (c *client) notify(method string, params any) error {
	return c.send(map[string]any{"method": method, "params": params})
}

// A call is a request in flight.
type call struct {
	id     int
	method string
	sent   time.Time
	answer chan answer // closed without an answer if the server has exited
}

func (c *client) call(method string, params any) (*call, error) {
	made := &call{method: method, answer: make(chan answer, 1)}
	c.mu.Lock()
	if c.pending == nil {
		c.mu.Unlock()
		return nil, fmt.Errorf("%s: the server is gone", method)
	}
	c.next++
	made.id = c.next
	c.pending[made.id] = made.answer
	c.mu.Unlock()
	made.sent = time.Now()
	return made, c.send(map[string]any{"id": made.id, "method": method, "params": params})
}

var errGone = errors.New("the server is gone")

// wait returns the answer, which may be an error response.
func (c *call) wait(ctx context.Context) (answer, error) {
	select {
	case a, ok := <-c.answer:
		if !ok {
			return answer{}, fmt.Errorf("%s: %w", c.method, errGone)
		}
		return a, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-time.After(answerTimeout):
		return answer{}, fmt.Errorf("%s: no answer within %v", c.method, answerTimeout)
	}
}

// ask makes a call and waits for its answer. It turns an error response into an error.
func (c *client) ask(ctx context.Context, method string, params any) (answer, error) {
	made, err := c.call(method, params)
	if err != nil {
		return answer{}, err
	}
	a, err := made.wait(ctx)
	if err == nil {
		err = a.failure(method)
	}
	return a, err
}

// execute runs a command of the server.
func (c *client) execute(ctx context.Context, command string, argument any) error {
	if _, err := c.ask(ctx, "workspace/executeCommand", map[string]any{"command": command, "arguments": []any{argument}}); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// load makes the server show a saved run.
func (c *client) load(ctx context.Context, name string) error {
	return c.execute(ctx, "spell-lsp.load", map[string]any{"path": name})
}

// quit ends the server as an editor does, and kills it if that fails.
func (c *client) quit(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := c.ask(ctx, "shutdown", nil); err == nil {
		c.notify("exit", nil) //nolint:errcheck // the server may have exited already
	}
	select {
	case <-c.exited:
	case <-ctx.Done():
		c.kill()
	}
}

// kill kills the server.
func (c *client) kill() {
	c.cmd.Process.Kill() //nolint:errcheck // it may just have ended
	<-c.exited
}
