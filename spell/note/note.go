// Package note has the facts that a reader must know beside the figures: warnings, why a
// round was dropped, why a change has its verdict, why a meter does not work. A note is a
// code with arguments, so that programs can tell notes apart and figures keep their
// units. It has no text: package wording writes notes for people.
//
// Each kind of note has a constructor here, a text in package wording, and a row in
// docs/notes.md, which a test of package wording writes and keeps complete.
package note

import (
	"encoding/json"
	"fmt"
	"slices"
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
		if list, ok := value.([]string); ok && list == nil {
			value = []string{}
		}
		values[name] = value
	}
	return json.Marshal(values)
}

// An ArgsError says that the arguments of a note in JSON are none.
type ArgsError struct{ What string }

func (e *ArgsError) Error() string { return "the arguments of a note: " + e.What }

// UnmarshalJSON reads arguments, so that they equal those that were written. The error is
// an *ArgsError.
func (a *Args) UnmarshalJSON(data []byte) error {
	var values map[string]any
	if err := json.Unmarshal(data, &values); err != nil {
		return &ArgsError{"must be an object"}
	}
	*a = make(Args, len(values))
	for name, value := range values {
		switch v := value.(type) {
		case string, float64:
			(*a)[name] = v
			continue
		case []any:
			if list, ok := stringsOf(v); ok {
				(*a)[name] = list
				continue
			}
			if list, ok := notesOf(v); ok {
				(*a)[name] = list
				continue
			}
		case map[string]any:
			if list, ok := notesOf([]any{v}); ok {
				(*a)[name] = list[0]
				continue
			}
		}
		return &ArgsError{fmt.Sprintf("%.60q must be a string, a number, a note or a list of strings or notes", name)}
	}
	return nil
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

func notesOf(values []any) ([]Note, bool) {
	text, err := json.Marshal(values)
	if err != nil {
		return nil, false
	}
	var list []Note
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, false
	}
	return list, !slices.ContainsFunc(list, func(n Note) bool { return n.Code == "" })
}
