package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
)

// FlushMethod is answered when all that was due when it was called has been
// published. Only tests have it.
const FlushMethod = "$/flush"

func init() {
	calls[FlushMethod] = func(s *session, _ jsonrpc2.RawMessage) (work, error) {
		return func(ctx context.Context) (any, error) {
			s.flush(ctx)
			return nil, nil
		}, nil
	}
}
