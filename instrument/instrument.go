// Package instrument prepares a build of a Go module in which every function
// counts its calls and the time it runs. The module's files are not written:
// the build is described by an overlay (go build -overlay), which maps files
// of the module, and some of the standard library, to edited copies.
package instrument

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/instrument/goroot"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/note"
)

// Prepare finds the packages and their functions and writes the overlay into
// p.Temp. It fails with a *gocmd.LoadError where the go command cannot make sense of
// the packages.
func Prepare(ctx context.Context, p Params) (*Build, error) {
	env, err := gocmd.Ask(ctx, p.Dir, p.Platform)
	if err != nil {
		return nil, err
	}
	if p.Progress == nil {
		p.Progress = func(string) {}
	}
	kept := cache.Open(p.Cache)
	tools, err := gocmd.NewToolchain(env, cmp.Or(kept.Dir, p.Temp), p.Temp)
	if err != nil {
		return nil, err
	}
	g := &goroot.Files{}
	if !p.Sampled {
		if g, err = goroot.Edit(tools.Root, env.GOVERSION, p.Fallback); err != nil {
			return nil, err
		}
	}
	b := &Build{Root: env.Root(), GOROOT: env.GOROOT, Toolchain: tools, GoVersion: env.GOVERSION, Fallback: g.Fallback}
	prep := &preparation{Params: &p, build: b, tools: gocmd.Runner{Toolchain: tools, Temp: p.Temp, Run: p.Run}, goroot: g, cache: kept}
	prep.settle(env)
	if err := prep.load(ctx, env); err != nil {
		return nil, err
	}
	if kept.Unsafe != nil {
		prep.note(note.NothingCached(kept.Unsafe.Error()))
	}
	if err := prep.readUnits(ctx); err != nil {
		return nil, err
	}
	structures := prep.findStructure(ctx)
	defer structures() // nothing goes on after the return
	if err := prep.onlyReaching(); err != nil {
		return nil, err
	}
	err = prep.instrument(ctx)
	if errors.Is(err, cache.ErrRowsFull) {
		err = prep.again(ctx)
	}
	if errors.Is(err, cache.ErrRowsFull) {
		return nil, fmt.Errorf("there are more functions than the %d that can be measured at once: name fewer packages", probe.MaxComponents)
	}
	if err != nil {
		return nil, err
	}
	prep.cache.Trim(time.Now())
	if err := prep.finish(); err != nil {
		return b, err
	}
	b.addStructure(structures())
	return b, nil
}
