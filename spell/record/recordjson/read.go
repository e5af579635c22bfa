// Package recordjson reads and writes the JSON form of a run record,
// "spell-lsp/run/v1". Errors of reading say in which line and column of the text
// something is wrong, and what should stand there. What makes a run valid is said by
// package validity.
package recordjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/regularfile"
)

// Read reads and checks a run record, so that an analysis of the result cannot fail. Unknown
// fields are ignored; absent and null lists and maps are empty; a member that occurs twice
// is an error. Errors name line, column and JSON path of the first fault, and what should
// stand there.
func Read(r io.Reader) (*record.Run, error) {
	data, err := regularfile.ReadAll(r, "the run record", regularfile.MaxRecord)
	if err != nil {
		return nil, fmt.Errorf("reading a run record: %w", err)
	}
	return Parse(data)
}

// Parse reads a run record from a text; see Read.
func Parse(data []byte) (*record.Run, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var run record.Run
	in := wire{Run: &run}
	err := json.Unmarshal(data, &in)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, syntaxError(data, syntax)
	}
	if schema := validity.Schema(run.Schema); schema != nil { // before other errors: another version may have other types
		return nil, located(data, schema)
	}
	if twice := checkTwice(data); twice != nil {
		return nil, twice
	}
	if err == nil {
		err = validity.Head(&run)
	}
	if err == nil {
		err = in.matrix()
	}
	if err != nil {
		return nil, located(data, err)
	}
	unsay(&run)
	return run.Complete(), nil
}

func syntaxError(data []byte, err *json.SyntaxError) error {
	line, column := lineColumn(data, int(err.Offset)-1)
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the run record is empty: measure again")
	}
	if int(err.Offset) >= len(data) {
		return fmt.Errorf("line %d, column %d: the run record ends too early, it was cut off: copy it again or measure again (%w)", line, column, err)
	}
	return fmt.Errorf("line %d, column %d: a run record is JSON: %w", line, column, err)
}

// located puts the place of err in the JSON text before it.
func located(data []byte, err error) error {
	var (
		wrongType *json.UnmarshalTypeError
		wrongTime *time.ParseError
		wrongArgs *note.ArgsError
		wrong     *validity.Fault
	)
	switch {
	case errors.As(err, &wrong):
	case errors.As(err, &wrongType):
		wrong = &validity.Fault{Path: pathBefore(data, int(wrongType.Offset)), What: fmt.Sprintf("is a JSON %s, must be %s", wrongType.Value, typeName(wrongType.Type))}
	case errors.As(err, &wrongTime):
		wrong = &validity.Fault{Path: "started", What: "is not a time, must be like 2026-11-20T18:00:00Z"}
	case errors.As(err, &wrongArgs):
		wrong = &validity.Fault{Path: "notes", What: "has " + wrongArgs.Error()}
	default: // the only other type that decodes itself is the time
		wrong = &validity.Fault{Path: "started", What: "is not a time: " + err.Error()}
	}
	line, column := lineColumn(data, offsetOf(data, wrong.Path))
	return fmt.Errorf("line %d, column %d: %w", line, column, wrong)
}

// typeName names the JSON values that a field of type t holds.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int:
		return "a whole number"
	case reflect.Uint32:
		return "a whole number from 0 to 4294967295"
	case reflect.Float64:
		return "a number that a double can hold"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}
