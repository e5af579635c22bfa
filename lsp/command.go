package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/page"
)

// The commands, as workspace/executeCommand takes them. Each has one argument,
// an object, which may be left out where no field of it is needed.
const (
	measureCommand = "spell-lsp.measure"
	cancelCommand  = "spell-lsp.cancel"
	clearCommand   = "spell-lsp.clear"
	rankingCommand = "spell-lsp.ranking"
	doctorCommand  = "spell-lsp.doctor"
)

type command func(s *session, argument protocol.LSPAny, token protocol.ProgressToken) (work, error)

var commands = map[string]command{
	measureCommand:     (*session).measure,
	cancelCommand:      (*session).cancel,
	clearCommand:       (*session).clear,
	setBaselineCommand: (*session).setBaseline,
	compareCommand:     (*session).compare,
	drillDownCommand:   (*session).drillDown,
	loadCommand:        (*session).load,
	reportCommand:      (*session).report,
	rankingCommand:     (*session).ranking,
	doctorCommand:      (*session).doctor,
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

func (s *session) executeCommand(raw jsonrpc2.RawMessage) (work, error) {
	params, err := decode[protocol.ExecuteCommandParams](raw)
	if err != nil {
		return nil, err
	}
	run := commands[params.Command]
	if run == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %q; there are %s", redact.Name(params.Command), strings.Join(commandNames(), ", "))
	}
	argument := protocol.LSPAny("{}")
	if len(params.Arguments) == 1 {
		argument = bytes.TrimSpace(params.Arguments[0])
	}
	if len(params.Arguments) > 1 || len(argument) == 0 || argument[0] != '{' {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s takes one argument, an object", params.Command)
	}
	do, err := run(s, argument, params.WorkDoneToken)
	var coded *jsonrpc2.Error
	if err != nil && !errors.As(err, &coded) {
		err = jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", params.Command, err)
	}
	return do, err
}

// arguments reads the argument of a command into a T. It refuses fields that T
// does not have, also those that differ in case only, and those that are there
// twice. Null stands for what is left out: some clients write it.
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
			allowed := "it has no fields"
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

// fieldsOf lists the names of an object's fields. Which of two fields counts is not
// to be guessed.
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
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "field %q is there twice, remove one", redact.Name(name))
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

// cancel ends the measurements that run and answers at once.
func (s *session) cancel(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	if _, err := arguments[noArguments](raw); err != nil {
		return nil, err
	}
	n := s.measurements.cancelAll()
	return func(context.Context) (any, error) { return reply(map[string]int{"cancelled": n}) }, nil
}

// clear takes what was measured from view. What was saved stays saved.
func (s *session) clear(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	if _, err := arguments[noArguments](raw); err != nil {
		return nil, err
	}
	s.update(func(next *snapshot.Snapshot) bool {
		next.Show(&results.Layers{})
		next.Clears++
		return true
	})
	return func(ctx context.Context) (any, error) {
		s.publisher.Flush(ctx)
		s.tasks.Go(ctx, "refreshing code lenses again", s.refreshLate)
		return nil, nil
	}, nil
}

func (s *session) doctor(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	if _, err := arguments[noArguments](raw); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		return s.tasks.Await(ctx, "the doctor", func(ctx context.Context) (any, error) {
			s.awaitSettings(ctx)
			settings, err := s.settingsOf(s.snapshots.Current().SomeFolder())
			if err != nil {
				return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
			}
			return reply(page.CleanLines(s.Doctor(ctx, settings)))
		})
	}, nil
}

// reply encodes the result of a command.
func reply(v any) (any, error) {
	raw, err := json.Marshal(v)
	return jsonrpc2.RawMessage(raw), err
}

// lateRefresh is when lenses are refreshed a second time after all was cleared.
const lateRefresh = time.Second

// refreshLate refreshes lenses once more after a while. VS Code waits a little before
// it asks for them, and forgets it where the editor loses the focus meanwhile, as it
// may when a report is closed: lenses of what is no more would stay.
func (s *session) refreshLate(ctx context.Context) {
	select {
	case <-time.After(lateRefresh):
		s.client.RefreshLenses(ctx)
	case <-ctx.Done():
	}
}
