package lsp

import (
	"context"
	"fmt"
	"sync"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
)

// baselineName is the name, in the store, of the baseline that an editor sets.
const baselineName = "editor"

// baselines choose the run that a result is compared with.
type baselines struct {
	store *store.Store // nil if nothing is saved
	// named finds the run that the setting baseline names, see Options; nil finds none.
	named func(ctx context.Context, dir, name string) (*record.Run, error)

	mu      sync.Mutex
	unsaved map[string]*record.Run // baselines that the store could not keep, by folder
}

// of returns the run that a result is compared with, and the words for it in a sentence: the
// baseline of the folder, else the run that the settings name, else the run before it, else
// nil.
func (b *baselines) of(ctx context.Context, r *results.Result, shown *results.Layers) (base *record.Run, name string, err error) {
	if base := b.kept(r.Dir); base != nil {
		return base, results.TheBaseline, nil
	}
	if b.store != nil {
		id, ok, err := b.store.Baseline(r.Dir, baselineName)
		if err != nil {
			return nil, "", err
		}
		if ok {
			base, err := b.store.Load(r.Dir, id)
			return base, results.TheBaseline, err
		}
	}
	if base, err := b.inSettings(ctx, r); base != nil || err != nil {
		return base, results.TheBaseline, err
	}
	base, name = runBefore(r, shown)
	return base, name, nil
}

// inSettings finds the run that the settings name. It may run git.
func (b *baselines) inSettings(ctx context.Context, r *results.Result) (*record.Run, error) {
	if r.Settings.Baseline == "" || b.named == nil {
		return nil, nil //nolint:nilnil // none is named
	}
	base, err := b.named(ctx, r.Dir, r.Settings.Baseline)
	if err != nil {
		return nil, fmt.Errorf("the setting spell.baseline: %w", err)
	}
	return base, nil
}

// runBefore finds the run that a result is compared with without a baseline: the run that it
// replaces or, if the result is already shown, the run that it replaced. A former baseline
// does not count.
func runBefore(r *results.Result, shown *results.Layers) (base *record.Run, name string) {
	for _, old := range shown.List {
		switch {
		case old.Dir != r.Dir || old.Scope != r.Scope:
		case old.Run.ID != r.Run.ID:
			return old.Run, results.TheRunBefore
		case old.Baseline != nil && old.Baseline.Name == results.TheRunBefore:
			return old.Baseline.Run, results.TheRunBefore
		default:
			return nil, ""
		}
	}
	return nil, ""
}

// kept returns the baseline of a folder that could not be saved, or nil.
func (b *baselines) kept(dir string) *record.Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unsaved[dir]
}

// keepUnsaved keeps the baseline of a folder until the session ends.
func (b *baselines) keepUnsaved(dir string, run *record.Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unsaved == nil {
		b.unsaved = map[string]*record.Run{}
	}
	b.unsaved[dir] = run
}

// forget drops the unsaved baseline of a folder, so that the saved one counts.
func (b *baselines) forget(dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.unsaved, dir)
}
