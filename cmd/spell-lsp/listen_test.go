package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
)

// A listening is a server that waits for its client at a port.
type listening struct {
	address, token string
	ended          chan error
	stop           context.CancelFunc
	logs           *observer.ObservedLogs
}

func startListening(t *testing.T, address string, change ...func(*listener)) *listening {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	core, logs := observer.New(zap.DebugLevel)
	var notices bytes.Buffer
	l, err := listen(ctx, address, &notices, lsp.Options{Version: "test", Log: zap.New(core)})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	m := regexp.MustCompile(`^waiting for a client at (\S+) that gives initializationOptions.token (\w{26,})\n$`).FindStringSubmatch(notices.String())
	if m == nil {
		stop()
		t.Fatalf("the notice is %q", notices.String())
	}
	l.tokenTimeout = time.Hour // a slow machine is no stranger
	for _, c := range change {
		c(l)
	}
	s := &listening{address: m[1], token: m[2], ended: make(chan error, 1), stop: stop, logs: logs}
	go func() { s.ended <- l.serve(ctx) }()
	t.Cleanup(func() {
		stop()
		s.wait(t)
	})
	return s
}

func (s *listening) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(patience):
		t.Fatal("the server does not end")
		return nil
	}
}

func (s *listening) connect(t *testing.T, token any) *lsptest.Editor {
	t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	e := lsptest.Connect(t, conn)
	if token != nil {
		e.Options = map[string]any{"token": token}
	}
	return e
}

// Every user of the machine can connect to a port. Only who knows the token is
// served; all others are told so and sent away, and the next one is waited for.
func TestListenWantsToken(t *testing.T) {
	s := startListening(t, "127.0.0.1:0")
	for _, wrong := range []any{nil, "", "wrong", s.token[:25], s.token + "A", 7, []string{s.token}, map[string]any{}} {
		e := s.connect(t, wrong)
		params := map[string]any{"capabilities": map[string]any{}}
		if wrong != nil {
			params["initializationOptions"] = map[string]any{"token": wrong}
		}
		_, err := e.Call("initialize", params).Wait()
		if err == nil || !strings.Contains(err.Message, "token") || strings.Contains(err.Message, s.token) {
			t.Errorf("with the token %v: %v", wrong, err)
		}
		e.Gone()
	}
	e := s.connect(t, s.token)
	e.Start()
	e.Settle()
	for _, m := range e.Messages("window/showMessage") {
		t.Errorf("the token was taken for a setting: %s", m.Params)
	}
	e.Quit()
	if err := s.wait(t); err != nil {
		t.Errorf("after its client has left the server returned %v", err)
	}
	for _, entry := range s.logs.All() {
		for key, value := range entry.ContextMap() {
			if text, ok := value.(string); ok && strings.Contains(text, s.token) {
				t.Errorf("the token is in the log: %s, %s", entry.Message, key)
			}
		}
	}
}

// Someone who connects and says nothing, or talks nonsense, must not keep the
// client out. Once that is in, the others are sent away and nobody else gets in.
func TestListenOneClient(t *testing.T) {
	s := startListening(t, "127.0.0.1:0")
	silent, talker := s.connect(t, nil), s.connect(t, nil)
	talker.Raw([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	talker.Gone()
	longWinded := s.connect(t, nil)
	longWinded.Raw([]byte("Content-Length: 1000000000\r\n\r\n{"))
	longWinded.Gone()
	e := s.connect(t, s.token)
	e.Start()
	silent.Gone()
	if conn, err := net.Dial("tcp", s.address); err == nil {
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
			t.Errorf("a second client got in: %v", err)
		}
	}
	e.Notify("exit", nil)
	if err := s.wait(t); !errors.Is(err, lsp.ErrExit) {
		t.Errorf("the server returned %v", err)
	}
}

// Every user of the machine could take all descriptors of the server, and the memory
// behind them. Those that are too many are sent away at once, and there is room again
// when others have left.
func TestListenCrowd(t *testing.T) {
	var room chan struct{}
	s := startListening(t, "127.0.0.1:0", func(l *listener) { room = l.slots })
	strangers := make([]*lsptest.Editor, maxUnauthenticated)
	for i := range strangers {
		strangers[i] = s.connect(t, nil)
	}
	for range 3 * maxUnauthenticated {
		s.connect(t, nil).Gone()
	}
	for i, e := range strangers {
		if _, err := e.Call("textDocument/hover", map[string]any{}).Wait(); err == nil || !strings.Contains(err.Message, "initialize") {
			t.Fatalf("stranger %d was sent away for the others: %v", i, err)
		}
	}
	strangers[3].Raw([]byte("nonsense\r\n\r\n"))
	strangers[3].Gone()
	room <- struct{}{} // once it has gone
	<-room
	e := s.connect(t, s.token)
	e.Start()
	for i, other := range strangers {
		if i != 3 {
			other.Gone()
		}
	}
	e.Quit()
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
}

// A client that has not shown its token may talk no longer than it takes to show it,
// whatever it says and however it cuts it up.
func TestListenTalkers(t *testing.T) {
	s := startListening(t, "127.0.0.1:0")
	call := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", 60_000) + `"}`
	for _, c := range []struct {
		why, text   string
		mostAnswers int
	}{
		{"a header that does not end", strings.Repeat("a", 100_000), 0},
		{"a header of many fields", strings.Repeat("A: b\r\n", 10_000), 0},
		{"a message that is announced as too long", "Content-Length: 1000000000\r\n\r\n{", 0},
		{"many messages", strings.Repeat(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(call), call), 100), 1<<20/len(call) + 1},
	} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		written := make(chan struct{})
		go func() {
			_, _ = conn.Write([]byte(c.text)) // it may be closed before it has read all
			close(written)
		}()
		answers, _ := io.ReadAll(conn) // until it is closed
		if n := bytes.Count(answers, []byte("Content-Length")); n > c.mostAnswers {
			t.Errorf("%s: %d answers, must be at most %d", c.why, n, c.mostAnswers)
		}
		_ = conn.Close()
		<-written
	}
	e := s.connect(t, s.token)
	e.Start()
	e.Quit()
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
}

// Who says nothing is sent away after a while, also if it does not read.
func TestListenPatience(t *testing.T) {
	s := startListening(t, "127.0.0.1:0", func(l *listener) { l.tokenTimeout = time.Millisecond })
	for range 2 * maxUnauthenticated {
		s.connect(t, nil).Gone()
	}
}

// scarce is a port of a machine that has no descriptors left for a while.
type scarce struct {
	net.Listener
	errors []error
}

func (l *scarce) Accept() (net.Conn, error) {
	if len(l.errors) == 0 {
		return l.Listener.Accept()
	}
	err := l.errors[0]
	l.errors = l.errors[1:]
	return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
}

// Where other programs have taken all descriptors the server waits: its client may
// come later. What is wrong with the port itself ends it.
func TestListenWithoutDescriptors(t *testing.T) {
	s := startListening(t, "127.0.0.1:0", func(l *listener) {
		l.Listener = &scarce{l.Listener, []error{syscall.EMFILE, syscall.ENFILE, syscall.EMFILE, syscall.ECONNABORTED}}
	})
	e := s.connect(t, s.token)
	e.Start()
	e.Quit()
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
	s = startListening(t, "127.0.0.1:0", func(l *listener) { l.Listener = &scarce{l.Listener, []error{syscall.EINVAL}} })
	if err := s.wait(t); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("the server returned %v", err)
	}
}

// Of many that know the token at the same time one is served.
func TestListenRace(t *testing.T) {
	s := startListening(t, "[::1]:0")
	var clients sync.WaitGroup
	served := make(chan *lsptest.Editor, 20)
	for range cap(served) {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			break // it is closed: one is in
		}
		e := lsptest.Connect(t, conn)
		clients.Go(func() {
			call := e.Call("initialize", map[string]any{"capabilities": map[string]any{}, "initializationOptions": map[string]any{"token": s.token}})
			gone := make(chan struct{})
			go func() { e.Gone(); close(gone) }()
			select {
			case <-call.Done():
				if _, err := call.Wait(); err == nil {
					served <- e
				}
			case <-gone:
			}
		})
	}
	first := <-served
	clients.Wait()
	if len(served) > 0 {
		t.Errorf("%d clients are served", len(served)+1)
	}
	first.Quit()
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
}

// Ctrl-C ends a server that waits for its client.
func TestListenInterrupted(t *testing.T) {
	s := startListening(t, "127.0.0.1:0")
	silent := s.connect(t, nil)
	s.stop()
	if err := s.wait(t); !errors.Is(err, context.Canceled) {
		t.Errorf("the server returned %v", err)
	}
	silent.Gone()
}

// No other machine can connect.
func TestListenLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.1", "localhost:0"} {
		if _, err := listen(t.Context(), address, io.Discard, lsp.Options{}); err == nil || !strings.Contains(err.Error(), "must be 127.0.0.1:PORT or [::1]:PORT") {
			t.Errorf("--listen %s: %v", address, err)
		}
	}
}
