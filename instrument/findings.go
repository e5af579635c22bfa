package instrument

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spell-lsp/instrument/analyzers"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/capture"
)

// Findings are what the analysers find in packages of a workspace, and what is wrong with those that
// do not compile, which have no findings. Of p, Dir, Patterns, Tags, Buffers and Temp count. Names of
// files are relative to the workspace root.
func Findings(ctx context.Context, p Params) (list []advice.Finding, broken []string, err error) {
	env, err := gocmd.Ask(ctx, p.Dir)
	if err != nil {
		return nil, nil, err
	}
	work, err := env.Workspace(p.Temp)
	if err != nil {
		return nil, nil, err
	}
	cfg := config(ctx, p, work)
	cfg.Tests, cfg.Mode = false, packages.LoadSyntax //nolint:staticcheck // this is just what it stands for
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
	return analyzers.Find(pkgs, env.Root()), broken, nil
}

// firstError is the first of the errors that has a place, in one line.
func firstError(list []packages.Error) string {
	at := max(0, slices.IndexFunc(list, func(e packages.Error) bool { return e.Kind != packages.ListError && e.Pos != "" }))
	return strings.Join(strings.Fields(capture.Text(strings.TrimPrefix(list[at].Error(), "-: "))), " ")
}
