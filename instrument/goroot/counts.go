package goroot

import (
	"fmt"
	"os"
	"path/filepath"

	"spell-lsp/instrument/coverage"
	"spell-lsp/instrument/probe"
)

// countersPackage is where a program that is built with -cover has its counters, since Go 1.23.
const countersPackage = "internal/coverage/cfile"

// beginFile, of the probe's part of package testing, knows when tests begin and end.
const beginFile = "spell_lsp_begin.go"

// CountTests makes the files of the standard library with which a program that is built with
// -cover tells how often functions are called in each test, or between two moments; by absolute
// path, for a Go release that is installed in dir. What runs is not changed by them, nor are the
// counters, which are the compiler's.
func CountTests(dir string) (map[string][]byte, error) {
	if _, err := os.Stat(filepath.Join(dir, "src", filepath.FromSlash(countersPackage))); err != nil {
		return nil, fmt.Errorf("this Go release has no package %s", countersPackage)
	}
	var f Files
	if err := f.edit(dir, testingEdits); err != nil {
		return nil, err
	}
	begin, err := probe.Sources.ReadFile("_testing/" + beginFile)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{
		"testing/spell_lsp.go": coverage.Testing, "testing/" + beginFile: begin, countersPackage + "/spell_lsp.go": coverage.Counters,
	} {
		f.Texts[filepath.Join(dir, "src", filepath.FromSlash(name))] = text
	}
	return f.Texts, nil
}
