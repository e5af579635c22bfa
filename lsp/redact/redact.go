// Package redact says what a log may tell of errors, panics and names. The log tells
// what happened, never what was in it: no text of a document, no parameters, no
// settings. Errors quote all of these, so their texts are not logged, but for those that
// are known to be plain.
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

// A plainError has a text that is the server's own from the first to the last
// word.
type PlainError string

func (e PlainError) Error() string { return string(e) }

// Errors of libraries whose texts are constant.
var constantErrors = []error{
	io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed, net.ErrClosed, os.ErrNotExist, os.ErrPermission,
	context.Canceled, context.DeadlineExceeded, jsonrpc2.ErrServerClosing, jsonrpc2.ErrClientClosing,
}

// cause is what the log may tell of an error: a text without contents, a code,
// or else its type.
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

// panicValue is the text of a mistake that the Go runtime found, or the type of
// what a program panicked with, which may hold anything.
func PanicValue(p any) zap.Field {
	if mistake, ok := p.(runtime.Error); ok {
		return zap.String("value", mistake.Error())
	}
	return zap.String("type", fmt.Sprintf("%T", p))
}

// brief copies a name that the client gave: it may belong to a buffer that is
// used again, and be of any length.
func Name(name string) string { return strings.Clone(name[:min(len(name), 64)]) }
