package sshtarget

import (
	"io"
	"net"
	"os/exec"
	"sync"
	"testing"
)

// A Wire passes the bytes of connections on.
type Wire struct {
	mu    sync.Mutex
	up    int64  // bytes to the target since Reset
	down  int64  // bytes from it
	at    int64  // when event is called
	event func() // nil where it was called, or there is none
	open  []io.Closer
}

// Reset begins to count anew. When that many bytes have passed, in both directions together, event is called
// once, and the bytes that follow them in the same direction wait until it returns.
func (w *Wire) Reset(at int64, event func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.up, w.down, w.at, w.event = 0, 0, at, event
}

// Passed tells how many bytes have gone to the target, and come from it, since Reset. What ssh adds is among them.
func (w *Wire) Passed() (up, down int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.up, w.down
}

// Cut ends all connections.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		c.Close() //nolint:errcheck // it may have ended
	}
	w.open = nil
}

// listen serves connections on a port of loopback, each by a process of its own, until the test ends.
func (w *Wire) listen(t *testing.T, server func() *exec.Cmd) (port string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		l.Close() //nolint:errcheck // nothing is accepted any more
		w.Cut()
		all.Wait()
	})
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { w.serve(conn, server()) })
		}
	})
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// serve passes on what comes and what the process answers, until one of them ends. A process that does not
// start ends the connection, which the test sees.
func (w *Wire) serve(conn net.Conn, server *exec.Cmd) {
	defer conn.Close() //nolint:errcheck // it may have ended
	in, err := server.StdinPipe()
	if err != nil {
		return
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return
	}
	if err := server.Start(); err != nil {
		return
	}
	w.mu.Lock()
	w.open = append(w.open, conn, in)
	w.mu.Unlock()
	go w.pass(in, conn, &w.up)
	w.pass(conn, out, &w.down)
	server.Wait() //nolint:errcheck // sshd says it to its client
}

// pass copies one direction.
func (w *Wire) pass(to io.WriteCloser, from io.Reader, count *int64) {
	defer to.Close() //nolint:errcheck // it may have ended
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		for rest := buffer[:n]; len(rest) > 0; {
			part, event := w.take(rest, count)
			if _, err := to.Write(part); err != nil {
				return
			}
			if event != nil {
				event()
			}
			rest = rest[len(part):]
		}
		if err != nil {
			return
		}
	}
}

// take counts bytes, up to the one at which something happens.
func (w *Wire) take(text []byte, count *int64) (part []byte, event func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := max(0, w.at-w.up-w.down); w.event != nil && left <= int64(len(text)) {
		text = text[:left]
		event, w.event = w.event, nil
	}
	*count += int64(len(text))
	return text, event
}
