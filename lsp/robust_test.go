package lsp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/text"
)

// alive fails the test unless the server answers a hover correctly.
func alive(t *testing.T, e *lsptest.Editor, parkGo, after string) {
	t.Helper()
	if h := e.Hover(parkGo, "sortÄ"); h == nil || !strings.Contains(h.Contents.Value, "psi") {
		t.Errorf("after %.200s: the hover is %+v", after, h)
	}
}

// Parameters that no method accepts, and some that are nearly valid.
var oddParams = []string{
	``, `null`, `[]`, `{}`, `1`, `"x"`, `true`, `[null]`, `[[[]]]`, `[{}]`, `{"":""}`,
	`{"textDocument":null}`, `{"textDocument":[]}`, `{"textDocument":"file:///x.go"}`, `{"textDocument":{}}`, `{"textDocument":{"uri":1}}`,
	`{"textDocument":{"uri":""}}`, `{"textDocument":{"uri":"%zz"},"position":{"line":0,"character":0}}`,
	`{"textDocument":{"uri":"file:///none.go"}}`, `{"textDocument":{"uri":"untitled:Untitled-1"},"position":{"line":0,"character":0}}`,
	`{"textDocument":{"uri":"file:///none.go"},"position":null}`, `{"textDocument":{"uri":"file:///none.go"},"position":{"line":"1"}}`,
	`{"textDocument":{"uri":"PARK"},"position":{"line":-1,"character":0}}`, `{"textDocument":{"uri":"PARK"},"position":{"line":1e99,"character":0}}`,
	`{"textDocument":{"uri":"PARK"},"position":{"line":4294967295,"character":4294967295}}`,
	`{"textDocument":{"uri":"PARK"},"position":{"line":4,"character":4294967295}}`, `{"textDocument":{"uri":"PARK"},"position":{"line":0.5,"character":0}}`,
	`{"textDocument":{"uri":"PARK"},"range":{"start":{"line":9,"character":9},"end":{"line":1,"character":1}},"context":{"diagnostics":[]}}`,
	`{"textDocument":{"uri":"PARK"},"range":{"start":{"line":0,"character":0},"end":{"line":4294967295,"character":4294967295}},"context":{"diagnostics":null}}`,
	`{"textDocument":{"uri":"PARK"},"range":null,"context":null}`,
	`{"textDocument":{"uri":"PARK","version":null},"contentChanges":null}`, `{"textDocument":{"uri":"PARK","version":-5},"contentChanges":[]}`,
	`{"textDocument":{"uri":"PARK","version":"2"},"contentChanges":[{"text":"x"}]}`, `{"textDocument":{"uri":"PARK","version":1e12},"contentChanges":[{"text":"x"}]}`,
	`{"textDocument":{"uri":"PARK","version":3},"contentChanges":[null]}`, `{"textDocument":{"uri":"PARK","version":3},"contentChanges":[{}]}`,
	`{"textDocument":{"uri":"PARK","version":3},"contentChanges":[{"text":null}]}`, `{"textDocument":{"uri":"PARK","version":3},"contentChanges":[{"text":7}]}`,
	`{"textDocument":{"uri":"PARK","version":3},"contentChanges":{"text":"x"}}`,
	`{"textDocument":{"uri":"PARK","version":3},"contentChanges":[{"range":{"start":{"line":5,"character":0},"end":{"line":4,"character":0}},"text":"x"}]}`,
	`{"textDocument":{"uri":"PARK","version":3},"contentChanges":[{"range":{"start":{"line":-5,"character":0},"end":{"line":4,"character":0}},"text":"x"}]}`,
	`{"textDocument":{"uri":"PARK","version":3},"contentChanges":[{"range":[],"text":"x"}]}`,
	`{"textDocument":{"uri":"file:///none.go","languageId":"go","version":1,"text":null}}`, `{"textDocument":{"uri":"file:///none.go","text":[]}}`,
	`{"textDocument":{"uri":"http://example.com/x.go","languageId":"go","version":1,"text":"package x"}}`,
	`{"command":null}`, `{"command":1,"arguments":[]}`, `{"command":"no.such"}`, `{"command":"spell-lsp.ranking","arguments":{}}`,
	`{"command":"spell-lsp.ranking","arguments":[{},{}]}`, `{"command":"spell-lsp.ranking","arguments":[[]]}`, `{"command":"spell-lsp.ranking","arguments":[{"top":-1}]}`,
	`{"command":"spell-lsp.ranking","arguments":[{"top":1e99}]}`, `{"command":"spell-lsp.ranking","arguments":[{"uri":"%zz"}]}`, `{"command":"spell-lsp.ranking","arguments":[null]}`,
	`{"command":"spell-lsp.measure","arguments":[{"scope":"galaxy"}]}`, `{"command":"spell-lsp.measure","arguments":[{"scope":"file","uri":"file:///"}]}`,
	`{"command":"spell-lsp.measure","arguments":[{"scope":"workspace","rounds":-1}]}`, `{"command":"spell-lsp.measure","arguments":[{"scope":"workspace","mode":"x"}]}`,
	`{"command":"spell-lsp.ranking","workDoneToken":{}}`, `{"command":"spell-lsp.ranking","workDoneToken":1.5}`, `{"command":"spell-lsp.doctor","arguments":[{"a":1}]}`,
	`{"command":"spell-lsp.load","arguments":[{"path":7}]}`, `{"command":"spell-lsp.load","arguments":[{"path":"/no/such/file"}]}`,
	`{"command":"spell-lsp.report","arguments":[{"format":"no/such"}]}`, `{"command":"spell-lsp.drillDown","arguments":[{"id":""}]}`,
	`{"token":{}}`, `{"token":null}`, `{"token":"none"}`, `{"token":1e99}`, `{"id":{}}`, `{"id":1e99}`, `{"id":-1}`, `{"id":null}`, `{"value":"verbose"}`, `{"value":7}`,
	`{"changes":null}`, `{"changes":[null]}`, `{"changes":[{"uri":1}]}`, `{"changes":[{"uri":"%zz","type":9}]}`, `{"changes":[{"uri":"file:///none.go","type":-1}]}`,
	`{"event":null}`, `{"event":{"added":[null],"removed":[{}]}}`, `{"event":{"added":[{"uri":"git:/x","name":"x"}],"removed":null}}`, `{"event":{"added":7}}`,
	`{"settings":[]}`, `{"settings":null}`, `{"settings":{"spell":7}}`, `{"settings":{"spell":{"no such":1}}}`, `{"settings":"x"}`,
	`{"capabilities":7}`, `{"capabilities":{},"rootUri":7}`, `{"processId":"x"}`,
	strings.Repeat("[", 5000) + strings.Repeat("]", 5000), `{"a":` + strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5001),
	`{"textDocument":{"uri":"` + strings.Repeat("x", 1<<20) + `"}}`, `{"\ud800":"\udfff"}`, "{\"textDocument\":{\"uri\":\"file:///\xff\xfe.go\"}}",
}

// Every method is called, and sent as a notification, with bad parameters. Each call gets one
// answer, and the session goes on.
func TestOddParams(t *testing.T) {
	l := newLab(parkCosts)
	e, s, parkGo := openPark(t, l, func(e *lsptest.Editor) { e.Capabilities = map[string]any{} })
	go func() {
		for range l.requests { // some of the calls are valid measurements
		}
	}()
	measure(t, e)
	notices := slices.Concat(lsp.Notifications(), []string{"$/setTrace", "$/logTrace", "$/no/such", "no/such", "", "textDocument/hover", "initialize"})
	methods := slices.Concat(lsp.Methods(), lsp.Notifications(), []string{"no/such", "", "$/no/such", "exit ", "\x00"})
	for i, odd := range oddParams {
		params := ""
		if odd != "" {
			params = `,"params":` + strings.ReplaceAll(odd, "PARK", lsptest.URI(parkGo))
		}
		for _, method := range notices {
			e.Raw(lsptest.Frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q%s}`, method, params)))
		}
		for _, method := range methods {
			if method == "shutdown" {
				continue
			}
			var raw any
			if odd != "" && json.Valid([]byte(odd)) {
				raw = json.RawMessage(params[len(`,"params":`):])
			}
			e.Call(method, raw).Wait() // any answer will do
		}
		// Some of these notifications are valid edits for the server.
		e.Close(parkGo)
		e.Open(parkGo)
		alive(t, e, parkGo, fmt.Sprintf("parameters %d: %s", i, odd))
	}
	e.Quit()
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Messages may be well-formed and make no sense. The server must answer the next call all the
// same.
func TestOddMessages(t *testing.T) {
	e, s, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	hover := `"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x.go"},"position":{"line":0,"character":0}}`
	for _, c := range []struct {
		message string
		answers int // errors; -1 if it does not matter
	}{
		{`{"jsonrpc":"2.0","id":0,"result":{}}`, 0},
		{`{"jsonrpc":"2.0","id":-1,"result":null}`, 0},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the client could not parse this"}}`, 0},
		{`{"jsonrpc":"2.0","id":null,"result":1}`, 0},
		{`{"jsonrpc":"2.0","id":1,"error":7}`, 0},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`, 0},
		{`{"jsonrpc":"2.0","id":99999999999999999999999,"result":1}`, 0},
		{`{"jsonrpc":"2.0","id":99999999999999999999999,` + hover + `}`, 1},
		{`{"jsonrpc":"2.0","id":1e400,` + hover + `}`, 1},
		{`{"jsonrpc":"2.0","id":[1],` + hover + `}`, 1},
		{`{"jsonrpc":"2.0","id":true,` + hover + `}`, 1},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 1<<16) + `","method":"no/such"}`, 1},
		{`{"jsonrpc":2.0,"id":"a",` + hover + `}`, 1},
		{`{"jsonrpc":"2.0","id":"b","method":null}`, 1},
		{`{"jsonrpc":"2.0","id":"c","method":["textDocument/hover"]}`, 1},
		{`[]`, 1}, {`[1,2,3]`, 1}, {`[{"jsonrpc":"2.0","id":1,` + hover + `},{"jsonrpc":"2.0","id":2,` + hover + `}]`, 1},
		{`"` + strings.Repeat("x", 1<<16) + `"`, 1}, {`0`, 1}, {`false`, 1},
		{`{"jsonrpc":"2.0","id":"d","method":"shut` + strings.Repeat("x", 1<<16) + `"}`, 1},
		{`{"jsonrpc":"2.0","id":"e","id":"f","method":"no/such"}`, 1},
		{`{"jsonrpc":"2.0","method":"\ud800"}`, 0},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"no/\xff\"}", -1},
		{`{"jsonrpc":"2.0","id":"escaped","method":"textDocument\/hover","params":7}`, 1},
		{strings.Repeat("[", 9000) + strings.Repeat("]", 9000), 1},
	} {
		before := len(e.Messages("error"))
		e.Raw(lsptest.Frame(c.message))
		if c.answers > 0 {
			e.AwaitMessage("error", before+c.answers)
		}
		if c.answers < 0 {
			e.Settle()
			continue
		}
		alive(t, e, parkGo, c.message)
		if after := len(e.Messages("error")); after != before+c.answers {
			t.Errorf("%.200s: answered %d times, must be %d", c.message, after-before, c.answers)
		}
	}
	e.Quit()
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A client that uses the same id for two concurrent calls gets two answers, and its cancellation
// ends at least one of them.
func TestSameID(t *testing.T) {
	m := newSlow()
	in, client := io.Pipe()
	answers, out := io.Pipe()
	s := serveOver(t, struct {
		io.Reader
		io.Writer
		io.Closer
	}{in, out, out}, lsp.Options{Measure: m.measure})
	answered := make(chan string, 10)
	go func() {
		defer close(answered)
		r := bufio.NewReader(answers)
		for frame, err := lsptest.ReadFrame(r); err == nil; frame, err = lsptest.ReadFrame(r) {
			if bytes.Contains(frame, []byte(`"id":7`)) {
				answered <- string(frame)
			}
		}
	}()
	say := func(message string) {
		if _, err := client.Write(lsptest.Frame(message)); err != nil {
			t.Fatal(err)
		}
	}
	dir := module(t, map[string]string{"a.go": "package a"})
	say(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"rootUri":%q,"capabilities":{}}}`, lsptest.URI(dir)))
	say(`{"jsonrpc":"2.0","method":"initialized"}`)
	say(`{"jsonrpc":"2.0","id":7,"method":"workspace/executeCommand","params":{"command":"spell-lsp.measure","arguments":[{"scope":"workspace"}]}}`)
	<-m.started
	say(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x.go"},"position":{"line":0,"character":0}}}`)
	say(`{"jsonrpc":"2.0","id":7,"method":"workspace/executeCommand","params":{"command":"spell-lsp.measure","arguments":[{"scope":"workspace"}]}}`)
	for range 3 { // all but the measurement
		<-answered
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	var more []string
	for frame := range answered {
		more = append(more, frame)
	}
	if m.cleaned.Load() != 1 || len(more) != 1 {
		t.Errorf("%d measurements ended; after the end of the input came %q", m.cleaned.Load(), more)
	}
}

// After a bad header the input cannot be read: the server must end, with all its work, and must
// not allocate the length that the header announces.
func TestBadHeaders(t *testing.T) {
	body := `{"jsonrpc":"2.0","method":"exit"}`
	for _, header := range []string{
		"\r\n\r\n", "\n", "junk\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "Content-Type: x\r\n\r\n" + body, "Content-Length\r\n\r\n" + body,
		"Content-Length: \r\n\r\n" + body, "Content-Length: -1\r\n\r\n" + body, "Content-Length: 0\r\n\r\n" + body, "Content-Length: +34\r\n\r\n" + body,
		"Content-Length: 0x22\r\n\r\n" + body, "Content-Length: 34.0\r\n\r\n" + body, "Content-Length: 1e2\r\n\r\n" + body, "Content-Length: 34, 34\r\n\r\n" + body,
		"Content-Length: 2147483648\r\n\r\n" + body, "Content-Length: 9223372036854775808\r\n\r\n" + body,
		"Content-Length: 99999999999999999999999999\r\n\r\n" + body, "Content-Length: 34\r\nContent-Length: 34\r\n\r\n" + body,
		"Content-Length: ٣٤\r\n\r\n" + body, "\xff\xfe: 1\r\n\r\n" + body, "\x00\x00\x00\r\n\r\n" + body,
		"X: " + strings.Repeat("x", 1<<20) + "\r\nContent-Length: 34\r\n\r\n" + body, strings.Repeat("X: x\r\n", 1<<16) + "\r\n" + body,
		strings.Repeat("x", 1<<20), "Content-Length: 20\r\n\r\n" + body + body, // the second body has no header
		string(lsptest.Frame(`{"jsonrpc":`)), string(lsptest.Frame("\xff")), string(lsptest.Frame("\x00")), string(lsptest.Frame(" ")),
		string(lsptest.Frame(strings.Repeat("[", 1<<20))), string(lsptest.Frame(`{"jsonrpc":"2.0","method":"exit"}{}`)),
	} {
		m := newSlow()
		e, s := serve(t, lsp.Options{Measure: m.measure})
		e.Folders = []string{module(t, map[string]string{"a.go": "package a"})}
		e.Start()
		e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"})
		<-m.started
		sent := make(chan struct{})
		go func() { // the server stops reading at the bad header
			defer close(sent)
			e.Raw([]byte(header))
		}()
		e.Gone()
		<-sent
		if err := s.wait(); err == nil {
			t.Errorf("%.60q: Serve returned nil", header)
		}
		if m.cleaned.Load() != 1 {
			t.Errorf("%.60q: the measurement is still running", header)
		}
	}
}

// The server allocates memory for bytes that have arrived, not for the length in the header.
func TestPromisedLength(t *testing.T) {
	near, stop := io.Pipe()
	s := serveOver(t, struct {
		io.Reader
		io.Writer
		io.Closer
	}{near, io.Discard, near}, lsp.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := stop.Write([]byte("Content-Length: 1073741824\r\n\r\n{")); err != nil {
		t.Fatal(err)
	}
	if err := stop.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.wait(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Serve: %v", err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 100<<20 {
		t.Errorf("%d MiB were taken", grown>>20)
	}
}

// The functions in Options may panic. The call is answered with an error, and the session goes
// on.
func TestPanicsOfOptions(t *testing.T) {
	var why string // keeps the text of the panic from being a constant
	boom := func() { panic(fmt.Sprintf("boom %s", why)) }
	e, s := serve(t, lsp.Options{
		Measure: func(_ context.Context, _ lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
			progress(lsp.Progress{Message: "soon", Fraction: 0.5})
			boom()
			return nil, nil //nolint:nilnil // it is never reached
		},
		Doctor: func(context.Context, settings.Settings) string { boom(); return "" },
		Load:   func(string, settings.Settings) (*record.Run, error) { boom(); return nil, nil }, //nolint:nilnil // it is never reached
		Report: map[string]lsp.Reporter{"html": func(io.Writer, *record.Run, *comparison.Comparison, text.Source) error { boom(); return nil }},
	})
	dir := module(t, map[string]string{"a.go": "package a"})
	e.Folders = []string{dir}
	e.Start()
	for command, argument := range map[string]any{
		"spell-lsp.measure": map[string]any{"scope": "workspace"}, "spell-lsp.doctor": map[string]any{},
		"spell-lsp.load": map[string]any{"path": dir + "/a.go"}, "spell-lsp.report": map[string]any{"format": "html"},
	} {
		for range 3 {
			if _, err := e.Execute(command, argument).Wait(); err == nil {
				t.Errorf("%s: there is no error", command)
			}
		}
	}
	e.Quit()
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// aSession returns all bytes that a client writes in a session.
func aSession(dir string) []byte {
	var b bytes.Buffer
	file := lsptest.URI(dir + "/park.go")
	text, _ := json.Marshal(park["park.go"]) // a string: it cannot fail
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":"` + lsptest.URI(dir) + `","capabilities":{"window":{"workDoneProgress":true}}}}`,
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"` + file + `","languageId":"go","version":1,"text":` + string(text) + `}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"spell-lsp.measure","arguments":[{"scope":"workspace"}],"workDoneToken":7}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"` + file + `","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"// 🚗\n"}]}}`,
		`{"jsonrpc":"2.0","id":"3","method":"textDocument/codeLens","params":{"textDocument":{"uri":"` + file + `"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"textDocument/hover","params":{"textDocument":{"uri":"` + file + `"},"position":{"line":10,"character":6}}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`,
		`{"jsonrpc":"2.0","id":5,"method":"workspace/executeCommand","params":{"command":"spell-lsp.ranking"}}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":6,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		b.Write(lsptest.Frame(message))
	}
	return b.Bytes()
}

// play sends a server some input and closes the stream. It returns the error of Serve, and
// whether all measurements had ended by then.
func play(t testing.TB, input []byte, measure lsp.Measure) (quiet bool, err error) {
	t.Helper()
	var running atomic.Int32
	o := lsp.Options{
		Measure: func(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
			running.Add(1)
			defer running.Add(-1)
			return measure(ctx, r, progress)
		},
		Doctor: func(context.Context, settings.Settings) string { return "no meter" },
	}
	ended := make(chan error, 1)
	go func() {
		ended <- lsp.Serve(context.Background(), struct {
			io.Reader
			io.Writer
			io.Closer
		}{bytes.NewReader(input), io.Discard, io.NopCloser(nil)}, o)
	}()
	select {
	case err := <-ended:
		return running.Load() == 0, err
	case <-time.After(hang):
		t.Fatalf("Serve does not return after\n%q", input)
		return false, nil
	}
}

// A client can die after any byte. The server must end, and leave no goroutine and no
// measurement behind.
func TestClientDiesAnywhere(t *testing.T) {
	dir := module(t, map[string]string{"park.go": park["park.go"], "car.go": park["car.go"]})
	input := aSession(dir)
	before := runtime.NumGoroutine()
	for end := 0; end <= len(input); end += 1 + end%5 {
		l := newLab(parkCosts)
		l.release = make(chan struct{}) // it ends when it is cancelled
		if end%2 == 0 {
			l.release = nil
		}
		quiet, err := play(t, input[:end], l.measure)
		if !quiet {
			t.Errorf("after %d bytes: a measurement is still running", end)
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("after %d bytes: %v", end, err)
		}
	}
	settled(t, before)
}

// settled waits until there are at most as many goroutines as before.
func settled(t testing.TB, before int) {
	t.Helper()
	for end := time.Now().Add(hang); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	stacks := make([]byte, 1<<20)
	t.Fatalf("%d goroutines, before there were %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}
