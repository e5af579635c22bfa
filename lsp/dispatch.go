package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/wire"
)

// calls are the calls that the server answers, by method. The functions run in the order in
// which messages arrive, read the parameters and return the work to be done, so each call
// sees the state in which the client made it.
var calls = map[string]func(*session, jsonrpc2.RawMessage) (work, error){
	protocol.MethodInitialize:              (*session).initialize,
	protocol.MethodShutdown:                (*session).shutdown,
	protocol.MethodTextDocumentHover:       (*session).hover,
	protocol.MethodTextDocumentCodeLens:    (*session).codeLens,
	protocol.MethodCodeLensResolve:         (*session).resolveLens,
	protocol.MethodTextDocumentCodeAction:  (*session).codeAction,
	protocol.MethodTextDocumentInlayHint:   (*session).inlayHint,
	protocol.MethodTextDocumentDiagnostic:  (*session).pullDiagnostics,
	protocol.MethodWorkspaceExecuteCommand: (*session).executeCommand,
	marksMethod:                            (*session).marks,
}

// notifications are the notifications that the server handles, one after the other, in the
// order in which they arrive. The context only serves to start background work.
var notifications = map[string]func(*session, context.Context, jsonrpc2.RawMessage) error{
	protocol.MethodInitialized:                        (*session).initialized,
	protocol.MethodCancelRequest:                      (*session).cancelRequest,
	protocol.MethodWindowWorkDoneProgressCancel:       (*session).cancelProgress,
	protocol.MethodTextDocumentDidOpen:                (*session).didOpen,
	protocol.MethodTextDocumentDidChange:              (*session).didChange,
	protocol.MethodTextDocumentDidSave:                (*session).didSave,
	protocol.MethodTextDocumentDidClose:               (*session).didClose,
	protocol.MethodWorkspaceDidChangeConfiguration:    (*session).didChangeConfiguration,
	protocol.MethodWorkspaceDidChangeWorkspaceFolders: (*session).didChangeWorkspaceFolders,
	protocol.MethodWorkspaceDidChangeWatchedFiles:     (*session).didChangeWatchedFiles,
}

// handle is called with every message of the client, on the goroutine that reads. The next
// message is read when handle has returned or, for a call, when the call was released.
func (s *session) handle(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	defer s.logRequest(req, time.Now())
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, s.tasks.Panicked(req.Method(), p)
		}
	}()
	if !req.IsCall() {
		s.notified(jsonrpc2.DetachContext(ctx), req)
		return nil, nil
	}
	return s.call(ctx, req)
}

// call answers a call. It releases the call, so that the connection reads on, as soon as
// the call can be cancelled and has read the state of the session.
func (s *session) call(ctx context.Context, req *jsonrpc2.Request) (reply any, err error) {
	accept, err := s.route(req.Method())
	if err != nil {
		return nil, err
	}
	do, err := accept(s, req.Params())
	if err != nil {
		return nil, err
	}
	workCtx, done := s.tasks.StartCall(ctx, redact.Name(req.Method()), req.ID())
	defer done()
	jsonrpc2.Async(ctx)
	result, err := do(workCtx)
	var coded *jsonrpc2.Error
	switch {
	case err == nil:
		return result, nil
	case workCtx.Err() != nil || errors.Is(err, context.Canceled):
		return nil, errCancelled
	case errors.As(err, &coded):
		return nil, err
	}
	return nil, jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
}

// notified handles a notification. Its errors are logged; returned to the connection, an
// error would end it.
func (s *session) notified(ctx context.Context, req *jsonrpc2.Request) {
	method := req.Method()
	if method == protocol.MethodExit {
		s.exit()
		return
	}
	handler := notifications[method]
	if handler == nil {
		if !strings.HasPrefix(method, "$/") { // these may be ignored
			s.log.Info("unknown notification", zap.String("method", redact.Name(method)))
		}
		return
	}
	if s.phase() != serving {
		s.log.Warn("notification outside of a session", zap.String("method", redact.Name(method)))
		return
	}
	if err := handler(s, ctx, req.Params()); err != nil {
		s.log.Warn("notification", zap.String("method", redact.Name(method)), redact.Cause(err))
	}
}

// cancelRequest cancels a call. The cancelled call sends its own answer.
func (s *session) cancelRequest(_ context.Context, raw jsonrpc2.RawMessage) error {
	var params struct{ ID any } // the type of the protocol package has only 32 bits
	if err := json.Unmarshal(raw, &params); err != nil {
		return fmt.Errorf("reading the parameters: %w", err)
	}
	id := wire.ID(params.ID)
	if !id.IsValid() {
		return redact.PlainError("the id is neither a whole number nor text")
	}
	s.tasks.Cancel(id)
	return nil
}

// route finds the function for a call, if the client may make the call now.
func (s *session) route(method string) (func(*session, jsonrpc2.RawMessage) (work, error), error) {
	now := s.phase()
	switch {
	case now == created && method != protocol.MethodInitialize:
		return nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the client has not sent initialize yet")
	case now > serving:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the client has already sent shutdown")
	case now == serving && method == protocol.MethodInitialize:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the client has already sent initialize")
	}
	accept := calls[method]
	if accept == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method %q is not supported", redact.Name(method))
	}
	return accept, nil
}
