package checking

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/tools/cover"

	"spell-lsp/internal/leaks/seeding"
)

// counts tell how often the tests executed the blocks of a file, by import path and base
// name of the file.
type counts map[string][]cover.ProfileBlock

// count executes all tests once with coverage. Some fail only then, which does not matter.
func (m *Module) count(ctx context.Context) error {
	file := filepath.Join(m.sandbox.dir, "coverage")
	_, failed := m.sandbox.run(ctx, m.dir, programLimit, "go", "test", "-count=1", "-vet=off", "-p=1", "-covermode=atomic", "-coverpkg=./...", "-coverprofile="+file, "./...")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	profiles, err := cover.ParseProfiles(file)
	if err != nil {
		return fmt.Errorf("executing the tests with coverage: %w", firstError(failed, err))
	}
	m.counts = make(counts)
	for _, p := range profiles {
		m.counts[p.FileName] = p.Blocks
	}
	return os.Remove(file)
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// at is how often the code at an offset was executed: the count of the block that contains
// it or, at a brace, of the next one.
func (c counts) at(s *seeding.Source, offset int) int {
	before := s.Text[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := offset - bytes.LastIndexByte(before, '\n')
	for _, b := range c[path.Join(s.Types.Path(), path.Base(s.Name))] { // in their order
		if line < b.EndLine || line == b.EndLine && column < b.EndCol {
			return b.Count
		}
	}
	return 0
}
