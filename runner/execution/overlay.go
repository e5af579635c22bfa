package execution

import (
	_ "embed" // what programs are given
	"maps"
	"path/filepath"
	"strings"

	"spell-lsp/instrument/goroot"
	"spell-lsp/instrument/overlay"
	"spell-lsp/runner/scratch"
)

// originalPlaces replaces the names of overlay files in the go command's output by those of the
// original files, as the go command shows them when it runs in dir.
func originalPlaces(output, name, dir string) (string, error) {
	replace, err := overlay.Read(name)
	if err != nil {
		return "", err
	}
	var pairs []string
	for original, copied := range replace {
		shown := shortPath(dir, original)
		// The go command shows a relative name where it is the shorter one. A
		// place follows, so that 1_a.go is not taken for the end of 11_a.go.
		if rel, err := filepath.Rel(dir, copied); err == nil {
			pairs = append(pairs, rel+":", shown+":")
		}
		pairs = append(pairs, copied+":", shown+":")
	}
	return strings.NewReplacer(pairs...).Replace(output), nil
}

// shortPath is how the go command, run in dir, shows a file.
func shortPath(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	switch {
	case err != nil || len(rel) >= len(file):
		return file
	case filepath.Base(rel) == rel:
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// plain are the files of the overlay of a build without probes: an editor's unsaved text, and what the go
// command needs.
func (s Source) plain() map[string][]byte {
	files := make(map[string][]byte)
	maps.Copy(files, s.Buffers)
	maps.Copy(files, s.Plain)
	return files
}

// plainOverlay is the overlay of a build without probes.
func (s Source) plainOverlay() (string, error) { return s.write("plain", s.plain()) }

// countingOverlay is that of a build whose calls are counted: what has the program tell its counters is added.
func (s Source) countingOverlay() (string, error) {
	files, err := goroot.CountTests(s.Toolchain.Root)
	if err != nil {
		return "", err
	}
	maps.Copy(files, s.plain())
	return s.write("counting", files)
}

// profilingOverlay is that of programs that sample themselves.
func (s Source) profilingOverlay() (string, error) {
	files := s.plain()
	for _, p := range s.Tests {
		files[filepath.Join(p.Dir, "0_spell_lsp_profile.go")] = profileFile
	}
	return s.write("profiling", files)
}

// profileFile goes into package main of a program that is to sample itself, as its first file.
//
//go:embed _profile/spell_lsp_profile.go
var profileFile []byte

// write writes an overlay into a scratch folder of that name.
func (s Source) write(folder string, files map[string][]byte) (string, error) {
	dir, err := scratch.Sub(s.Scratch, folder)
	if err != nil {
		return "", err
	}
	return overlay.Write(dir, files)
}
