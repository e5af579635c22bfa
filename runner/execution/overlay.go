package execution

import (
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

// plainOverlay is the overlay of a build without probes: an editor's unsaved text alone.
func (s Source) plainOverlay() (string, error) {
	dir, err := scratch.Sub(s.Scratch, "plain")
	if err != nil {
		return "", err
	}
	files := maps.Clone(s.Buffers)
	maps.Copy(files, s.Plain)
	return overlay.Write(dir, files)
}

// countingOverlay is that of a build whose calls are counted: beside an editor's unsaved text, what
// has the program tell its counters.
func (s Source) countingOverlay() (string, error) {
	files, err := goroot.CountTests(s.Toolchain.Root)
	if err != nil {
		return "", err
	}
	dir, err := scratch.Sub(s.Scratch, "counting")
	if err != nil {
		return "", err
	}
	maps.Copy(files, s.Buffers)
	maps.Copy(files, s.Plain)
	return overlay.Write(dir, files)
}
