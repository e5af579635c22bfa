// Package capture keeps the output of commands and test programs within bounds.
package capture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const (
	headSize  = 16 << 10
	panicSize = 8 << 10
	tailSize  = 16 << 10
)

// maxString bounds len(Output.String()).
const maxString = headSize + panicSize + tailSize + 100

// Text shortens a text as an [Output] does. It is idempotent.
func Text(text string) string {
	if len(text) <= maxString {
		return text
	}
	var o Output
	o.Write([]byte(text)) //nolint:errcheck // it cannot fail
	return o.String()
}

// An Output keeps the first and the last 16 KiB that are written to it, and 8 KiB from the
// start of the last panic: its first line tells why a program ended, and the goroutine stacks
// after it can be longer than the tail that is kept. The zero value is empty. It allows one
// writer at a time, like os/exec.
type Output struct {
	head, panic, tail part
	size              int    // of all that was written
	line              []byte // the beginning of the line that is being written
	lineFrom          int
}

// A part is a piece of an output and its offset.
type part struct {
	from int
	text []byte
}

// add appends as much of text as fits.
func (p *part) add(text []byte, size int) {
	p.text = append(p.text, text[:min(len(text), size-len(p.text))]...)
}

// end returns the last bytes of p, at most size.
func (p part) end(size int) part {
	extra := max(0, len(p.text)-size)
	return part{p.from + extra, slices.Clone(p.text[extra:])}
}

// Write implements [io.Writer]. It never fails.
func (o *Output) Write(text []byte) (int, error) {
	written := len(text)
	o.head.add(text, headSize)
	for piece := range bytes.Lines(text) {
		o.watch(piece)
		o.size += len(piece)
	}
	if extra := len(text) - tailSize; extra > 0 {
		o.tail.from += len(o.tail.text) + extra
		o.tail.text, text = o.tail.text[:0], text[extra:]
	}
	if o.tail.text = append(o.tail.text, text...); len(o.tail.text) > 2*tailSize { // rarely, because a program may print byte by byte
		o.tail = o.tail.end(tailSize)
	}
	return written, nil
}

// watch looks for the start of a panic; piece is a line or a part of one.
func (o *Output) watch(piece []byte) {
	if len(o.line) == 0 {
		o.lineFrom = o.size
	}
	before := len(o.line)
	o.line = append(o.line, piece[:min(len(piece), longestPanic-before)]...)
	if known := o.panic.text != nil && o.panic.from == o.lineFrom; !known && StartsPanic(string(o.line)) {
		o.panic = part{o.lineFrom, slices.Clone(o.line)}
		o.panic.add(piece[len(o.line)-before:], panicSize)
	} else if o.panic.text != nil {
		o.panic.add(piece, panicSize)
	}
	if bytes.HasSuffix(piece, []byte("\n")) {
		o.line = o.line[:0]
	}
}

// longestPanic is the length of the longest prefix that StartsPanic looks for.
const longestPanic = len("fatal error: ")

// StartsPanic reports whether a line is the first of the runtime's message when it ends a
// program.
func StartsPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIG")
}

// String returns what was kept, with the number of bytes left out in each gap.
func (o *Output) String() string {
	var b strings.Builder
	at := 0
	for _, p := range []part{o.head, o.panic, o.tail.end(tailSize)} {
		if p.from > at {
			fmt.Fprintf(&b, "\n[... %d bytes left out ...]\n", p.from-at)
		}
		if end := p.from + len(p.text); end > at {
			b.Write(p.text[max(0, at-p.from):])
			at = end
		}
	}
	return b.String()
}

// maxAnswer limits an answer, in bytes. The output of go list for 100,000 packages is
// smaller.
const maxAnswer = 64 << 20

// An Answer keeps the whole output of a command, to be parsed. Writing more than 64 MiB is
// an error of the command. The zero value is empty.
type Answer struct{ text bytes.Buffer }

// Write implements [io.Writer].
func (a *Answer) Write(text []byte) (int, error) {
	if a.text.Len()+len(text) > maxAnswer {
		return 0, fmt.Errorf("it printed more than %d MiB", maxAnswer>>20)
	}
	return a.text.Write(text)
}

// Bytes returns what was written.
func (a *Answer) Bytes() []byte { return a.text.Bytes() }
