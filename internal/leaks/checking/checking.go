// Package checking makes sure that a leak is one. It puts leaks of package seeding into a
// copy of a module, and keeps those with which the module's tests end as without, and take
// 10 to 28 % more CPU time. The strength of a leak is chosen so that it does.
//
// Tests are programs of other authors. They run one at a time, with a home folder and a
// folder for temporary files of their own, under a limit of time and memory, and in a
// process group that is killed when they end.
package checking

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spell-lsp/internal/leaks/seeding"
)

// A Module is a copy of a module whose tests were executed without a leak.
type Module struct {
	sandbox  *sandbox
	dir      string
	sources  []seeding.Source
	programs []program
	counts   counts
	total    time.Duration // CPU time of all programs
}

// A Leak is a site that passed, with the text of its file.
type Leak struct {
	Site     seeding.Site
	Strength int
	Cost     float64 // what the leak adds to the CPU time of all tests, relative to that without it
	Text     []byte
}

// Open copies the module in folder source to a new folder below scratch, and builds and
// executes its tests, which takes several times as long as they do. The folder must have a
// go.mod; the module's dependencies are downloaded if the module cache does not have them.
func Open(ctx context.Context, source, scratch string) (*Module, error) {
	box, err := newSandbox(ctx, scratch)
	if err != nil {
		return nil, err
	}
	m := &Module{sandbox: box, dir: filepath.Join(box.dir, "module")}
	if err := os.CopyFS(m.dir, os.DirFS(source)); err != nil {
		return nil, fmt.Errorf("copying the module: %w", err)
	}
	for _, step := range []func(context.Context) error{m.load, m.build, m.executePlain, m.count} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Close removes the copy of the module.
func (m *Module) Close() error { return os.RemoveAll(m.sandbox.dir) }

func (m *Module) source(s seeding.Site) *seeding.Source {
	i := slices.IndexFunc(m.sources, func(f seeding.Source) bool { return f.Name == s.File })
	return &m.sources[i]
}

// Draw puts the sites that the tests execute into an order that the seed decides: kinds in
// turns, and within a kind one site of each function, so that neither a frequent kind nor a
// long function is drawn more often.
func (m *Module) Draw(seed uint64) []seeding.Site {
	random := rand.New(rand.NewPCG(seed, 0))
	sites := slices.DeleteFunc(seeding.Sites(m.sources), func(s seeding.Site) bool { return m.counts.at(m.source(s), s.Offset) == 0 })
	random.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	var kinds []string
	byKind := make(map[string][]seeding.Site)
	for _, s := range sites {
		list := byKind[s.Kind]
		if list == nil {
			kinds = append(kinds, s.Kind)
		}
		if !slices.ContainsFunc(list, func(o seeding.Site) bool { return o.Function == s.Function }) {
			byKind[s.Kind] = append(list, s)
		}
	}
	slices.Sort(kinds) // the first site of a frequent kind comes early
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	var drawn []seeding.Site
	for turn := 0; ; turn++ {
		before := len(drawn)
		for _, k := range kinds {
			if turn < len(byKind[k]) {
				drawn = append(drawn, byKind[k][turn])
			}
		}
		if len(drawn) == before {
			return drawn
		}
	}
}
