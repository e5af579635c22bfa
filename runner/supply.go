package runner

import (
	"context"

	"spell-lsp/instrument"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
)

// A supply has the programs of a measurement built. Those without probes, and those that count calls,
// are built only where they are needed, which is known once the others run.
type supply interface {
	compile(context.Context) ([]execution.Program, []note.Note, error)
	plain(context.Context, []instrument.Package) ([]execution.Program, error)
	// counting also returns what the go command said of programs that do not build.
	counting(context.Context, []instrument.Package) ([]execution.Program, string, error)
}

// A compiler builds programs on this machine.
type compiler struct{ source execution.Source }

func (c compiler) compile(ctx context.Context) ([]execution.Program, []note.Note, error) {
	return execution.Compile(ctx, c.source)
}

func (c compiler) plain(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, error) {
	s := c.source
	s.Profiled = false
	return execution.CompilePlain(ctx, s, pkgs)
}

func (c compiler) counting(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, string, error) {
	s := c.source
	s.Profiled = false
	return execution.CompileCounting(ctx, s, pkgs)
}
