// Package note has the facts that a reader must know beside the figures: warnings, why a
// round was dropped, why a change has its verdict, why a meter does not work. A note is a
// code with arguments, so that programs can tell notes apart and figures keep their
// units. It has no text: package wording writes notes for people.
//
// Each kind of note has a constructor here and a text in package wording. docs/notes.md has
// a row for each kind but those of gates, which no record has; a test of package wording
// writes it and keeps it complete.
package note

import (
	"encoding/json"
	"fmt"
)

// A Code tells what a note is about. Codes do not change once they were released: they
// stand in run records.
type Code string

// Args are what a note says, by name. Values are strings, numbers as float64, notes, and
// lists of strings or notes. The end of a name is the unit: _j joules, _w watts, _ms
// milliseconds, _share a share from 0 to 1, _change a relative change, _p a probability,
// _psi a psi; other numbers are counts.
type Args map[string]any

// A Note is one fact.
type Note struct {
	Code Code `json:"code"`
	Args Args `json:"args"`
}

// TextCode is of a fact that is known as a text only: in the argument text.
const TextCode Code = "text"

// Text is a note of a text that has no code, as those of older records.
func Text(text string) Note { return Note{TextCode, Args{"text": text}} }

// MarshalJSON writes a list that is nil as an empty one: null is no argument.
func (a Args) MarshalJSON() ([]byte, error) {
	values := make(map[string]any, len(a))
	for name, value := range a {
		switch list := value.(type) {
		case []string:
			if list == nil {
				value = []string{}
			}
		case []Note:
			if list == nil {
				value = []Note{}
			}
		}
		values[name] = value
	}
	return json.Marshal(values)
}

// An ArgsError says that the arguments of a note in JSON are none.
type ArgsError struct{ What string }

func (e *ArgsError) Error() string { return "the arguments of a note: " + e.What }

// maxDepth is how many notes may be nested in one another. Those in records stand two deep,
// those of gates three; without a limit, the text of a small hostile record would take time
// by the square of its length.
const maxDepth = 8

// UnmarshalJSON reads arguments, so that they equal those that were written, except that an
// empty list is one of strings. The error is an *ArgsError.
func (a *Args) UnmarshalJSON(data []byte) error {
	var values map[string]any
	if err := json.Unmarshal(data, &values); err != nil {
		return &ArgsError{"must be an object"}
	}
	args, err := argsOf(values, 1)
	*a = args
	return err
}

// argsOf makes arguments from decoded JSON. depth counts the notes from the outermost one to
// the one whose arguments they are.
func argsOf(values map[string]any, depth int) (Args, error) {
	if depth > maxDepth {
		return nil, &ArgsError{fmt.Sprintf("more than %d notes are nested in one another", maxDepth)}
	}
	args := make(Args, len(values))
	for name, value := range values {
		arg, err := argOf(value, depth)
		if err != nil {
			return nil, err
		}
		if arg == nil {
			return nil, &ArgsError{fmt.Sprintf("%.60q must be a string, a number, a note or a list of strings or notes", name)}
		}
		args[name] = arg
	}
	return args, nil
}

// argOf returns nil for a value that cannot be an argument.
func argOf(value any, depth int) (any, error) {
	switch v := value.(type) {
	case string, float64:
		return v, nil
	case map[string]any:
		n, err := noteOf(v, depth)
		if n == nil {
			return nil, err
		}
		return *n, nil
	case []any:
		if list, ok := stringsOf(v); ok {
			return list, nil
		}
		list := make([]Note, len(v))
		for i := range v {
			n, err := noteOf(v[i], depth)
			if n == nil {
				return nil, err
			}
			list[i] = *n
		}
		return list, nil
	}
	return nil, nil
}

func stringsOf(values []any) ([]string, bool) {
	list := make([]string, len(values))
	for i, v := range values {
		text, ok := v.(string)
		if !ok {
			return nil, false
		}
		list[i] = text
	}
	return list, true
}

// noteOf returns nil for a value that is no note.
func noteOf(value any, depth int) (*Note, error) {
	object, _ := value.(map[string]any)
	code, _ := object["code"].(string)
	values, isObject := object["args"].(map[string]any)
	if code == "" || !isObject && object["args"] != nil {
		return nil, nil
	}
	args, err := argsOf(values, depth+1)
	if err != nil {
		return nil, err
	}
	return &Note{Code(code), args}, nil
}
