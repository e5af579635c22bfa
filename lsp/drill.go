package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/results"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
)

const drillDownCommand = "spell-lsp.drillDown"

type drillDownArguments struct {
	ID  string `json:"id"`            // of a measured function
	URI string `json:"uri,omitempty"` // of a file or folder: selects the checkout of the module that contains it
}

// drillDown measures the loop and branch bodies of one function, with the tests that reach
// it or the programs that ran it. The reply is a measureReply.
func (s *session) drillDown(raw protocol.LSPAny, token protocol.ProgressToken) (work, error) {
	args, err := arguments[drillDownArguments](raw)
	if err != nil {
		return nil, err
	}
	if args.ID == "" {
		return nil, fmt.Errorf("id must be the ID of a function, as the command %s returns it", rankingCommand)
	}
	path := ""
	if args.URI != "" {
		if path, err = location.Path(args.URI); err != nil {
			return nil, fmt.Errorf("uri is %q: %w", args.URI, err)
		}
	}
	list := s.snapshots.Current().Results.List
	r, err := s.drillable(list, args.ID, path)
	switch {
	case err != nil:
		return nil, err
	case r != nil:
		return s.drill(token, r, args.ID)
	}
	return func(ctx context.Context) (any, error) {
		return s.tasks.Await(ctx, "looking for a function", func(ctx context.Context) (any, error) {
			return s.drillByName(ctx, token, list, args.ID, path)
		})
	}, nil
}

// drillable finds a result that contains a component: the result of the innermost folder
// around path, else the newest result. It returns nil if no result contains the component,
// and an error if none of the results that do may be measured.
func (s *session) drillable(list []*results.Result, id, path string) (best *results.Result, err error) {
	for _, r := range list {
		if !r.IDs()[id] {
			continue
		}
		if e := s.mayRunIn(r.Dir); e != nil {
			err = e
			continue
		}
		if best == nil || path != "" && location.Within(path, r.Dir) && (!location.Within(path, best.Dir) || len(r.Dir) > len(best.Dir)) {
			best = r
		}
	}
	if best != nil {
		return best, nil
	}
	return nil, err
}

// mayRunIn refuses a folder outside the open folders, if any folder is open: the user
// trusts only these, and a loaded run may name any folder.
func (s *session) mayRunIn(dir string) error {
	if n := s.snapshots.Current(); len(n.Folders) > 0 && n.OpenFolder(dir) == "" {
		return fmt.Errorf("%s is not in an open folder: open it first", dir)
	}
	return nil
}

func (s *session) drill(token protocol.ProgressToken, r *results.Result, id string) (work, error) {
	request := Request{Dir: r.Dir, Patterns: []string{everything}, Reach: id}
	if results.OfPrograms(r.Run) {
		ran, err := s.again(r, r.Ran(slices.IndexFunc(r.Run.Components, func(c record.Component) bool { return c.ID == id })))
		if err != nil {
			return nil, err
		}
		request.setScenarios(ran)
	}
	request.Block, request.Scope = id, "blocks of "+id
	return s.start(token, job{Request: request})
}

// drillByName drills into the function whose ID ends in name; the error suggests a function
// with a similar name. It runs as part of the work, because comparing name with all IDs of
// a large run takes long.
func (s *session) drillByName(ctx context.Context, token protocol.ProgressToken, list []*results.Result, name, path string) (any, error) {
	unknown := errors.New("nothing was measured yet")
	for _, r := range list {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		i, err := grouping.Find(r.Run, name)
		if err != nil {
			unknown = err
			continue
		}
		id := r.Run.Components[i].ID
		found, err := s.drillable(list, id, path)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", drillDownCommand, err)
		}
		do, err := s.drill(token, found, id)
		if err != nil {
			return nil, err
		}
		return do(ctx)
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: no function %q was measured (%v): measure first, then drill into it", drillDownCommand, name, unknown)
}
