package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/redact"
)

// work is the part of a call that may overlap with later messages.
type work func(context.Context) (any, error)

// codeRequestFailed is the code of a valid request that could not be fulfilled (LSP 3.17,
// "ErrorCodes.RequestFailed").
const codeRequestFailed jsonrpc2.Code = -32803

// errCancelled answers a call that was cancelled (LSP 3.17,
// "ErrorCodes.RequestCancelled"). Some editors show its text unchanged.
var errCancelled = jsonrpc2.NewError(protocol.ErrRequestCancelled.Code, "cancelled")

// The commands of workspace/executeCommand. Each takes one argument, an object, which may be
// absent if no field is required.
const (
	measureCommand = "spell-lsp.measure"
	cancelCommand  = "spell-lsp.cancel"
	clearCommand   = "spell-lsp.clear"
	rankingCommand = "spell-lsp.ranking"
	doctorCommand  = "spell-lsp.doctor"
)

// decode decodes the parameters of a method.
func decode[T any](raw jsonrpc2.RawMessage) (T, error) {
	var params T
	if raw == nil {
		return params, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the parameters are missing")
	}
	if err := protocol.Unmarshal(raw, &params); err != nil {
		return params, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "reading the parameters: %v", err)
	}
	return params, nil
}

// arguments reads the argument of a command into a T. It refuses fields that T does not have,
// also if they differ only in case, and fields that occur twice. A field that is null counts
// as absent, because some clients write it so.
func arguments[T any](raw protocol.LSPAny) (T, error) {
	var into T
	given, err := fieldsOf(raw)
	if err != nil {
		return into, err
	}
	var fields []string
	for t, i := reflect.TypeFor[T](), 0; i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	for _, name := range given {
		if !slices.Contains(fields, name) {
			allowed := "the command takes no fields"
			if len(fields) > 0 {
				allowed = "the fields are " + strings.Join(fields, ", ")
			}
			return into, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown field %q; %s", redact.Name(name), allowed)
		}
	}
	var shape *json.UnmarshalTypeError
	err = json.Unmarshal(raw, &into)
	if errors.As(err, &shape) {
		return into, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "field %q must be %s, is %s", shape.Field, kindOf(shape.Type), shape.Value)
	}
	return into, err
}

// fieldsOf lists the names of an object's fields. A name that occurs twice is an error.
func fieldsOf(object protocol.LSPAny) ([]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	var names []string
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if seen[name] {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "field %q occurs twice, remove one", redact.Name(name))
		}
		seen[name] = true
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	default:
		return "text"
	}
}

type noArguments struct{}

// reply encodes the result of a command.
func reply(v any) (any, error) {
	raw, err := json.Marshal(v)
	return jsonrpc2.RawMessage(raw), err
}

func nothing(context.Context) (any, error) { return nil, nil }
