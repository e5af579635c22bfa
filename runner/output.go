package runner

import (
	"bytes"
	"slices"
	"strings"
)

const (
	headSize  = 16 << 10
	panicSize = 8 << 10
	tailSize  = 16 << 10
)

// An output keeps the beginning and the end of what is written to it, and what
// begins with the last line of a panic: that line tells why a program ended,
// and the stacks of its goroutines behind it can be longer than any end.
type output struct {
	head, panic, tail part
	size              int    // of all that was written
	line              []byte // the beginning of the line that is being written
	lineFrom          int
}

// A part is a piece of an output and where it stands in it.
type part struct {
	from int
	text []byte
}

// add appends as much of text as there is room for.
func (p *part) add(text []byte, size int) {
	p.text = append(p.text, text[:min(len(text), size-len(p.text))]...)
}

func (o *output) Write(text []byte) (int, error) {
	o.head.add(text, headSize)
	for piece := range bytes.Lines(text) {
		o.watch(piece)
		o.size += len(piece)
	}
	o.tail.text = append(o.tail.text, text...)
	if extra := len(o.tail.text) - tailSize; extra > 0 {
		o.tail.text = append(o.tail.text[:0], o.tail.text[extra:]...)
		o.tail.from += extra
	}
	return len(text), nil
}

// watch looks for a line of a panic; piece is a line or a part of one.
func (o *output) watch(piece []byte) {
	if len(o.line) == 0 {
		o.lineFrom = o.size
	}
	before := len(o.line)
	o.line = append(o.line, piece[:min(len(piece), longestPanic-before)]...)
	if known := o.panic.text != nil && o.panic.from == o.lineFrom; !known && startsPanic(string(o.line)) {
		o.panic = part{o.lineFrom, slices.Clone(o.line)}
		o.panic.add(piece[len(o.line)-before:], panicSize)
	} else if o.panic.text != nil {
		o.panic.add(piece, panicSize)
	}
	if bytes.HasSuffix(piece, []byte("\n")) {
		o.line = o.line[:0]
	}
}

// longestPanic is the length of the longest beginning of such a line.
const longestPanic = len("fatal error: ")

// startsPanic says that a line is one with which the runtime ends a program.
func startsPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIG")
}

// String gives what was kept, with [...] where something is left out.
func (o *output) String() string {
	var b strings.Builder
	at := 0
	for _, p := range []part{o.head, o.panic, o.tail} {
		if p.from > at {
			b.WriteString("\n[...]\n")
		}
		if end := p.from + len(p.text); end > at {
			b.Write(p.text[max(0, at-p.from):])
			at = end
		}
	}
	return b.String()
}
