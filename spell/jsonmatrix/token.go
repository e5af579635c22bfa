package jsonmatrix

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A token is the beginning or end of an object or list, or a whole string, number
// or word.
type token struct {
	kind  jsontext.Kind // such as '{', '"' or '0'
	start int64         // offset in the input
	text  []byte        // a string without quotes and escapes, or the token as it is in the file; valid until the next token
}

// tokens reads the tokens of an input (RFC 8259), including the names of members. Colons and
// commas are checked and skipped.
type tokens struct {
	token // read last

	in        *source
	json      *jsontext.Decoder
	unescaped []byte
}

func newTokens(r io.Reader) tokens {
	in := newSource(r)
	// Unknown members may be there twice; object checks the known ones.
	return tokens{in: in, json: jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true))}
}

// next reads a token.
func (t *tokens) next() (err error) {
	t.in.limit = t.json.InputOffset() + maxToken
	t.kind, t.text = t.json.PeekKind(), nil
	length := 1
	switch t.kind {
	case '{', '}', '[', ']':
		_, err = t.json.ReadToken()
	default:
		t.text, err = t.json.ReadValue()
		length = len(t.text)
	}
	if err != nil {
		return t.explained(err)
	}
	t.start = t.json.InputOffset() - int64(length)
	if t.kind == '"' {
		return t.unquote()
	}
	return nil
}

func (t *tokens) unquote() (err error) {
	if bytes.IndexByte(t.text, '\\') < 0 {
		t.text = t.text[1 : len(t.text)-1]
		return nil
	}
	t.unescaped, err = jsontext.AppendUnquote(t.unescaped[:0], t.text)
	t.text = t.unescaped
	return err
}

// explained turns an error of the decoder into one that users understand. It leaves io.EOF,
// which means that the input ended between two values, as it is.
func (t *tokens) explained(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case t.in.broken != nil:
		return t.in.broken
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &fault{t.in.read, "the matrix ends too early, it was cut off: copy or write it again"}
	case errors.As(err, &syntax):
		return &fault{syntax.ByteOffset, "this is not JSON: " + syntax.Err.Error()}
	}
	return err
}

// object reads the members of an object that has begun. It calls member when the
// value of a member begins, with the index of its name in names, or -1 and the name
// itself. Members that are null are passed over.
func (t *tokens) object(names []string, member func(i int, name string) error) error {
	var seen uint64
	for {
		if err := t.next(); err != nil || t.kind == '}' {
			return err
		}
		i, unknown := indexOf(names, t.text), ""
		switch {
		case i < 0:
			unknown = clipped(t.text)
		case seen&(1<<i) != 0:
			return &fault{t.start, fmt.Sprintf("%q is here a second time, must be there only once", names[i])}
		default:
			seen |= 1 << i
		}
		if err := t.next(); err != nil {
			return err
		}
		if t.kind == 'n' {
			continue
		}
		if err := member(i, unknown); err != nil {
			return err
		}
	}
}

func indexOf(names []string, name []byte) int {
	for i := range names {
		if string(name) == names[i] {
			return i
		}
	}
	return -1
}

// list reads the items of a list that has begun. It calls item when an item begins.
func (t *tokens) list(item func(i int) error) error {
	for i := 0; ; i++ {
		if err := t.next(); err != nil || t.kind == ']' {
			return err
		}
		if err := item(i); err != nil {
			return err
		}
	}
}

// skip reads the rest of a value that has begun.
func (t *tokens) skip() error {
	if t.kind != '{' && t.kind != '[' {
		return nil
	}
	for outside := t.json.StackDepth() - 1; t.json.StackDepth() > outside; {
		if err := t.next(); err != nil {
			return err
		}
	}
	return nil
}

// described returns the token as errors show it.
func (t *token) described() string {
	if name, ok := map[jsontext.Kind]string{'{': "an object", '[': "a list", '"': "a string", '0': "a number"}[t.kind]; ok {
		return name
	}
	return string(t.text)
}

// clipped returns text as errors show it.
func clipped(text []byte) string {
	const most = 60
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}
