package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"
)

const drillDownCommand = "spell-lsp.drillDown"

type drillDownArguments struct {
	ID string `json:"id"` // of a function that was measured
}

// drillDown measures the loop and branch bodies of one function, by the tests
// that reach it. The reply is that of a measurement.
func (s *session) drillDown(raw protocol.LSPAny, token protocol.ProgressToken) (work, error) {
	args, err := arguments[drillDownArguments](raw)
	if err != nil {
		return nil, err
	}
	if args.ID == "" {
		return nil, fmt.Errorf("id must be that of a function, as the command %s gives it", rankingCommand)
	}
	s.mu.Lock()
	list := s.results.list
	s.mu.Unlock()
	for _, r := range list {
		if _, err := r.run.Find(args.ID); err == nil {
			return s.start(token, job{Request: Request{
				Dir: r.dir, Patterns: []string{everything}, Reach: args.ID, Block: args.ID, Scope: "blocks of " + args.ID,
			}})
		}
	}
	return nil, fmt.Errorf("no function %q was measured: measure first, then drill into it", args.ID)
}
