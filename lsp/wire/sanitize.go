package wire

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell/capture"
	"spell-lsp/spell/page"
)

// A cleanClient is a client to which messages go without control characters and of a
// bounded length: they quote compilers, names and files, and some editors show them on
// a terminal.
type cleanClient struct{ protocol.Client }

func (c cleanClient) ShowMessage(ctx context.Context, p *protocol.ShowMessageParams) error {
	clean := *p
	clean.Message = readable(p.Message)
	return c.Client.ShowMessage(ctx, &clean)
}

func (c cleanClient) LogMessage(ctx context.Context, p *protocol.LogMessageParams) error {
	clean := *p
	clean.Message = readable(p.Message)
	return c.Client.LogMessage(ctx, &clean)
}

// cleanError is err with a message that an editor can show.
func cleanError(err error) error {
	var coded *jsonrpc2.Error
	if !errors.As(err, &coded) || readable(coded.Message) == coded.Message {
		return err
	}
	clean := *coded
	clean.Message = readable(coded.Message)
	return &clean
}

// readable is a text without control characters, and without its middle where it is
// longer than anybody reads.
func readable(text string) string { return page.CleanLines(capture.Text(text)) }
