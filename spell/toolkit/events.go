package toolkit

import (
	"bytes"
	"fmt"

	"spell-lsp/spell"
)

// An event is an entry, an exit, or the end of a test or of the trace.
type event struct {
	sort         eventSort
	place        position
	name, module []byte // as spelt in the trace; they share the scanner's memory
	given        keySet
	keys         []key // the given domains, in their order
	energy       [domains]float64
	timeMS       float64
	title        string // of the test that ends; "" = none
}

type eventSort int8

const (
	entry eventSort = iota
	exit
	endOfTest
	endOfFile
)

// An eventReader reads the events of a trace.
type eventReader struct {
	scanner
	file  string
	event event // the current one
}

// next returns the next event, which is valid until the following call. If the text ends
// within an event, the event is read again with more text.
func (in *eventReader) next() (*event, error) {
	for {
		begin := in.cursor
		in.unclosed = position{}
		f := in.read()
		if f == nil && in.event.sort != endOfFile {
			return &in.event, nil
		}
		stuck := in.cursor
		if !in.atWordsEnd() {
			in.cursor = begin
			if in.more() {
				continue
			}
			if err := in.failed(in.file); err != nil {
				return nil, err
			}
		}
		if in.unclosed.line > 0 {
			return nil, errorAt(in.file, in.unclosed, fault{"the comment has no end", "close it with */"})
		}
		if f != nil {
			return nil, errorAt(in.file, stuck.position(stuck.at), *f)
		}
		in.event.place = stuck.position(stuck.at)
		return &in.event, nil
	}
}

const eventForm = "write calls as > name [ t = 0, cpu = 0 ] and < name [ t = 75, cpu = 37 ]"

// unexpected returns the fault that something other than the expected token is here.
func (in *eventReader) unexpected(what string) *fault {
	if in.at == len(in.text) {
		return &fault{"the file ends where " + what + " was expected", eventForm}
	}
	return &fault{excerpt(in.text[in.at:]) + " where " + what + " was expected", eventForm}
}

// read reads an event.
func (in *eventReader) read() *fault {
	sign := in.peek()
	e := &in.event
	e.place, e.module = in.position(in.at), nil
	e.given, e.keys, e.timeMS = 0, e.keys[:0], 0
	switch {
	case in.at == len(in.text):
		e.sort, e.title = endOfFile, in.title
		return nil
	case sign == ';':
		e.sort, e.title = endOfTest, in.title
		in.title, in.titled = "", false
		in.at++
		return nil
	case sign == '>':
		e.sort = entry
	case sign == '<':
		e.sort = exit
	default:
		return in.unexpected("> or <")
	}
	in.titled = true
	in.at++
	if e.name = in.word(); len(e.name) == 0 {
		return in.unexpected("a name")
	}
	switch in.peek() {
	case '[':
		return in.group(']')
	case '(':
		return in.group(')')
	}
	return in.unexpected("[")
}

// word reads a name or a key; "" = none.
func (in *eventReader) word() []byte {
	in.peek()
	begin := in.at
	for in.at < len(in.text) && !isEnd(in.text[in.at]) {
		if in.text[in.at] == '/' && bytes.HasPrefix(in.text[in.at:], []byte("/*")) {
			break
		}
		in.at++
	}
	return in.text[begin:in.at]
}

// group reads key = value, ... up to the closing bracket.
func (in *eventReader) group(closing byte) *fault {
	for {
		in.at++
		if f := in.pair(); f != nil {
			return f
		}
		switch in.peek() {
		case ',':
		case closing:
			in.at++
			return nil
		default:
			return in.unexpected("a comma or " + string(closing))
		}
	}
}

func (in *eventReader) pair() *fault {
	in.peek()
	begin := in.cursor
	w := in.word()
	if len(w) == 0 {
		return in.unexpected("a key")
	}
	k := keyOf(w)
	if in.at == len(in.text) {
		return in.unexpected("=")
	}
	if k == noKey || k == keyN || in.event.given.has(k) {
		in.cursor = begin
		return eventKeyFault(string(w), k)
	}
	in.event.given |= 1 << k
	if in.peek() != '=' {
		return in.unexpected("=")
	}
	in.at++
	in.peek()
	if k != keyModule {
		return in.number(k)
	}
	if in.event.module = in.word(); len(in.event.module) == 0 {
		return in.unexpected("the name of a module")
	}
	return nil
}

func (in *eventReader) number(k key) *fault {
	v, end := number(in.text, in.at)
	if end == in.at || !(v <= spell.MaxValue) || end < len(in.text) && !isEnd(in.text[end]) && in.text[end] != '/' {
		f := numberFault(in.text[in.at:])
		return &f
	}
	in.at = end
	if k == keyTime {
		in.event.timeMS = v
		return nil
	}
	in.event.energy[k] = v
	in.event.keys = append(in.event.keys, k)
	return nil
}

func eventKeyFault(word string, k key) *fault {
	if k != noKey && k != keyN {
		return &fault{fmt.Sprintf("a second value for %s", k), "keep one"}
	}
	f := unknownKey(word, []string{"m", "t", "time", "cpu", "ram", "dram", "disk", "fans", "gpu", "net"})
	return &f
}
