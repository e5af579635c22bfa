package wire

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell/capture"
	"spell-lsp/spell/page"
)

// A sanitizedClient removes control characters from messages to the user and bounds their
// length. They quote compilers, names and files, and some editors show them on a
// terminal.
type sanitizedClient struct{ protocol.Client }

func (c sanitizedClient) ShowMessage(ctx context.Context, p *protocol.ShowMessageParams) error {
	clean := *p
	clean.Message = sanitize(p.Message)
	return c.Client.ShowMessage(ctx, &clean)
}

func (c sanitizedClient) LogMessage(ctx context.Context, p *protocol.LogMessageParams) error {
	clean := *p
	clean.Message = sanitize(p.Message)
	return c.Client.LogMessage(ctx, &clean)
}

// sanitizeError returns err with a sanitized message if it is a JSON-RPC error.
func sanitizeError(err error) error {
	var coded *jsonrpc2.Error
	if !errors.As(err, &coded) || sanitize(coded.Message) == coded.Message {
		return err
	}
	clean := *coded
	clean.Message = sanitize(coded.Message)
	return &clean
}

// sanitize removes control characters from a text, and the middle of one that is too long
// to read.
func sanitize(text string) string { return page.CleanLines(capture.Text(text)) }
