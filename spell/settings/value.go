package settings

import (
	"fmt"
	"strconv"
)

// A kind is the type of a value as written, before it is compared with the key's type.
type kind int

const (
	otherKind kind = iota
	nullKind
	boolKind
	numberKind
	textKind
	listKind
	groupKind
)

// A place is a position in a YAML file. Values from JSON have none: their path tells
// where they are.
type place struct {
	file         string
	line, column int
}

// String is "file:line:column: ", or "" without a file.
func (p place) String() string {
	if p.file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", p.file, p.line, p.column)
}

// A value is a node of YAML or JSON.
type value struct {
	place place
	path  string // weights.cpu, exclude[1]
	kind  kind
	text  string // a scalar as written, or a description of an otherKind
	items []value
	group []entry
}

// An entry is one key of a group. Its place is the key's, its path the value's.
type entry struct {
	place place
	name  string
	value value
}

// shown returns the value as errors quote it.
func (v value) shown() string {
	switch v.kind {
	case textKind:
		return strconv.Quote(shorten(v.text))
	case nullKind:
		return "empty"
	case listKind:
		return "a list"
	case groupKind:
		return "a group of keys"
	}
	return shorten(v.text)
}

func shorten(s string) string {
	const longest = 60
	n := 0
	for i := range s {
		if n++; n > longest {
			return s[:i] + "..."
		}
	}
	return s
}

// errorf puts the place and the path before the message.
func (v value) errorf(format string, args ...any) error {
	return fmt.Errorf("%v%s "+format, append([]any{v.place, v.path}, args...)...)
}

func (v value) mustBe(allowed string) error {
	return v.errorf("is %s, must be %s", v.shown(), allowed)
}

// number returns the value of a number, in decimal or in one of YAML's forms of whole
// numbers.
func (v value) number() (n float64, ok bool) {
	if v.kind != numberKind {
		return 0, false
	}
	if i, err := strconv.ParseInt(v.text, 0, 64); err == nil {
		return float64(i), true
	}
	n, err := strconv.ParseFloat(v.text, 64)
	return n, err == nil
}
