package execution

import (
	_ "embed" // what a program is given
	"maps"
	"path/filepath"

	"spell-lsp/instrument/overlay"
	"spell-lsp/runner/scratch"
)

// profileFile goes into package main of a program that is to sample itself, as its first file.
//
//go:embed _profile/spell_lsp_profile.go
var profileFile []byte

// profilingOverlay is the overlay of programs without probes that sample themselves.
func (s Source) profilingOverlay() (string, error) {
	dir, err := scratch.Sub(s.Scratch, "profiling")
	if err != nil {
		return "", err
	}
	files := maps.Clone(s.Plain)
	if files == nil {
		files = make(map[string][]byte)
	}
	maps.Copy(files, s.Buffers)
	for _, p := range s.Tests {
		files[filepath.Join(p.Dir, "0_spell_lsp_profile.go")] = profileFile
	}
	return overlay.Write(dir, files)
}
