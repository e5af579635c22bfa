package frame

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// Why: start-up files of shells print, with and without an end of line, and a message of the day may
// be long. None of that may keep the line from being found, and what never ends must be given up.
func TestJunkBeforeTheLine(t *testing.T) {
	for name, c := range map[string]struct{ sent, rest, want string }{
		"nothing":            {sent: greeting + "\nM", rest: "M"},
		"lines":              {sent: "Welcome!\r\n\nLast login: now\n" + greeting + "\nM", rest: "M"},
		"an unfinished line": {sent: "no end" + greeting + "\nM", rest: "M"},
		"an end as Windows":  {sent: greeting + "\r\nM", rest: "M"},
		"63 KiB":             {sent: strings.Repeat("x", 63<<10) + greeting + "\nM", rest: "M"},
		"64 KiB of a line":   {sent: strings.Repeat("x", 64<<10) + greeting + "\nM", want: "more than 64 KiB before"},
		"64 KiB of lines":    {sent: strings.Repeat("x\n", 32<<10) + greeting + "\nM", want: "more than 64 KiB before"},
		"only that":          {sent: "Account expired.\n", want: `the target's shell printed "Account expired." before the end`},
		"an end at once":     {sent: "", want: "spell-lsp did not answer: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			r := bufio.NewReader(strings.NewReader(c.sent))
			err := awaitGreeting(r)
			if c.want == "" {
				if rest, _ := io.ReadAll(r); err != nil || string(rest) != c.rest {
					t.Errorf("%v; %q follows", err, rest)
				}
				return
			}
			var junk *JunkError
			if !errors.As(err, &junk) || !strings.Contains(err.Error(), c.want) || len(junk.Junk) > maxJunk || len(err.Error()) > 1000 {
				t.Errorf("%v, with %d bytes; want %s", err, len(junk.Junk), c.want)
			}
		})
	}
}

// Why: the other side's bytes are the one input that this side does not control. Whatever they are,
// a frame that is accepted is one that this package could have written.
func FuzzDecode(f *testing.F) {
	f.Add(encode(message, []byte(`{"type":"hello"}`)))
	f.Add(append(encode(heartbeat), encodeCount(7)...))
	f.Add(encode(blob, make([]byte, blobHead), []byte("content")))
	f.Add([]byte("M\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := bytes.NewReader(sent)
		for {
			at := len(sent) - r.Len()
			kind, payload, err := decode(r)
			if err != nil {
				return
			}
			if again := encode(kind, payload); !bytes.Equal(again, sent[at:len(sent)-r.Len()]) {
				t.Fatalf("%q became %q", sent[at:], again)
			}
			check(t, kind, payload)
		}
	})
}

func check(t *testing.T, kind byte, payload []byte) {
	switch kind {
	case message:
		if m, err := decodeMessage(payload); err == nil && (m.Type == "" || m.Chunk != nil || m.size != headSize+len(payload)) {
			t.Fatalf("%q is the message %+v", payload, m)
		}
	case blob:
		c, err := decodeChunk(payload)
		if err == nil && (c.Chunk == nil || len(c.Chunk.Data) > chunkSize || c.Chunk.End && c.Chunk.Abandoned != "") {
			t.Fatalf("%q is the chunk %+v", payload, c.Chunk)
		}
	case acknowledgement:
		if n, err := decodeCount(payload); err == nil && n < 0 {
			t.Fatalf("%q acknowledges %d", payload, n)
		}
	}
}

// Why: a whole connection that is fed with anything must end with an error, and never hang or panic.
func FuzzConn(f *testing.F) {
	f.Add([]byte(greeting + "\nM\x00\x00\x00\x0c{\"type\":\"a\"}H\x00\x00\x00\x00"))
	f.Add([]byte("motd\n" + greeting + "\nB"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := New(bytes.NewReader(sent), io.Discard)
		defer c.Close()
		for {
			received, err := c.Receive(t.Context())
			if err != nil {
				return
			}
			if (received.Type == "") == (received.Chunk == nil) {
				t.Fatalf("it is both or neither: %+v", received)
			}
		}
	})
}
