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

// A client is an editor that speaks to its own server over standard input and output. Times
// are from before a message is written to after the last byte of the answer was read.
type client struct {
	cmd     *exec.Cmd
	started time.Time // before the process was
	in      io.WriteCloser
	exited  chan struct{} // closed when the process was waited for

	writing sync.Mutex

	mu      sync.Mutex
	next    int
	pending map[int]chan answer
	heard   func(notification) // called for each in the order of the wire; may be nil
}

// An answer is the server's response to a call.
type answer struct {
	result json.RawMessage
	err    *lsptest.Error
	at     time.Time // when it was received
}

// failure is the error that the server answered a method with, nil if it did
// not.
func (a answer) failure(method string) error {
	if a.err == nil {
		return nil
	}
	return fmt.Errorf("%s: the server answers %d: %s", method, a.err.Code, a.err.Message)
}

// A notification is one of the server.
type notification struct {
	Method string
	Params json.RawMessage
	At     time.Time
}

// launch starts a server with more in its environment. It is killed when ctx
// ends.
func launch(ctx context.Context, env []string, command string, args ...string) (*client, error) {
	frames := make(chan frame, maxFrames)
	c := &client{cmd: exec.CommandContext(ctx, command, args...), exited: make(chan struct{}), pending: map[int]chan answer{}}
	c.cmd.Env = append(os.Environ(), env...)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", command, err)
	}
	// Not StdoutPipe: that is closed when the process is waited for, before all
	// was read.
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
		c.cmd.Wait() //nolint:errcheck // how a server ends that was killed is no matter
		close(c.exited)
	}()
	return c, nil
}

// incoming is any message of a server.
type incoming struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *lsptest.Error
}

// maxFrames is how many messages may be read before the first of them is understood:
// more than any table awaits at once.
const maxFrames = 1 << 16

// A frame is a message as it was read.
type frame struct {
	body []byte
	at   time.Time
}

// read reads frames until there are no more, and does nothing else: the server must
// not wait until what it wrote before has been understood.
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

// understand serves what was read until the server is gone or makes no sense.
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
			go c.send(map[string]any{"id": m.ID, "result": reply(m)}) //nolint:errcheck // a server that is gone shows by its silence
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

// reply is what an editor with an empty configuration says to a call of the
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

// hangUp ends all calls: no answer will come.
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

// A call is one in flight.
type call struct {
	id     int
	method string
	sent   time.Time
	answer chan answer // closed without an answer if the server is gone
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

// wait returns the answer, whatever it is.
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

// ask makes a call and waits for its answer. An error that the server answers
// with is one of ask.
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

// load shows a saved run.
func (c *client) load(ctx context.Context, name string) error {
	return c.execute(ctx, "spell-lsp.load", map[string]any{"path": name})
}

// quit ends the server as an editor does, or else by force.
func (c *client) quit(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := c.ask(ctx, "shutdown", nil); err == nil {
		c.notify("exit", nil) //nolint:errcheck // if it is gone, all the better
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
