package jsonmatrix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Read reads a matrix; it is valid. The second result is what the file says
// about where its energy comes from: [record.Measured] or [record.Estimated],
// or "" where it does not say. Beside the matrix it needs about three bytes for
// each cell. A byte order mark is accepted.
//
// name is that of the file, for errors, which read "name:line:column: path what
// is there, what must be"; line and column count from 1, columns in bytes.
func Read(r io.Reader, name string) (*spell.Matrix, record.Source, error) {
	in := &reader{lexer: newLexer(r), m: &spell.Matrix{}, most: spell.MaxCells}
	in.allDomains()
	err := in.document()
	if err == nil {
		err = in.finish()
	}
	var wrong *fault
	switch {
	case errors.As(err, &wrong):
		return nil, "", fmt.Errorf("%s:%d:%d: %w", name, wrong.at.line, wrong.at.column, wrong)
	case err != nil:
		return nil, "", fmt.Errorf("reading %s: %w", name, err)
	}
	return in.m, in.origin, nil
}

type reader struct {
	lexer
	m      *spell.Matrix
	schema bool
	origin record.Source
	path   path // of the value that is read
	most   int  // cells

	// Where the items of these lists begin.
	domains, tests, components, cells places

	known     bool  // the matrix has its domains
	column    []int // where the energy of each of spell.Domains stands in a cell, -1 for nowhere
	energy    []float64
	mentioned []position // by spell.Domains: the first energy of it that came before the domains
}

// members are those of the whole.
var members = []string{"schema", "energy", "domains", "tests", "components", "cells"}

func (in *reader) document() error {
	in.byteOrderMark()
	if !in.more() && errors.Is(in.end, io.EOF) {
		return &fault{in.start, fmt.Sprintf("the file is empty, must be a matrix with the schema %q", Schema)}
	}
	k, err := in.kind()
	if err != nil {
		return err
	}
	if k != anObject {
		return &fault{in.start, fmt.Sprintf("this is %s, must be an object with the schema %q", in.described(k), Schema)}
	}
	if err := in.object(members, in.member); err != nil {
		return err
	}
	if in.more() {
		return &fault{in.start, "something stands behind the matrix, must be a file of its own"}
	}
	if !errors.Is(in.end, io.EOF) {
		return in.end
	}
	return nil
}

// byteOrderMark passes over one at the start.
func (in *reader) byteOrderMark() {
	const mark = "\ufeff"
	n, err := io.ReadAtLeast(in.in, in.buf[:cap(in.buf)], len(mark))
	if in.buf = in.buf[:n]; !errors.Is(err, io.ErrUnexpectedEOF) {
		in.end = err
	}
	if bytes.HasPrefix(in.buf, []byte(mark)) {
		in.next = len(mark)
	}
}

func (in *reader) member(i int) error {
	if i < 0 {
		return in.skip()
	}
	in.path = path{list: members[i], index: -1}
	switch members[i] {
	case "schema":
		in.schema = true
		return in.oneOf(Schema)
	case "energy":
		err := in.oneOf(string(record.Measured), string(record.Estimated))
		in.origin = record.Source(in.text)
		return err
	case "domains":
		return in.domainList()
	case "tests":
		return in.items(&in.tests, in.test)
	case "components":
		return in.items(&in.components, in.component)
	}
	return in.items(&in.cells, in.cell)
}

// items takes a list of the whole.
func (in *reader) items(p *places, item func() error) error {
	if err := in.want(aList, "a list"); err != nil {
		return err
	}
	whole := in.path.list
	return in.list(func(i int) error {
		in.path = path{list: whole, index: i}
		p.add(in.start)
		return item()
	})
}

func (in *reader) test() error {
	name, err := in.uniqueName("the name of a test")
	in.m.Tests = append(in.m.Tests, name)
	return err
}

// uniqueName takes a name that is not empty. Whether it is unique shows at the
// end.
func (in *reader) uniqueName(what string) (string, error) {
	if err := in.string(what); err != nil {
		return "", err
	}
	if len(in.text) == 0 {
		return "", in.wrong(`""`, what)
	}
	return string(in.text), nil
}

// string takes a string into in.text.
func (in *reader) string(what string) error {
	if err := in.want(aString, what); err != nil {
		return err
	}
	return in.stringToken()
}

// oneOf takes one of the words into in.text.
func (in *reader) oneOf(words ...string) error {
	what := alternatives(words)
	if err := in.string(what); err != nil {
		return err
	}
	if !slices.Contains(words, string(in.text)) {
		return in.wrong(quoted(in.text), what)
	}
	return nil
}

// want reports an error if the next value is not of the kind k. what is what
// must stand there.
func (in *reader) want(k kind, what string) error {
	got, err := in.kind()
	if err == nil && got != k {
		err = in.wrong(in.described(got), what)
	}
	return err
}

// described is how an error shows the next value, which is of the kind k. It
// takes words.
func (in *reader) described(k kind) string {
	if k != aWord || in.run(letter) != nil {
		return string(k)
	}
	return clipped(in.text)
}

// wrong says that the value at in.path is got and must be want.
func (in *reader) wrong(got, want string) error {
	return &fault{in.start, fmt.Sprintf("%s is %s, must be %s", in.path, got, want)}
}
