package runner

import (
	"context"

	"spell-lsp/instrument"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
)

// A Supply has the programs of a measurement built. Those without probes, and those that count calls,
// are built only where they are needed, which is known once the others run.
type Supply interface {
	Compile(context.Context) ([]execution.Program, []note.Note, error)
	Plain(context.Context, []instrument.Package) ([]execution.Program, error)
	// Counting also returns what the go command said of programs that do not build.
	Counting(context.Context, []instrument.Package) ([]execution.Program, string, error)
}

// A compiler builds programs on this machine.
type compiler struct{ source execution.Source }

func (c compiler) Compile(ctx context.Context) ([]execution.Program, []note.Note, error) {
	return execution.Compile(ctx, c.source)
}

func (c compiler) Plain(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, error) {
	s := c.source
	s.Profiled = false
	return execution.CompilePlain(ctx, s, pkgs)
}

func (c compiler) Counting(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, string, error) {
	s := c.source
	s.Profiled = false
	return execution.CompileCounting(ctx, s, pkgs)
}
