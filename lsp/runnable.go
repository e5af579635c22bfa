package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/settings"
)

// A runnable is a test, or a way to run a program, that a lens or a code action measures.
type runnable struct {
	at    *outline.Function // the test, or the function main
	scope string            // of the command measure: test, program or scenario
	name  string            // of the test or the scenario
}

// lens is the title of its lens.
func (r runnable) lens() string {
	if r.scope == "scenario" {
		return "measure energy: " + r.name
	}
	return "measure energy"
}

// action is the title of its code action.
func (r runnable) action() string {
	switch r.scope {
	case "program":
		return "Measure energy of this program"
	case "scenario":
		return "Measure energy of scenario " + r.name
	}
	return "Measure energy of " + r.name
}

func (r runnable) arguments(uri string) measureArguments {
	return measureArguments{Scope: r.scope, URI: uri, Name: r.name}
}

// runnables lists the tests of a file, or the ways to run its program.
func (s *session) runnables(path string, v *view.View) []runnable {
	if !strings.HasSuffix(path, "_test.go") {
		return s.programsIn(path, v)
	}
	var list []runnable
	functions := v.Source.Outline().Functions
	for i := range functions {
		if f := &functions[i]; f.Test {
			list = append(list, runnable{f, "test", f.Name})
		}
	}
	return list
}

// runnablesAt lists the runnables that a range of bytes touches: a test, or the ways to run a program.
func (s *session) runnablesAt(path string, v *view.View, from, to int) []runnable {
	list := s.runnables(path, v)
	list = slices.DeleteFunc(list, func(r runnable) bool { return r.at.Start > to || from > r.at.End })
	if len(list) > 1 && list[0].scope == "test" {
		return list[:1]
	}
	return list
}

// programsIn lists the ways to run the program whose function main is in a file: without arguments, and
// as each scenario of its package does.
func (s *session) programsIn(path string, v *view.View) []runnable {
	if !strings.HasSuffix(path, ".go") {
		return nil
	}
	main := v.Source.Main()
	if main == nil {
		return nil
	}
	list := []runnable{{main, "program", ""}}
	dir, err := moduleDir(path, s.snapshots.Current().Folders)
	if err != nil {
		return nil
	}
	current, err := s.settingsOf(dir)
	if err != nil {
		s.complain(context.Background(), err)
		return list
	}
	if !results.Builds(path, current.Tags) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(current.Scenarios)) {
		if s.isOf(current.Scenarios[name], dir, filepath.Dir(path)) {
			list = append(list, runnable{main, "scenario", name})
		}
	}
	return list
}

// isOf reports whether a scenario of the module in dir runs the program in a folder. One that cannot be
// read is of none: whoever measures it gets the error.
func (s *session) isOf(scenario settings.Scenario, dir, folder string) bool {
	if s.MainPackage == nil {
		return false
	}
	pkg, err := s.MainPackage(scenario)
	switch {
	case err != nil:
		return false
	case filepath.IsAbs(pkg):
		return filepath.Clean(pkg) == folder
	case isFolder(pkg):
		return filepath.Join(dir, filepath.FromSlash(pkg)) == folder
	}
	return pkg == importPath(folder)
}

// isFolder reports whether a package is named as a folder relative to another.
func isFolder(pkg string) bool {
	return pkg == "." || pkg == ".." || strings.HasPrefix(pkg, "./") || strings.HasPrefix(pkg, "../")
}
