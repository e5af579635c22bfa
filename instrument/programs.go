package instrument

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"spell-lsp/instrument/gocmd"
)

// Programs lists the folders of the main packages of the main modules that the patterns match, sorted.
// Of p, Dir, Patterns, Tags and Temp count.
func Programs(ctx context.Context, p Params) ([]string, error) {
	env, err := gocmd.Ask(ctx, p.Dir, p.Platform)
	if err != nil {
		return nil, err
	}
	work, err := env.Workspace(p.Temp)
	if err != nil {
		return nil, err
	}
	p.Programs = true
	cfg := config(ctx, p, work)
	cfg.Mode = packages.NeedName | packages.NeedFiles | packages.NeedModule
	pkgs, err := packages.Load(cfg, work.Expand(p.Dir, p.Patterns)...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %s", work.Original(goMessage(err)))
	}
	var folders []string
	for _, p := range pkgs {
		if p.Name == "main" && len(p.GoFiles) > 0 && p.Module != nil && p.Module.Main {
			folders = append(folders, filepath.Dir(p.GoFiles[0]))
		}
	}
	slices.Sort(folders)
	return folders, nil
}
