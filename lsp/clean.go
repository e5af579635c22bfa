package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell/page"
)

// A cleanClient is a client to which messages go without control characters: they
// quote compilers, names and files, and some editors show them on a terminal.
type cleanClient struct{ protocol.Client }

func (c cleanClient) ShowMessage(ctx context.Context, p *protocol.ShowMessageParams) error {
	clean := *p
	clean.Message = page.CleanLines(p.Message)
	return c.Client.ShowMessage(ctx, &clean)
}

func (c cleanClient) LogMessage(ctx context.Context, p *protocol.LogMessageParams) error {
	clean := *p
	clean.Message = page.CleanLines(p.Message)
	return c.Client.LogMessage(ctx, &clean)
}

// cleanError is err with a message that an editor can show.
func cleanError(err error) error {
	var coded *jsonrpc2.Error
	if !errors.As(err, &coded) || page.CleanLines(coded.Message) == coded.Message {
		return err
	}
	clean := *coded
	clean.Message = page.CleanLines(coded.Message)
	return &clean
}
