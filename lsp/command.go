package lsp

import (
	"bytes"
	"context"
	"errors"
	"maps"
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

type command func(s *session, argument protocol.LSPAny, token protocol.ProgressToken) (work, error)

var commands = map[string]command{
	measureCommand:       (*session).measure,
	applyCommand:         (*session).applyAndMeasure,
	cancelCommand:        (*session).cancel,
	clearCommand:         (*session).clear,
	keepBenchmarkCommand: (*session).keepBenchmark,
	setBaselineCommand:   (*session).setBaseline,
	compareCommand:       (*session).compare,
	drillDownCommand:     (*session).drillDown,
	loadCommand:          (*session).load,
	reportCommand:        (*session).report,
	rankingCommand:       (*session).ranking,
	doctorCommand:        (*session).doctor,
	programsCommand:      (*session).programs,
	machinesCommand:      (*session).machines,
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

func (s *session) executeCommand(raw jsonrpc2.RawMessage) (work, error) {
	params, err := decode[protocol.ExecuteCommandParams](raw)
	if err != nil {
		return nil, err
	}
	run := commands[params.Command]
	if run == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %q; the commands are %s", redact.Name(params.Command), strings.Join(commandNames(), ", "))
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

// cancel cancels the running measurement and answers at once.
func (s *session) cancel(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	if _, err := arguments[noArguments](raw); err != nil {
		return nil, err
	}
	n := s.measurements.cancelAll()
	return func(context.Context) (any, error) { return reply(map[string]int{"cancelled": n}) }, nil
}

// clear removes all results from the editor. Saved runs stay in the store.
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

// lateRefresh is the time between clear and the second refresh of the lenses.
const lateRefresh = time.Second

// refreshLate refreshes lenses a second time. VS Code delays its request for lenses, and
// drops it if the editor loses the focus meanwhile, as when a report is closed: the lenses
// of cleared results would stay.
func (s *session) refreshLate(ctx context.Context) {
	select {
	case <-time.After(lateRefresh):
		s.client.RefreshLenses(ctx)
	case <-ctx.Done():
	}
}
