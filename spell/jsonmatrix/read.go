package jsonmatrix

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Read reads a matrix; it is valid. The second result is what the file says
// about where its energy comes from: [record.Measured] or [record.Estimated],
// or "" where it does not say. Besides the matrix it needs about three bytes of memory
// for each cell. A byte order mark is accepted.
//
// name is that of the file, for errors, which read "name:line:column: path what
// is there, what must be"; line and column count from 1, columns in bytes.
func Read(r io.Reader, name string) (*spell.Matrix, record.Source, error) {
	in := newReader(r, spell.MaxCells)
	err := in.document()
	if err == nil {
		err = in.finish()
	}
	var wrong *fault
	switch {
	case errors.As(err, &wrong):
		line, column := in.in.position(wrong.offset)
		return nil, "", fmt.Errorf("%s:%d:%d: %w", name, line, column, wrong)
	case err != nil:
		return nil, "", fmt.Errorf("reading %s: %w", name, err)
	}
	return in.m, in.origin, nil
}

// A fault is what is wrong in a file, and where.
type fault struct {
	offset int64
	what   string
}

func (f *fault) Error() string { return f.what }

type reader struct {
	tokens
	m      *spell.Matrix
	schema bool
	origin record.Source
	path   path // of the current value
	most   int  // cells

	// Where the items of these lists begin.
	domains, tests, components, cells offsets

	known     bool  // the matrix has its domains
	column    []int // by spell.Domains: its index in the energies of a cell, -1 if not listed
	energy    []float64
	mentioned []int64 // by spell.Domains: the offset of its first energy before the domains were known, 0 if none
}

// newReader makes a reader of at most so many cells.
func newReader(r io.Reader, most int) *reader {
	in := &reader{tokens: newTokens(r), m: &spell.Matrix{}, most: most}
	in.allDomains()
	return in
}

// members are the members of the top-level object.
var members = []string{"schema", "energy", "domains", "tests", "components", "cells"}

func (in *reader) document() error {
	err := in.next()
	if errors.Is(err, io.EOF) {
		return &fault{in.in.read, fmt.Sprintf("the file is empty, must be a matrix with the schema %q", Schema)}
	}
	if err != nil {
		return err
	}
	if in.kind != '{' {
		return &fault{in.start, fmt.Sprintf("this is %s, must be an object with the schema %q", in.described(), Schema)}
	}
	if err := in.object(members, in.member); err != nil {
		return err
	}
	switch err := in.next(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return &fault{in.start, "there is more after the end of the matrix, must be in a file of its own"}
}

func (in *reader) member(i int, _ string) error {
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

// items reads a top-level list.
func (in *reader) items(begin *offsets, item func() error) error {
	if err := in.want('[', "a list"); err != nil {
		return err
	}
	whole := in.path.list
	return in.list(func(i int) error {
		in.path = path{list: whole, index: i}
		begin.add(in.start)
		return item()
	})
}

func (in *reader) test() error {
	name, err := in.uniqueName("the name of a test")
	in.m.Tests = append(in.m.Tests, name)
	return err
}

// uniqueName returns the token, which must be a name that is not empty. That it is unique is
// checked at the end.
func (in *reader) uniqueName(what string) (string, error) {
	if err := in.want('"', what); err != nil {
		return "", err
	}
	if len(in.text) == 0 {
		return "", in.wrong(`""`, what)
	}
	return string(in.text), nil
}

// oneOf checks that the token is one of the words.
func (in *reader) oneOf(words ...string) error {
	what := alternatives(words)
	if err := in.want('"', what); err != nil {
		return err
	}
	if !slices.Contains(words, string(in.text)) {
		return in.wrong(fmt.Sprintf("%q", clipped(in.text)), what)
	}
	return nil
}

// want reports an error if the token is not of the kind k. what is what must
// stand there.
func (in *reader) want(k jsontext.Kind, what string) error {
	if in.kind != k {
		return in.wrong(in.described(), what)
	}
	return nil
}

// wrong says that the value at in.path is got and must be want.
func (in *reader) wrong(got, want string) error {
	return &fault{in.start, fmt.Sprintf("%s is %s, must be %s", in.path, got, want)}
}
