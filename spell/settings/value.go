package settings

import (
	"fmt"
	"strconv"
)

// A kind is what a value is, before it is known what it should be.
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

// A place is where something stands in a file of YAML. JSON has none: there the path
// is the place.
type place struct {
	file         string
	line, column int
}

// String is "file:line:column: ", or "" of no file.
func (p place) String() string {
	if p.file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", p.file, p.line, p.column)
}

// A value is what YAML and JSON have in common.
type value struct {
	place place
	path  string // weights.cpu, exclude[1]
	kind  kind
	text  string // a scalar as it was written; what an otherKind is
	items []value
	group []entry
}

// An entry is one key of a group. Its place is that of the key, its path that
// of the value.
type entry struct {
	place place
	name  string
	value value
}

// shown gives the value as an error quotes it.
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

// number returns the value of a number: decimal, or one of the forms of a
// whole number that YAML has.
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
