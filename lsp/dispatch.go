package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
)

// codeRequestFailed is LSP's code for a valid request that could not be
// fulfilled (LSP 3.17, "ErrorCodes.RequestFailed").
const codeRequestFailed jsonrpc2.Code = -32803

// errCancelled answers a call that was cancelled (LSP 3.17,
// "ErrorCodes.RequestCancelled"). Some editors show the text as it is.
var errCancelled = jsonrpc2.NewError(protocol.ErrRequestCancelled.Code, "cancelled")

// Work is the part of a call that may overlap with later messages.
type work func(context.Context) (any, error)

// The calls that the server answers. Each takes the parameters in the order of
// the wire and returns the work to be done, so that what a call sees is what
// the client had said when it called.
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

// The notifications that the server knows. They are handled one after the
// other in the order of the wire; the context is good for starting background
// work.
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

// handle is given every message of the client. It runs on the goroutine that
// reads, which goes on reading when handle has returned or, for a call, when
// the work was released.
func (s *session) handle(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	defer s.logRequest(req, time.Now())
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, s.panicked(req.Method(), p)
		}
	}()
	if !req.IsCall() {
		s.notified(jsonrpc2.DetachContext(ctx), req)
		return nil, nil
	}
	return s.call(ctx, req)
}

// call answers a call. It is released, for the connection to read on, when it
// can be cancelled and has seen the state of the session.
func (s *session) call(ctx context.Context, req *jsonrpc2.Request) (reply any, err error) {
	defer func() { err = cleanError(err) }()
	accept, err := s.route(req.Method())
	if err != nil {
		return nil, err
	}
	do, err := accept(s, req.Params())
	if err != nil {
		return nil, err
	}
	workCtx, done := s.tasks.startCall(ctx, redact.Name(req.Method()), req.ID())
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

// notified handles a notification. Its errors go to the log: the connection
// would take one for its own end.
func (s *session) notified(ctx context.Context, req *jsonrpc2.Request) {
	method := req.Method()
	if method == protocol.MethodExit {
		s.exit()
		return
	}
	handler := notifications[method]
	if handler == nil {
		if !strings.HasPrefix(method, "$/") { // those may be ignored
			s.log.Info("unknown notification", zap.String("method", redact.Name(method)))
		}
		return
	}
	if !s.ready() {
		s.log.Warn("notification outside of a session", zap.String("method", redact.Name(method)))
		return
	}
	if err := handler(s, ctx, req.Params()); err != nil {
		s.log.Warn("notification", zap.String("method", redact.Name(method)), redact.Cause(err))
	}
}

// background runs f until it returns; its context ends with the client.
func (s *session) background(base context.Context, name string, f func(context.Context)) {
	ctx, done := s.tasks.start(base, name)
	go func() {
		defer done()
		defer func() {
			if p := recover(); p != nil {
				_ = s.panicked(name, p) // nobody waits for it
			}
		}()
		f(ctx)
	}()
}

// interruptible runs f, but does not wait for it longer than ctx lasts: an
// answer to a cancelled call is due at once, ending a measurement takes time.
func (s *session) interruptible(ctx context.Context, name string, f work) (result any, err error) {
	type outcome struct {
		result any
		err    error
	}
	ended := make(chan outcome, 1)
	s.background(ctx, name, func(end context.Context) {
		var o outcome
		defer func() { ended <- o }()
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: s.panicked(name, p)}
			}
		}()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(end, cancel)()
		o.result, o.err = f(ctx)
	})
	select {
	case o := <-ended:
		return o.result, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *session) panicked(what string, p any) error {
	s.log.Error("panic", zap.String("in", redact.Name(what)), redact.PanicValue(p), zap.ByteString("stack", debug.Stack()))
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s: %v", what, p)
}

// decode reads the parameters of a method.
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

// cancelRequest ends a call that is in flight; the call itself says so to the
// client.
func (s *session) cancelRequest(_ context.Context, raw jsonrpc2.RawMessage) error {
	var params struct{ ID any } // the protocol's type has no room for an id beyond 32 bits
	if err := json.Unmarshal(raw, &params); err != nil {
		return fmt.Errorf("reading the parameters: %w", err)
	}
	id := idOf(params.ID)
	if !id.IsValid() {
		return redact.PlainError("the id is neither a whole number nor text")
	}
	s.tasks.cancel(id)
	return nil
}
