package frame

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

type note struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// pair makes both sides of a connection.
func pair(t *testing.T) (a, b *Conn) {
	t.Helper()
	ar, bw := io.Pipe()
	br, aw := io.Pipe()
	a, b = New(ar, aw), New(br, bw)
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// raw makes one side of a connection; the test is the other one, and has read its first line.
func raw(t *testing.T) (c *Conn, in *io.PipeWriter, out *io.PipeReader) {
	t.Helper()
	cr, in := io.Pipe()
	out, cw := io.Pipe()
	c = New(cr, cw)
	t.Cleanup(func() { in.Close(); out.Close(); c.Close() })
	line := make([]byte, len(greeting)+1)
	if _, err := io.ReadFull(out, line); err != nil || string(line) != greeting+"\n" {
		t.Fatalf("it begins with %q (%v)", line, err)
	}
	return c, in, out
}

func content(size int) ([]byte, Hash) {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	return data, sha256.Sum256(data)
}

// Why: a measurement's messages come while files are sent, and several files at once: each file must
// arrive whole, whatever comes between its chunks, and an empty one too.
func TestMessagesAndBlobsShareAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pair(t)
		sizes := []int{0, 1, chunkSize, chunkSize + 1, 5 << 20}
		var senders sync.WaitGroup
		want := make(map[Hash][]byte)
		for _, size := range sizes {
			data, hash := content(size)
			want[hash] = data
			senders.Go(func() {
				n, err := a.SendBlob(t.Context(), hash, iotest.HalfReader(bytes.NewReader(data)))
				if err != nil || n != int64(size) {
					t.Errorf("sending %d bytes: %d, %v", size, n, err)
				}
			})
		}
		const messages = 50
		senders.Go(func() {
			for i := range messages {
				if err := a.Send(t.Context(), note{"note", fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			}
		})
		got, ended, seen := make(map[Hash][]byte), 0, 0
		for ended < len(sizes) || seen < messages {
			f, err := b.Receive(t.Context())
			switch {
			case err != nil:
				t.Fatal(err)
			case f.Chunk == nil:
				if text := fmt.Sprintf(`{"type":"note","text":"%d"}`, seen); f.Type != "note" || string(f.Message) != text {
					t.Fatalf("message %d is %s %s", seen, f.Type, f.Message)
				}
				seen++
			default:
				got[f.Chunk.Hash] = append(got[f.Chunk.Hash], f.Chunk.Data...)
				if f.Chunk.End {
					ended++
				}
			}
		}
		senders.Wait()
		for hash, data := range want {
			if !bytes.Equal(got[hash], data) {
				t.Errorf("of %d bytes came %d, or others", len(data), len(got[hash]))
			}
		}
	})
}

// Why: a measurement may be silent for an hour. Heartbeats must keep the connection.
func TestAnIdleConnectionLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pair(t)
		time.Sleep(time.Hour)
		if a.Err() != nil || b.Err() != nil {
			t.Fatalf("after an hour: %v, %v", a.Err(), b.Err())
		}
	})
}

// Why: a cut line says nothing. What runs there must be ended, so silence must be noticed after 3 s
// and not earlier.
func TestSilenceIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, out := raw(t)
		go io.Copy(io.Discard, out)
		io.WriteString(in, greeting+"\n")
		time.Sleep(2900 * time.Millisecond)
		in.Write(encode(heartbeat)[:1]) // any byte counts
		last := time.Now()
		_, err := c.Receive(t.Context())
		if passed := time.Since(last); !errors.Is(err, ErrSilent) || passed != Silence {
			t.Errorf("after %v: %v", passed, err)
		}
	})
}

// Why: a target that starts slowly is not lost; one that never answers must not be waited for.
func TestTheFirstLineMayTakeHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, out := raw(t)
		go io.Copy(io.Discard, out)
		start := time.Now()
		in.Write([]byte("starting")) // what comes before the line does not count as life
		err := c.Ready(t.Context())
		if passed := time.Since(start); !errors.Is(err, ErrSilent) || passed != Patience {
			t.Errorf("after %v: %v", passed, err)
		}
	})
}

// Why: who consumes may be busy for minutes. Then the sender of a large file must wait, with little
// on the way, and neither side may take the other for dead.
func TestASlowConsumerBlocksTheSenderAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pair(t)
		data, hash := content(3 * window)
		sent := make(chan error, 1)
		go func() {
			_, err := a.SendBlob(t.Context(), hash, bytes.NewReader(data))
			sent <- err
		}()
		time.Sleep(10 * time.Minute)
		if a.Err() != nil || b.Err() != nil || len(sent) != 0 || b.held > window {
			t.Fatalf("%v, %v; sending has ended: %v; %d bytes wait", a.Err(), b.Err(), len(sent) != 0, b.held)
		}
		if err := b.Send(t.Context(), note{Type: "still here"}); err != nil {
			t.Fatal(err)
		}
		if f, err := a.Receive(t.Context()); err != nil || f.Type != "still here" {
			t.Fatalf("the other direction: %v, %v", f, err)
		}
		var got []byte
		for f, err := b.Receive(t.Context()); ; f, err = b.Receive(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, f.Chunk.Data...); f.Chunk.End {
				break
			}
		}
		if err := <-sent; err != nil || !bytes.Equal(got, data) {
			t.Errorf("%v; %d bytes of %d", err, len(got), len(data))
		}
	})
}

// A slowLine passes so many bytes a second.
type slowLine struct {
	w         io.WriteCloser
	perSecond int
	seen      *bytes.Buffer
}

func (l slowLine) Write(p []byte) (int, error) {
	const piece = 1000
	for rest := p; len(rest) > 0; {
		n := min(piece, len(rest))
		time.Sleep(time.Duration(n) * time.Second / time.Duration(l.perSecond))
		if _, err := l.w.Write(rest[:n]); err != nil {
			return 0, err
		}
		l.seen.Write(rest[:n])
		rest = rest[n:]
	}
	return len(p), nil
}

func (l slowLine) Close() error { return l.w.Close() }

// Why: on a line of 20 KB a second a chunk takes 13 s. The other side must not call that silence,
// heartbeats must pass between the chunks, and a cancelled sender must not wait for the line.
func TestASlowLineIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ar, bw := io.Pipe()
		br, aw := io.Pipe()
		line := slowLine{aw, 20_000, new(bytes.Buffer)}
		a, b := New(ar, line), New(br, bw)
		defer b.Close()
		data, hash := content(2 << 20)
		go func() {
			for {
				if _, err := b.Receive(t.Context()); err != nil {
					return
				}
			}
		}()
		if _, err := a.SendBlob(t.Context(), hash, bytes.NewReader(data)); err != nil || a.Err() != nil || b.Err() != nil {
			t.Fatalf("%v, %v, %v", err, a.Err(), b.Err())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := a.SendBlob(ctx, hash, bytes.NewReader(data)); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("a cancelled sender: %v after %v", err, time.Since(start))
		}
		a.Close()
		<-a.written
		beats := 0
		for r := bytes.NewReader(line.seen.Bytes()[len(greeting)+1:]); ; {
			kind, _, err := decode(r)
			if err != nil {
				break
			}
			if kind == heartbeat {
				beats++
			}
		}
		if beats < 6 {
			t.Errorf("%d heartbeats between 8 chunks", beats)
		}
	})
}

// Why: an end in order, an end within a frame and a target that prints rubbish have different
// causes. Frames that came before the end must not be lost.
func TestTheEndOfAStream(t *testing.T) {
	hello := encode(message, []byte(`{"type":"hello"}`))
	for name, c := range map[string]struct {
		sent string
		want error
	}{
		"in order":       {string(hello), io.EOF},
		"within a frame": {string(hello) + "M\x00\x00", io.ErrUnexpectedEOF},
		"within content": {string(hello) + "M\x00\x00\x00\x09{", io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			conn, in, out := raw(t)
			go io.Copy(io.Discard, out)
			io.WriteString(in, greeting+"\n"+c.sent)
			in.Close()
			<-conn.Done()
			if f, err := conn.Receive(t.Context()); err != nil || f.Type != "hello" {
				t.Errorf("first: %v, %v", f, err)
			}
			if _, err := conn.Receive(t.Context()); !errors.Is(err, c.want) || errors.Is(err, io.EOF) != (c.want == io.EOF) { //nolint:errorlint // which of both
				t.Errorf("then: %v, want %v", err, c.want)
			}
			if err := conn.Send(t.Context(), note{Type: "late"}); !errors.Is(err, c.want) {
				t.Errorf("sending: %v", err)
			}
		})
	}
}

// Why: the other side may be another release, or no spell-lsp at all: it must be refused with a
// reason, and may not make this side allocate what it announces.
func TestViolationsAreNamed(t *testing.T) {
	var hash [32]byte
	for name, c := range map[string]struct{ sent, want string }{
		"another version":         {"spell-lsp remote 2\n", `it speaks version "2" and this side 1`},
		"an unknown kind":         {greeting + "\nX\x00\x00\x00\x00", `unknown kind 'X'`},
		"an unknown long kind":    {greeting + "\nX\x00\x00\x00\x01", `a frame of kind 'X' with 1 bytes, more than 0`},
		"a message over 16 MiB":   {greeting + "\nM\x01\x00\x00\x01", "16777217 bytes, more than 16777216"},
		"a long chunk":            {greeting + "\nB\x00\x10\x00\x00", "1048576 bytes, more than 262177"},
		"a short chunk":           {greeting + "\n" + string(encode(blob, hash[:])), "a chunk of 32 bytes"},
		"a flag":                  {greeting + "\n" + string(encode(blob, hash[:], []byte{9})), "a chunk with the flag 9"},
		"a short acknowledgement": {greeting + "\nA\x00\x00\x00\x01a", "an acknowledgement of 1 bytes"},
		"an early one":            {greeting + "\n" + string(encodeCount(1)), "it acknowledged 1 bytes, and 0 were sent"},
		"a list":                  {greeting + "\n" + string(encode(message, []byte("[]"))), "a message that is no JSON object"},
		"no type":                 {greeting + "\n" + string(encode(message, []byte("{}"))), "a message without a type"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, in, out := raw(t)
			go io.Copy(io.Discard, out)
			go io.WriteString(in, c.sent)
			_, err := conn.Receive(t.Context())
			var broken *ProtocolError
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// Why: a receiver's memory is bounded by the window only if it does not trust the sender to keep it.
func TestTheWindowIsEnforced(t *testing.T) {
	conn, in, out := raw(t)
	go io.Copy(io.Discard, out)
	io.WriteString(in, greeting+"\n")
	chunk := encode(blob, make([]byte, blobHead+chunkSize))
	for range window / len(chunk) {
		in.Write(chunk)
	}
	if err := conn.Err(); err != nil {
		t.Fatalf("within the window: %v", err)
	}
	in.Write(chunk)
	<-conn.Done()
	if err := conn.Err(); err == nil || !strings.Contains(err.Error(), "not acknowledged") {
		t.Errorf("beyond it: %v", err)
	}
}

// Why: what is queued when the work is done, the result, must still be written.
func TestCloseWritesWhatIsQueued(t *testing.T) {
	a, b := pair(t)
	for range 10 {
		if err := a.Send(t.Context(), note{Type: "result"}); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	for i := range 10 {
		if _, err := b.Receive(t.Context()); err != nil {
			t.Fatalf("result %d: %v", i, err)
		}
	}
	if _, err := b.Receive(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	if err := a.Send(t.Context(), note{Type: "late"}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("sending after Close: %v", err)
	}
	a.Close() // again: nothing happens
}

// Why: Close must not wait for a side that takes nothing.
func TestCloseGivesUpAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := io.Pipe()
		_, w := io.Pipe() // nobody reads
		c := New(r, w)
		start := time.Now()
		c.Close()
		if passed := time.Since(start); passed != lastWrites {
			t.Errorf("it took %v", passed)
		}
	})
}

// Why: a broken output is the end even where the input goes on.
func TestABrokenOutputEndsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, out := raw(t)
		io.WriteString(in, greeting+"\n")
		out.Close()
		<-c.Done()
		if err := c.Err(); !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), "takes nothing any more") {
			t.Error(err)
		}
	})
}

// Why: a file that cannot be read to its end must not look whole, and must not cost the connection.
func TestAnAbandonedBlob(t *testing.T) {
	a, b := pair(t)
	_, hash := content(1)
	torn := errors.New("disk on fire")
	for _, broken := range []error{torn, io.ErrUnexpectedEOF} {
		r := io.MultiReader(strings.NewReader("begin"), iotest.ErrReader(broken))
		if _, err := a.SendBlob(t.Context(), hash, r); !errors.Is(err, broken) {
			t.Errorf("the sender sees %v", err)
		}
		f, err := b.Receive(t.Context())
		if err != nil || f.Chunk == nil || f.Chunk.End || f.Chunk.Abandoned != broken.Error() || len(f.Chunk.Data) != 0 {
			t.Errorf("the receiver sees %+v, %v", f.Chunk, err)
		}
	}
	if err := a.Send(t.Context(), note{Type: "next"}); err != nil {
		t.Fatal(err)
	}
	if f, err := b.Receive(t.Context()); err != nil || f.Type != "next" {
		t.Errorf("afterwards: %v, %v", f, err)
	}
}

// Why: these are mistakes of the caller, which the other side could only drop the connection for.
func TestMessagesThatAreNotSent(t *testing.T) {
	a, _ := pair(t)
	for _, c := range []struct {
		value any
		want  string
	}{
		{note{}, "without a type"},
		{[]string{"a"}, "no JSON object"},
		{func() {}, "unsupported type"},
		{note{"long", strings.Repeat("x", MaxPayload)}, ErrTooLarge.Error()},
	} {
		if err := a.Send(t.Context(), c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := a.Send(t.Context(), note{"large", strings.Repeat("x", MaxPayload-100)}); err != nil {
		t.Errorf("a message larger than the window: %v", err)
	}
}

// Why: a call must end with its context, whatever the other side does.
func TestCallsEndWithTheirContext(t *testing.T) {
	c, _, out := raw(t)
	go io.Copy(io.Discard, out)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Receive(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Receive: %v", err)
	}
	if err := c.Ready(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Ready: %v", err)
	}
	if err := c.reserve(t.Context(), window); err != nil {
		t.Fatal(err)
	}
	if err := c.Send(ctx, note{Type: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Send: %v", err)
	}
}
