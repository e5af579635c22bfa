package instrument

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/packages"

	"spell-lsp/instrument/analyzers"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/spell/advice"
)

// Findings are what the analysers find in packages of a workspace. Of p, Dir, Patterns, Tags, Buffers
// and Temp count. Names of files are relative to the workspace root. Packages that do not compile have
// none.
func Findings(ctx context.Context, p Params) ([]advice.Finding, error) {
	env, err := gocmd.Ask(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	work, err := env.Workspace(p.Temp)
	if err != nil {
		return nil, err
	}
	cfg := config(ctx, p, work)
	cfg.Tests, cfg.Mode = false, packages.LoadSyntax //nolint:staticcheck // this is just what it stands for
	pkgs, err := packages.Load(cfg, work.Expand(p.Dir, p.Patterns)...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("loading the packages: %s", work.Original(goMessage(err)))
	}
	return analyzers.Find(pkgs, env.Root()), nil
}
