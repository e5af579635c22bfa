package lsp_test

import (
	"bytes"
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
)

// FuzzServe sends a server the messages of a broken client. The input is split into messages
// at zero bytes; a part that begins with the byte 1 is sent without a header. The server must
// not panic, must not hang, and must leave nothing behind.
func FuzzServe(f *testing.F) {
	dir := module(f, map[string]string{"park.go": park["park.go"], "car.go": park["car.go"]})
	var messages []string
	for part := range strings.SplitSeq(string(aSession("/DIR")), "Content-Length: ") {
		if _, body, ok := strings.Cut(part, "\r\n\r\n"); ok {
			messages = append(messages, body)
		}
	}
	f.Add([]byte("\x01" + string(lsptest.Frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`))))
	start := strings.Join(messages[:3], "\x00")
	f.Add([]byte(strings.Join(messages, "\x00")))
	f.Add([]byte(start + "\x00" + messages[3] + "\x00" + messages[7]))
	for _, command := range []string{"measure", "cancel", "clear", "ranking", "doctor", "setBaseline", "compare", "drillDown", "load", "report"} {
		f.Add([]byte(start + "\x00" + `{"jsonrpc":"2.0","id":9,"method":"workspace/executeCommand","params":{"command":"spell-lsp.` + command + `","arguments":[{}]}}`))
	}
	for _, odd := range oddParams {
		if len(odd) < 1000 {
			f.Add([]byte(start + "\x00" + `{"jsonrpc":"2.0","id":8,"method":"textDocument/hover","params":` + odd + `}`))
		}
	}
	f.Add([]byte(start + "\x00\x01Content-Length: 1073741824\r\n\r\n{"))
	f.Fuzz(func(t *testing.T, input []byte) {
		input = bytes.ReplaceAll(input, []byte("/DIR"), []byte(filepath.ToSlash(dir)))
		var stream bytes.Buffer
		for part := range bytes.SplitSeq(input, []byte{0}) {
			if raw, ok := bytes.CutPrefix(part, []byte{1}); ok {
				stream.Write(raw)
			} else {
				stream.Write(lsptest.Frame(string(part)))
			}
		}
		before := runtime.NumGoroutine()
		l := newLab(parkCosts)
		quiet, _ := play(t, stream.Bytes(), func(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
			r.Dir = dir // the input could name a whole disk
			return l.measure(ctx, r, progress)
		})
		if !quiet {
			t.Error("a measurement is still running")
		}
		settled(t, before)
	})
}
