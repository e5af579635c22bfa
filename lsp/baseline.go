package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/render"
	"spell-lsp/lsp/results"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
)

// The commands that compare.
const (
	setBaselineCommand = "spell-lsp.setBaseline"
	compareCommand     = "spell-lsp.compare"
)

// compared returns a result together with its comparison with the baseline, or with the
// reason why there is none.
func (s *session) compared(ctx context.Context, r *results.Result) *results.Result {
	changed := *r
	base, name, err := s.baselines.of(ctx, r, s.snapshots.Current().Results)
	if err != nil {
		changed.Baseline, changed.Incomparable = nil, &results.Incomparable{Name: results.TheBaseline, Why: err}
	} else {
		changed.Baseline, changed.Incomparable = r.CompareWith(name, base)
	}
	return &changed
}

// showIncomparable says why results are not compared, each reason once: in a message if the
// user chose the baseline, and otherwise, or for loaded runs, in the client's log.
func (s *session) showIncomparable(ctx context.Context, list ...*results.Result) {
	var shown []string
	for _, r := range list {
		if r.Incomparable == nil || slices.Contains(shown, render.WhyIncomparable(r.Incomparable)) {
			continue
		}
		shown = append(shown, render.WhyIncomparable(r.Incomparable))
		if r.Incomparable.Name == results.TheBaseline && !r.Loaded() {
			s.client.Show(ctx, protocol.MessageTypeWarning, render.WhyIncomparable(r.Incomparable))
		} else {
			s.logIncomparable(ctx, r)
		}
	}
}

// logIncomparable writes to the client's log why a result is not compared.
func (s *session) logIncomparable(ctx context.Context, r *results.Result) {
	if r.Incomparable != nil {
		s.client.Log(ctx, protocol.MessageTypeWarning, render.WhyIncomparable(r.Incomparable))
	}
}

type setBaselineArguments struct {
	Run string `json:"run"` // its ID; empty for the newest shown run of a whole folder, else of a part
}

// setBaseline makes a run the baseline of its folder.
func (s *session) setBaseline(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[setBaselineArguments](raw)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		dir, run, err := s.findRun(args.Run)
		if err != nil {
			return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
		}
		s.keepBaseline(ctx, dir, run)
		s.showIncomparable(ctx, s.compareAgain(ctx, dir)...)
		return reply(map[string]string{"run": run.ID})
	}, nil
}

// keepBaseline keeps a run as the baseline of a folder. A run that cannot be saved is the
// baseline until the session ends.
func (s *session) keepBaseline(ctx context.Context, dir string, run *record.Run) {
	saved := s.Store != nil
	if saved {
		if err := s.saveBaseline(ctx, dir, run); err != nil {
			saved = false
			s.client.Show(ctx, protocol.MessageTypeWarning, "the baseline could not be saved and is forgotten when the server ends: "+err.Error())
		}
	}
	if saved {
		s.baselines.forget(dir)
	} else {
		s.baselines.keepUnsaved(dir, run)
	}
}

// saveBaseline saves that a run is the baseline, and the run itself if it was loaded.
func (s *session) saveBaseline(ctx context.Context, dir string, run *record.Run) error {
	err := s.Store.SetBaseline(dir, baselineName, run.ID)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.saveRun(ctx, dir, s.scopeOf(run), run); err != nil {
		return err
	}
	return s.Store.SetBaseline(dir, baselineName, run.ID)
}

// scopeOf returns the scope of a run that is shown.
func (s *session) scopeOf(run *record.Run) string {
	for _, r := range s.snapshots.Current().Results.List {
		if r.Run.ID == run.ID {
			return r.Scope
		}
	}
	return store.Loaded // it was cleared meanwhile
}

// findRun finds a run by its ID among the shown and the saved runs, and returns it with its
// folder. The error says if the run is saved but cannot be read.
func (s *session) findRun(id string) (dir string, run *record.Run, err error) {
	shown := s.snapshots.Current().Results.List
	for _, r := range shown {
		if r.Run.ID == id || id == "" && r.Scope == "" {
			return r.Dir, r.Run, nil
		}
	}
	if id == "" && len(shown) > 0 {
		return shown[0].Dir, shown[0].Run, nil
	}
	if id == "" {
		return "", nil, errors.New("nothing was measured yet: measure first, then make the run the baseline")
	}
	if s.Store != nil {
		var damaged *store.FileError
		for _, dir := range s.dirs() {
			run, err := s.Store.Load(dir, id)
			if err == nil {
				return dir, run, nil
			}
			errors.As(err, &damaged)
		}
		if damaged != nil {
			return "", nil, fmt.Errorf("run %s cannot be the baseline: %w", id, damaged)
		}
	}
	return "", nil, fmt.Errorf("there is no run %q: it is neither shown nor saved for an open folder", id)
}

// dirs lists the open folders and the folders that have results.
func (s *session) dirs() []string {
	var dirs []string
	n := s.snapshots.Current()
	for _, r := range n.Results.List {
		dirs = append(dirs, r.Dir)
	}
	for _, f := range n.Folders {
		dirs = append(dirs, f.Path)
	}
	return dirs
}

// compareAgain compares the results of a folder with its new baseline, and returns them.
func (s *session) compareAgain(ctx context.Context, dir string) []*results.Result {
	s.revise(func(r *results.Result) *results.Result {
		if r.Dir == dir {
			return s.compared(ctx, r)
		}
		return r
	})
	s.publisher.Flush(ctx)
	shown := s.snapshots.Current().Results.List
	return slices.DeleteFunc(slices.Clone(shown), func(r *results.Result) bool { return r.Dir != dir })
}

type compareArguments struct {
	URI string `json:"uri"` // of a file or folder, selects its newest result; empty for the newest of all
}

// A compareReply is an object of the schema spell-lsp/comparison/v1, with the comparison as
// a page for editors that only show text.
type compareReply struct {
	*comparison.Comparison
	Page string `json:"page"`
}

// compare returns the comparison of a result with the baseline or, without a baseline, with
// the run before it.
func (s *session) compare(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[compareArguments](raw)
	if err != nil {
		return nil, err
	}
	r, err := s.resultAt(args.URI)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		switch {
		case r == nil:
			return nil, jsonrpc2.NewError(codeRequestFailed, "nothing was measured yet: measure first")
		case r.Incomparable != nil:
			return nil, jsonrpc2.NewError(codeRequestFailed, render.WhyIncomparable(r.Incomparable))
		case r.Baseline == nil:
			return nil, jsonrpc2.NewError(codeRequestFailed, "there is nothing to compare with: measure again, or make another run the baseline ("+setBaselineCommand+")")
		}
		var page strings.Builder
		if err := rendering.Text(&page, r.Baseline.Comparison, rendering.Options{}); err != nil {
			return nil, err
		}
		return reply(compareReply{r.Baseline.Comparison, page.String()})
	}, nil
}

// resultAt finds the newest result of a file or folder, nil if there is none.
func (s *session) resultAt(u string) (*results.Result, error) {
	path := ""
	if u != "" {
		var err error
		if path, err = location.Path(u); err != nil {
			return nil, fmt.Errorf("uri is %q: %w", u, err)
		}
	}
	shown := s.snapshots.Current().Results
	return shown.At(path), nil
}
