package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
	"spell-lsp/spell/wording"
)

// The commands that compare.
const (
	setBaselineCommand = "spell-lsp.setBaseline"
	compareCommand     = "spell-lsp.compare"
)

// baselineName is what the store calls the baseline that the editor sets.
const baselineName = "editor"

// How the run is called in a sentence that a user chose, and the one that was shown
// before.
const (
	theBaseline  = "the baseline"
	theRunBefore = "the run before"
)

// A baseline is the run that a result is compared with, and what came out.
type baseline struct {
	name       string // how it is called in a sentence
	run        *record.Run
	comparison *comparison.Comparison
	changes    map[string]*comparison.Component // by ID in the result
}

// An incomparable says why a result is not compared with a run.
type incomparable struct {
	name string // of the run in a sentence
	why  error
}

func (i *incomparable) Error() string {
	return "there is no comparison with " + i.name + ": " + i.why.Error()
}

// against compares a result with an earlier run, ranked in the same way, or says
// why that would say nothing. Blocks are compared with blocks only: nobody expects
// that of others.
func (r *result) against(name string, base *record.Run) (*baseline, *incomparable) {
	if base == nil || base.ID == r.run.ID || r.run.Granularity == spell.KindBlock && base.Granularity != spell.KindBlock {
		return nil, nil
	}
	c, err := comparison.Compare(ranked(base, r.settings), r.run, comparison.Options{IncludeFailed: r.settings.IncludeFailed})
	if err != nil {
		return nil, &incomparable{name, inEditor(name, err)}
	}
	b := &baseline{name: name, run: base, comparison: c, changes: make(map[string]*comparison.Component, len(c.Components))}
	for i := range c.Components {
		b.changes[c.Components[i].ID] = &c.Components[i]
	}
	return b, nil
}

// inEditor puts a refusal to compare into the words of an editor.
func inEditor(base string, err error) error {
	var refusal *comparison.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Say(wording.Editor(base)))
	}
	return err
}

// headline says what became of the whole program.
func (b *baseline) headline() string { return rendering.Headline(b.comparison, wording.Editor(b.name)) }

// of is what is compared of a component, its energy or, where none is known, its
// time; nil where the baseline does not have it.
func (b *baseline) of(component *record.Component) (what string, q *comparison.Quantity) {
	c := b.changes[component.ID]
	switch {
	case c == nil:
		return "", nil
	case !b.comparison.KnowsComponents():
		return "time", &c.TimeMS
	}
	return "energy", &c.EnergyJ
}

// change says how a component changed since the baseline, "" where nothing is
// known of that.
func (m *mark) change() string {
	return m.result.changeOf(m.of())
}

// explained is change in full sentences.
func (m *mark) explained() string {
	b := m.result.baseline
	if b == nil {
		return ""
	}
	c := b.changes[m.of().ID]
	if c == nil {
		return "It is not in " + b.name + "."
	}
	return rendering.About(b.comparison, c, wording.Editor(b.name))
}

func (r *result) changeOf(of *record.Component) string {
	if r.baseline == nil {
		return ""
	}
	what, q := r.baseline.of(of)
	if q == nil {
		return "not in " + r.baseline.name
	}
	switch q.Verdict {
	case comparison.Better, comparison.Worse:
		return rendering.Than(q.Amount, what, "") + ", significant"
	case comparison.Unchanged:
		return "no significant change"
	case comparison.Undecided:
	}
	return ""
}

// compared gives a result its comparison: with the baseline of its folder, or
// where there is none, with the run that it replaces.
func (s *session) compared(ctx context.Context, r *result) *result {
	changed := *r
	base, name, err := s.baselineOf(ctx, r)
	if err != nil {
		changed.baseline, changed.apart = nil, &incomparable{theBaseline, err}
	} else {
		changed.baseline, changed.apart = r.against(name, base)
	}
	return &changed
}

// tellApart tells why results have no comparison, each reason once. It is shown if
// the user chose the baseline, but not of what was loaded to be seen beside what was
// measured.
func (s *session) tellApart(ctx context.Context, list ...*result) {
	var told []string
	for _, r := range list {
		if r.apart == nil || slices.Contains(told, r.apart.Error()) {
			continue
		}
		told = append(told, r.apart.Error())
		if r.apart.name == theBaseline && !r.loaded() {
			s.client.show(ctx, protocol.MessageTypeWarning, r.apart.Error())
		} else {
			s.logApart(ctx, r)
		}
	}
}

// logApart notes why a result that was not just measured has no comparison.
func (s *session) logApart(ctx context.Context, r *result) {
	if r.apart != nil {
		s.client.note(ctx, protocol.MessageTypeWarning, r.apart.Error())
	}
}

func (s *session) baselineOf(ctx context.Context, r *result) (base *record.Run, name string, err error) {
	if b := s.baselines.of(r.dir); b != nil {
		return b, theBaseline, nil
	}
	if s.Store != nil {
		id, ok, err := s.Store.Baseline(r.dir, baselineName)
		if err != nil {
			return nil, "", err
		}
		if ok {
			base, err := s.Store.Load(r.dir, id)
			return base, theBaseline, err
		}
	}
	if base, err := s.inSettings(ctx, r); base != nil || err != nil {
		return base, theBaseline, err
	}
	base, name = s.before(r)
	return base, name, nil
}

// inSettings finds the run that the settings name. To find it may ask git.
func (s *session) inSettings(ctx context.Context, r *result) (*record.Run, error) {
	if r.settings.Baseline == "" || s.Named == nil {
		return nil, nil //nolint:nilnil // none is named
	}
	base, err := s.Named(ctx, r.dir, r.settings.Baseline)
	if err != nil {
		return nil, fmt.Errorf("the setting spell.baseline: %w", err)
	}
	return base, nil
}

// before finds the run that a result is compared with where there is no baseline: the
// one that it replaces or, if it is shown itself, the one that it replaced. A baseline
// that there is no more is none.
func (s *session) before(r *result) (base *record.Run, name string) {
	for _, old := range s.snapshots.now().results.list {
		switch {
		case old.dir != r.dir || old.scope != r.scope:
		case old.run.ID != r.run.ID:
			return old.run, theRunBefore
		case old.baseline != nil && old.baseline.name == theRunBefore:
			return old.baseline.run, theRunBefore
		default:
			return nil, ""
		}
	}
	return nil, ""
}

type setBaselineArguments struct {
	Run string `json:"run"` // its id; empty for the newest of a whole folder, or else of a part, that is shown
}

// setBaseline makes a run what others of its folder are compared with.
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
		s.tellApart(ctx, s.compareAnew(ctx, dir)...)
		return reply(map[string]string{"run": run.ID})
	}, nil
}

// keepBaseline keeps a run as the baseline of a folder, until the session ends if it
// cannot be saved.
func (s *session) keepBaseline(ctx context.Context, dir string, run *record.Run) {
	saved := s.Store != nil
	if saved {
		if err := s.saveBaseline(ctx, dir, run); err != nil {
			saved = false
			s.client.show(ctx, protocol.MessageTypeWarning, "the run is the baseline until the server ends: "+err.Error())
		}
	}
	if saved {
		s.baselines.forget(dir) // that in the store holds
	} else {
		s.baselines.set(dir, run)
	}
}

// saveBaseline saves which run is the baseline, and the run itself if it was loaded.
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

// scopeOf is the scope of a run that is shown.
func (s *session) scopeOf(run *record.Run) string {
	for _, r := range s.snapshots.now().results.list {
		if r.run.ID == run.ID {
			return r.scope
		}
	}
	return store.Loaded // it was taken from view meanwhile
}

// findRun finds a run by its id, among those that are shown and those of the
// store, and the folder that it is of. The error tells too of one that is saved but
// cannot be read.
func (s *session) findRun(id string) (dir string, run *record.Run, err error) {
	shown := s.snapshots.now().results.list
	for _, r := range shown {
		if r.run.ID == id || id == "" && r.scope == "" {
			return r.dir, r.run, nil
		}
	}
	if id == "" && len(shown) > 0 {
		return shown[0].dir, shown[0].run, nil
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
	return "", nil, fmt.Errorf("there is no run %q: it is neither shown nor saved for a folder that is open", id)
}

// dirs lists the open folders and those that have results.
func (s *session) dirs() []string {
	var dirs []string
	n := s.snapshots.now()
	for _, r := range n.results.list {
		dirs = append(dirs, r.dir)
	}
	for _, f := range n.folders {
		dirs = append(dirs, f.path)
	}
	return dirs
}

// compareAnew compares the results of a folder with its new baseline, and gives
// them.
func (s *session) compareAnew(ctx context.Context, dir string) []*result {
	s.revise(func(r *result) *result {
		if r.dir == dir {
			return s.compared(ctx, r)
		}
		return r
	})
	s.publisher.flush(ctx)
	shown := s.snapshots.now().results.list
	return slices.DeleteFunc(slices.Clone(shown), func(r *result) bool { return r.dir != dir })
}

type compareArguments struct {
	URI string `json:"uri"` // of a file or folder: its result; empty for the newest
}

// A compareReply is an object of the schema spell-lsp/comparison/v1, and the same
// as a page for editors that only show text.
type compareReply struct {
	*comparison.Comparison
	Page string `json:"page"`
}

// compare returns the comparison of the newest result with the baseline, or with
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
		case r.apart != nil:
			return nil, jsonrpc2.NewError(codeRequestFailed, r.apart.Error())
		case r.baseline == nil:
			return nil, jsonrpc2.NewError(codeRequestFailed, "there is nothing to compare with: measure again, or make another run the baseline ("+setBaselineCommand+")")
		}
		var page strings.Builder
		if err := rendering.Text(&page, r.baseline.comparison, rendering.Options{}); err != nil {
			return nil, err
		}
		return reply(compareReply{r.baseline.comparison, page.String()})
	}, nil
}

// resultAt finds the newest result of a file or folder, nil if there is none.
func (s *session) resultAt(u string) (*result, error) {
	path := ""
	if u != "" {
		var err error
		if path, err = location.Path(u); err != nil {
			return nil, fmt.Errorf("uri is %q: %w", u, err)
		}
	}
	shown := s.snapshots.now().results
	return shown.at(path), nil
}

// Unsaved baselines are those that the store could not keep, by the folder that they are
// of. The zero value has none.
type unsavedBaselines struct {
	mu   sync.Mutex
	runs map[string]*record.Run
}

func (u *unsavedBaselines) of(dir string) *record.Run {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.runs[dir]
}

func (u *unsavedBaselines) set(dir string, run *record.Run) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.runs == nil {
		u.runs = map[string]*record.Run{}
	}
	u.runs[dir] = run
}

func (u *unsavedBaselines) forget(dir string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.runs, dir)
}
