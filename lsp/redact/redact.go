// Package redact reduces errors, panics and client-supplied names to what a log may
// contain. A log is attached to bug reports, so it must hold no document text, request
// parameters or settings. Error messages quote all of these, so only messages known to be
// constant are logged; other errors are logged by type.
package redact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"
)

// A PlainError is an error whose message quotes nothing: the server wrote every word of it.
type PlainError string

func (e PlainError) Error() string { return string(e) }

// constantErrors are library errors with constant messages.
var constantErrors = []error{
	io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed, net.ErrClosed, os.ErrNotExist, os.ErrPermission,
	context.Canceled, context.DeadlineExceeded, jsonrpc2.ErrServerClosing, jsonrpc2.ErrClientClosing,
}

// Cause returns what may be logged of an error: its message if that is a [PlainError] or
// constant, the code of a JSON-RPC error, and otherwise the type of the innermost error.
func Cause(err error) zap.Field { return zap.String("cause", causeOf(err)) }

func causeOf(err error) string {
	var plain PlainError
	var errno syscall.Errno
	var coded *jsonrpc2.Error
	switch {
	case errors.As(err, &plain):
		return plain.Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &coded):
		return fmt.Sprintf("error %d", coded.Code)
	}
	for _, constant := range constantErrors {
		if errors.Is(err, constant) {
			return constant.Error()
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Sprintf("%T", err)
}

// PanicValue returns what may be logged of a recovered value: the message of a run-time
// error, otherwise only the type, as the value may hold anything.
func PanicValue(p any) zap.Field {
	if mistake, ok := p.(runtime.Error); ok {
		return zap.String("value", mistake.Error())
	}
	return zap.String("type", fmt.Sprintf("%T", p))
}

// Name copies the first 64 bytes of a name that the client sent. The copy matters: the
// name may be part of a buffer that is reused for the next message.
func Name(name string) string { return strings.Clone(name[:min(len(name), 64)]) }
