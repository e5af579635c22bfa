package instrument

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/capture"
)

// Findings are what the analysers find in packages of a workspace, and what is wrong with those that
// do not compile, which have no findings. Of p, Dir, Patterns, Tags, Buffers and Temp count. Names of
// files are relative to the workspace root, which must be root: that of the run that is advised on.
//
// find is analyzers.Find: the analysers' packages take half of the time in which the command starts, so
// only a program that advises has them.
func Findings(ctx context.Context, p Params, root string, find func([]*packages.Package, string) []advice.Finding) (list []advice.Finding, broken []string, err error) {
	env, err := gocmd.Ask(ctx, p.Dir, p.Platform)
	if err != nil {
		return nil, nil, err
	}
	if !sameFolder(env.Root(), root) {
		return nil, nil, fmt.Errorf("the run was measured with the workspace root %s, and now it is %s: measure again", root, env.Root())
	}
	work, err := env.Workspace(p.Temp)
	if err != nil {
		return nil, nil, err
	}
	cfg := config(ctx, p, work)
	cfg.Tests, cfg.Mode = false, packages.LoadSyntax
	pkgs, err := packages.Load(cfg, work.Expand(p.Dir, p.Patterns)...)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("loading the packages: %s", work.Original(goMessage(err)))
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			broken = append(broken, p.PkgPath+": "+work.Original(firstError(p.Errors)))
		}
	}
	return find(pkgs, env.Root()), broken, nil
}

// sameFolder tells whether two names are of one folder.
func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// firstError is the first of the errors that has a place, in one line.
func firstError(list []packages.Error) string {
	at := max(0, slices.IndexFunc(list, func(e packages.Error) bool { return e.Kind != packages.ListError && e.Pos != "" }))
	return strings.Join(strings.Fields(capture.Text(strings.TrimPrefix(list[at].Error(), "-: "))), " ")
}
