package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// slow is a measurement that ends only when it is cancelled. A test can delay its end after
// the cancellation, because killing processes takes time.
type slow struct {
	started   chan struct{}
	cancelled chan struct{} // receives a value when a measurement notices its cancellation
	hold      chan struct{} // cancelled measurements end after it is closed; nil lets them end at once
	cleaned   atomic.Int32  // number that have ended
	active    atomic.Int32  // number that are running
	most      atomic.Int32  // largest number that ran at the same time
}

func newSlow() *slow {
	return &slow{started: make(chan struct{}, 10), cancelled: make(chan struct{}, 10)}
}

func (s *slow) measure(ctx context.Context, r lsp.Request, _ func(lsp.Progress)) (*record.Run, error) {
	s.most.Store(max(s.most.Load(), s.active.Add(1)))
	s.started <- struct{}{}
	<-ctx.Done()
	s.cancelled <- struct{}{}
	if s.hold != nil {
		<-s.hold
	}
	s.active.Add(-1)
	s.cleaned.Add(1)
	return newLab(map[string]cost{"f": {1, 1, 1}}).invent(r) // a cancelled measurement may still return a run
}

// startSlow starts a measurement that ends only when it is cancelled.
func startSlow(t *testing.T, setUp ...func(*lsptest.Editor)) (*lsptest.Editor, *server, *slow, *lsptest.Call) {
	t.Helper()
	return startThis(t, newSlow(), setUp...)
}

// startHeld is startSlow with a measurement that, once cancelled, ends when it is released.
func startHeld(t *testing.T, setUp ...func(*lsptest.Editor)) (e *lsptest.Editor, s *server, m *slow, release func(), call *lsptest.Call) {
	t.Helper()
	held := newSlow()
	held.hold = make(chan struct{})
	release = sync.OnceFunc(func() { close(held.hold) })
	e, s, m, call = startThis(t, held, setUp...)
	t.Cleanup(release) // before the server is waited for
	return e, s, m, release, call
}

func startThis(t *testing.T, m *slow, setUp ...func(*lsptest.Editor)) (*lsptest.Editor, *server, *slow, *lsptest.Call) {
	t.Helper()
	e, s := serve(t, lsp.Options{Measure: m.measure})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a\n\nfunc f() {}\n"})}
	for _, f := range setUp {
		f(e)
	}
	e.Start()
	call := e.ExecuteWithProgress("client-token", "spell-lsp.measure", map[string]any{"scope": "workspace", "uri": lsptest.URI(e.Folders[0])})
	<-m.started
	return e, s, m, call
}

// However a measurement is cancelled, its call must be answered with -32800 before the
// measurement has ended, its result must never be shown, and its end be waited for.
func TestCancel(t *testing.T) {
	for how, cancel := range map[string]func(*lsptest.Editor, *lsptest.Call){
		"$/cancelRequest": func(_ *lsptest.Editor, c *lsptest.Call) { c.Cancel() },
		"the button of the progress": func(e *lsptest.Editor, _ *lsptest.Call) {
			e.Notify("window/workDoneProgress/cancel", map[string]any{"token": "client-token"})
		},
		"the command": func(e *lsptest.Editor, _ *lsptest.Call) { e.Execute("spell-lsp.cancel", map[string]any{}) },
		"shutdown":    func(e *lsptest.Editor, _ *lsptest.Call) { e.Call("shutdown", nil) },
	} {
		t.Run(how, func(t *testing.T) {
			e, s, m, release, call := startHeld(t)
			cancel(e, call)
			if _, err := call.Wait(); err == nil || err.Code != -32800 {
				t.Errorf("%v, must be -32800", err)
			}
			<-m.cancelled
			if how == "shutdown" {
				e.Notify("exit", nil)
				s.stays(t)
			}
			release()
			end := e.AwaitMessage("$/progress", 2)
			if !strings.Contains(string(end.Params), "cancelled") || !strings.Contains(string(end.Params), "client-token") {
				t.Errorf("the progress ends with %s", end.Params)
			}
			if how != "shutdown" {
				if late := rows(t, e, nil); len(late) > 0 {
					t.Errorf("the result is shown: %+v", late)
				}
				e.Quit()
			}
			if err := s.wait(); err != nil {
				t.Errorf("Serve: %v", err)
			}
			if m.cleaned.Load() != 1 {
				t.Error("Serve did not wait for the end of the measurement")
			}
			if shown := e.Messages("window/showMessage"); len(shown) > 0 {
				t.Errorf("shown %s", shown)
			}
		})
	}
}

// stays fails the test if Serve has returned. It yields many times first, so that Serve could.
func (s *server) stays(t *testing.T) {
	t.Helper()
	for range 100 {
		runtime.Gosched()
	}
	select {
	case err := <-s.ended:
		s.ended <- err
		t.Errorf("Serve returned %v before the end of the measurement", err)
	default:
	}
}

// A cancellation that arrives when the result is already shown is too late; the answer
// must not claim that it was cancelled.
func TestCancelTooLate(t *testing.T) {
	e, _, _ := openPark(t, newLab(parkCosts))
	var call *lsptest.Call
	ready := make(chan struct{})
	e.OnMessage("textDocument/publishDiagnostics", func() {
		<-ready
		call.Cancel()
		e.Notify("window/workDoneProgress/cancel", map[string]any{"token": "late"})
	})
	call = e.ExecuteWithProgress("late", "spell-lsp.measure", map[string]any{"scope": "workspace"})
	close(ready)
	if _, err := call.Wait(); err != nil {
		t.Errorf("the result is shown and the answer is %v", err)
	}
}

// When the editor dies, or the server is told to end, no measurement may outlive the
// server.
func TestClientGone(t *testing.T) {
	for _, c := range []struct {
		how string
		end func(near net.Conn, s *server)
	}{
		{"the connection is closed", func(near net.Conn, _ *server) { _ = near.Close() }},
		{"the context ends", func(_ net.Conn, s *server) { s.stop() }},
		{"the input is not JSON", func(near net.Conn, _ *server) { _, _ = near.Write(lsptest.Frame(`{"jsonrpc":`)) }},
		{"the input is no message", func(near net.Conn, _ *server) { _, _ = near.Write([]byte("GET / HTTP/1.1\r\n\r\n")) }},
	} {
		m := newSlow()
		m.hold = make(chan struct{})
		near, far := net.Pipe()
		s := serveOver(t, far, lsp.Options{Measure: m.measure})
		e := lsptest.Connect(t, near)
		e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
		e.Start()
		e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
		<-m.started
		c.end(near, s)
		<-m.cancelled
		s.stays(t)
		close(m.hold)
		err := s.wait()
		if m.cleaned.Load() != 1 {
			t.Errorf("%s: Serve returned %v before the end of the measurement", c.how, err)
		}
		if clean := c.how == "the connection is closed"; clean != (err == nil) {
			t.Errorf("%s: Serve: %v", c.how, err)
		}
	}
}

// A client that closes the end it reads from is gone too, even if its other end stays
// open.
func TestClientStopsReading(t *testing.T) {
	m := newSlow()
	toServer, clientWrites := io.Pipe()
	clientReads, fromServer := io.Pipe()
	server := serveOver(t, struct {
		io.Reader
		io.WriteCloser
	}{toServer, fromServer}, lsp.Options{Measure: m.measure})
	e := lsptest.Connect(t, struct {
		io.Reader
		io.WriteCloser
	}{clientReads, clientWrites})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	e.Start()
	e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	<-m.started
	_ = clientReads.Close()
	e.Call("textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": "file:///x.go"}, "position": map[string]any{"line": 0, "character": 0},
	})
	server.wait()
	if m.cleaned.Load() != 1 {
		t.Error("the measurement goes on")
	}
}

// Calls before the end of the input are answered: a script writes all its calls at once and
// closes the pipe.
func TestPipedInput(t *testing.T) {
	toServer, clientWrites := io.Pipe()
	clientReads, fromServer := io.Pipe()
	s := serveOver(t, struct {
		io.Reader
		io.WriteCloser
	}{toServer, fromServer}, lspOptions(newLab(parkCosts)))
	e := lsptest.Connect(t, struct {
		io.Reader
		io.WriteCloser
	}{clientReads, clientWrites})
	var calls []*lsptest.Call
	calls = append(calls, e.Call("initialize", map[string]any{"capabilities": map[string]any{}}))
	for range 20 {
		calls = append(calls, e.Call("textDocument/hover", map[string]any{
			"textDocument": map[string]any{"uri": "file:///x.go"}, "position": map[string]any{"line": 0, "character": 0},
		}))
	}
	calls = append(calls, e.Call("shutdown", nil))
	_ = clientWrites.Close()
	for _, c := range calls {
		if result, err := c.Wait(); err != nil {
			t.Errorf("%s: %v", result, err)
		}
	}
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Two measurements at the same time would disturb each other: the second is refused while the
// first runs. A measurement after a cancelled one waits for the end of that.
func TestOneMeasurementAtATime(t *testing.T) {
	e, _, m, release, first := startHeld(t)
	_, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err == nil || err.Code != -32803 || !strings.Contains(err.Message, "already being measured") {
		t.Errorf("a second measurement: %v", err)
	}
	first.Cancel()
	if _, err := first.Wait(); err == nil {
		t.Error("the first measurement was not cancelled")
	}
	second := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	second.Cancel() // while it waits
	if _, err := second.Wait(); err == nil || err.Code != -32800 {
		t.Errorf("a measurement that is cancelled while it waits: %v", err)
	}
	third := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	e.Settle()
	if len(m.started) > 0 {
		t.Error("the third measurement began before the end of the first")
	}
	release()
	<-m.started
	if m.cleaned.Load() != 1 || m.most.Load() != 1 {
		t.Error("the third measurement did not wait for the end of the first")
	}
	third.Cancel()
}

// The counter of the whole machine would add up the measurements of two folders: the second
// is refused with the name of the first folder. A measurement after a cancelled one waits for
// the end of that.
func TestTwoFolders(t *testing.T) {
	other := module(t, map[string]string{"b.go": "package b"})
	var first string
	e, _, m, release, call := startHeld(t, func(e *lsptest.Editor) {
		first = e.Folders[0]
		e.Folders = append(e.Folders, other)
	})
	argument := map[string]any{"scope": "workspace", "uri": lsptest.URI(other)}
	_, err := e.Execute("spell-lsp.measure", argument).Wait()
	if err == nil || err.Code != -32803 || !strings.Contains(err.Message, first+" is already being measured") {
		t.Errorf("a second folder: %v", err)
	}
	result, err := e.Execute("spell-lsp.cancel", map[string]any{}).Wait()
	if err != nil || string(result) != `{"cancelled":1}` {
		t.Errorf("cancel: %s, %v", result, err)
	}
	result, err = e.Execute("spell-lsp.cancel", nil).Wait()
	if err != nil || string(result) != `{"cancelled":0}` {
		t.Errorf("cancel again: %s, %v", result, err)
	}
	if _, err := call.Wait(); err == nil {
		t.Error("the first measurement was not cancelled")
	}
	second := e.Execute("spell-lsp.measure", argument)
	e.Settle()
	if len(m.started) > 0 {
		t.Error("the second measurement began before the end of the first")
	}
	release()
	<-m.started
	if m.most.Load() != 1 {
		t.Error("the second measurement did not wait for the end of the first")
	}
	second.Cancel()
}

// If the client sends no progress token, the server creates one, and cancelling that progress
// cancels the measurement.
func TestCreatedProgress(t *testing.T) {
	m := newSlow()
	e, _ := serve(t, lsp.Options{Measure: m.measure})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
	e.Start()
	call := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
	<-m.started
	var created struct{ Token json.RawMessage }
	if err := json.Unmarshal(e.AwaitMessage("window/workDoneProgress/create", 1).Params, &created); err != nil {
		t.Fatal(err)
	}
	begin := string(e.AwaitMessage("$/progress", 1).Params)
	for _, want := range []string{`"kind":"begin"`, `"cancellable":true`, `"title":"Measuring energy"`, string(created.Token)} {
		if !strings.Contains(begin, want) {
			t.Errorf("the progress begins with %s, must have %s", begin, want)
		}
	}
	e.Notify("window/workDoneProgress/cancel", map[string]any{"token": created.Token})
	if _, err := call.Wait(); err == nil || err.Code != -32800 {
		t.Errorf("after the button: %v", err)
	}
}

// A measurement sends one begin, its steps in order, and one end, which says what the
// run is about.
// A step that follows another at once is not sent; the time between them is virtual. The
// client has no capabilities, so that the server calls no method of it: jsonrpc2 reuses
// channels of calls, which may belong to another bubble.
func TestProgress(t *testing.T) {
	for kind, plural := range map[spell.Kind]string{
		"": "functions", spell.KindFile: "files", spell.KindPackage: "packages", spell.KindType: "types and functions",
	} {
		want := regexp.MustCompile(`^begin , report building, end \S+ holds [0-9.]+ % of the [0-9.]+ J that all ` + plural + ` use in a round \(estimated, not measured\)\.$`)
		dir := module(t, maps.Clone(park))
		synctest.Test(t, func(t *testing.T) {
			l := newLab(parkCosts)
			l.kind = kind
			e, _ := serve(t, lspOptions(l))
			e.Folders = []string{dir}
			e.Capabilities = map[string]any{}
			e.Initialize()
			if _, err := e.ExecuteWithProgress(7, "spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait(); err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, m := range e.Messages("$/progress") {
				var p struct {
					Token int
					Value struct{ Kind, Message string }
				}
				if err := json.Unmarshal(m.Params, &p); err != nil || p.Token != 7 {
					t.Fatalf("%s: %v", m.Params, err)
				}
				kinds = append(kinds, p.Value.Kind+" "+p.Value.Message)
			}
			if got := strings.Join(kinds, ", "); !want.MatchString(got) {
				t.Errorf("progress by %s: %s", kind, got)
			}
		})
	}
}

// What a step says reaches the editor as it is. The percentage never falls: a measurement may
// turn out to need more rounds than were expected.
func TestProgressNeverFalls(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package a"})
	steps := []lsp.Progress{
		{Message: "building the tests", Fraction: -1},
		{Message: "round 2 of at most 30, about 77 s each, 4 min left", Fraction: 0.5},
		{Message: "round 3 of at most 30, about 77 s each, 6 min left", Fraction: 0.4},
		{Message: "round 4 of at most 30, about 77 s each, 2 min left", Fraction: 0.755},
	}
	synctest.Test(t, func(t *testing.T) {
		e, _ := serve(t, lsp.Options{Measure: func(_ context.Context, _ lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
			for _, s := range steps {
				progress(s)
				time.Sleep(7 * time.Second)
			}
			return nil, errors.New("that is all")
		}})
		e.Folders = []string{dir}
		e.Capabilities = map[string]any{}
		e.Initialize()
		e.ExecuteWithProgress(7, "spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
		var got []string
		for _, m := range e.Messages("$/progress") {
			var p struct {
				Value struct {
					Kind, Message string
					Percentage    int
				}
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			if p.Value.Kind == "report" {
				got = append(got, fmt.Sprintf("%s: %d %%", p.Value.Message, p.Value.Percentage))
			}
		}
		want := []string{steps[0].Message + ": 0 %", steps[1].Message + ": 50 %", steps[2].Message + ": 50 %", steps[3].Message + ": 75 %"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
	})
}

// Work that does not end when it is cancelled must not keep the server alive after its editor
// is gone; the error names the work. The time that the server waits is virtual. The test sends
// no "initialized", because the session would then watch files, which takes real time.
func TestWorkDoesNotEnd(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package a"})
	synctest.Test(t, func(t *testing.T) {
		release, started := make(chan struct{}), make(chan struct{})
		near, far := net.Pipe()
		s := serveOver(t, far, lsp.Options{Measure: func(context.Context, lsp.Request, func(lsp.Progress)) (*record.Run, error) {
			close(started)
			<-release
			return nil, errors.New("too late")
		}})
		e := lsptest.Connect(t, near)
		e.MustCall("initialize", map[string]any{"capabilities": map[string]any{}, "rootUri": lsptest.URI(dir)})
		e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
		<-started
		_ = near.Close()
		if err := s.wait(); err == nil || !strings.Contains(err.Error(), "did not end within 10s of being cancelled: the measurement") {
			t.Errorf("Serve: %v", err)
		}
		close(release)
	})
}

// Cancelling a call that was already answered, or a call that never was, does nothing. The
// first happens when a cancellation and an answer cross.
func TestCancelNothing(t *testing.T) {
	e, _, _ := openPark(t, newLab(parkCosts))
	for _, params := range []any{
		map[string]any{"id": 1}, map[string]any{"id": "no such"}, map[string]any{"id": 1 << 40}, map[string]any{"id": 1.5},
		map[string]any{"id": nil}, map[string]any{}, []any{}, nil,
	} {
		e.Notify("$/cancelRequest", params)
	}
	e.Notify("window/workDoneProgress/cancel", map[string]any{"token": "none"})
	e.Notify("window/workDoneProgress/cancel", nil)
	measure(t, e)
}
