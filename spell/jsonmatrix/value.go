package jsonmatrix

import "fmt"

// mostDepth bounds the stack that values need which are passed over.
const mostDepth = 1000

// A kind is a kind of JSON value, as an error calls it.
type kind string

const (
	anObject kind = "an object"
	aList    kind = "a list"
	aString  kind = "a string"
	aNumber  kind = "a number"
	aWord    kind = "a word"
)

// kind looks at the value that comes next.
func (l *lexer) kind() (kind, error) {
	b, err := l.peek()
	switch {
	case err != nil:
		return "", err
	case b == '{':
		return anObject, nil
	case b == '[':
		return aList, nil
	case b == '"':
		return aString, nil
	case b == '-' || b >= '0' && b <= '9':
		return aNumber, nil
	case letter(b):
		return aWord, nil
	}
	return "", l.unexpected("a value")
}

// object takes an object, its brace being next. At the value of each member,
// member is called with the index of its name in names, or -1 for one that is
// not there: then the name is in l.text. Members that are null are passed over.
func (l *lexer) object(names []string, member func(i int) error) error {
	l.next++
	var seen uint64
	for first := true; ; first = false {
		if done, err := l.separator('}', first); done || err != nil {
			return err
		}
		i, err := l.name(names)
		if err != nil {
			return err
		}
		if i >= 0 && seen&(1<<i) != 0 {
			return &fault{l.start, fmt.Sprintf("%q stands here a second time, must be there once", names[i])}
		}
		if i >= 0 {
			seen |= 1 << i
		}
		if err := l.colon(); err != nil {
			return err
		}
		if null, err := l.null(); err != nil {
			return err
		} else if null {
			continue
		}
		if err := member(i); err != nil {
			return err
		}
	}
}

// name takes the name of a member.
func (l *lexer) name(names []string) (int, error) {
	if l.buf[l.next] != '"' {
		return 0, l.unexpected("a name in quotes")
	}
	if err := l.stringToken(); err != nil {
		return 0, err
	}
	for i := range names {
		if string(l.text) == names[i] {
			return i, nil
		}
	}
	return -1, nil
}

func (l *lexer) colon() error {
	b, err := l.peek()
	if err != nil {
		return err
	}
	if b != ':' {
		return l.unexpected("a colon")
	}
	l.next++
	return nil
}

// null takes null, and tells whether it was there. It keeps l.text otherwise.
func (l *lexer) null() (bool, error) {
	b, err := l.peek()
	if err != nil || b != 'n' {
		return false, err
	}
	return true, l.word()
}

// separator takes what stands before an item, or behind the last one: then it
// is done.
func (l *lexer) separator(end byte, first bool) (done bool, err error) {
	b, err := l.peek()
	switch {
	case err != nil:
		return false, err
	case b == end:
		l.next++
		return true, nil
	case first:
		return false, nil
	case b != ',':
		return false, l.unexpected(fmt.Sprintf("a comma or %q", end))
	}
	l.next++
	if b, err = l.peek(); err == nil && b == end {
		err = l.unexpected("another item after a comma")
	}
	return false, err
}

// list takes a list, its bracket being next, and calls item at each item.
func (l *lexer) list(item func(i int) error) error {
	l.next++
	for i := 0; ; i++ {
		if done, err := l.separator(']', i == 0); done || err != nil {
			return err
		}
		if err := item(i); err != nil {
			return err
		}
	}
}

// skip passes over a value.
func (l *lexer) skip() error {
	k, err := l.kind()
	if err != nil {
		return err
	}
	switch k {
	case aString:
		return l.stringToken()
	case aNumber:
		return l.numberToken()
	case aWord:
		return l.word()
	default:
		return l.skipNested(k)
	}
}

func (l *lexer) skipNested(k kind) error {
	if l.depth++; l.depth > mostDepth {
		return &fault{l.start, fmt.Sprintf("values are nested more than %d deep", mostDepth)}
	}
	defer func() { l.depth-- }()
	if k == aList {
		return l.list(func(int) error { return l.skip() })
	}
	return l.object(nil, func(int) error { return l.skip() })
}
