// Package instrument prepares a build of a Go module in which every function
// counts its calls and the time it runs. The module's files are not written:
// the build is described by an overlay (go build -overlay), which maps files
// of the module, and some of the standard library, to edited copies.
package instrument

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
)

// Params say what to instrument.
type Params struct {
	Dir      string            // a folder of the module
	Patterns []string          // packages, as the go command takes them; none means ./...
	Tags     []string          // build tags
	Exclude  []string          // globs of files or folders, relative to the root, that get no probes
	Buffers  map[string][]byte // text that stands for a file, by absolute path: an editor's unsaved buffers
	Temp     string            // an empty folder for the overlay
}

// A Build is an instrumented build, ready for the go command.
type Build struct {
	Root       string // of the workspace: the module's folder, or that of go.work
	Module     string // path of the first main module
	GOROOT     string
	GoVersion  string
	Overlay    string            // the file for -overlay
	Components []spell.Component // component i has row i+1 in the probe's table
	Tests      []TestPackage     // those with tests, by import path
	LeftOut    []string          // why test files are not built, where no package has others
	Warnings   []string          // what has no probe, and why
}

// A TestPackage is a package that has tests.
type TestPackage struct{ Path, Dir string }

// Prepare finds the packages and their functions and writes the overlay into
// p.Temp. It fails with a *LoadError where the go command cannot make sense of
// the packages.
func Prepare(ctx context.Context, p Params) (*Build, error) {
	env, err := goEnv(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	pkgs, err := load(ctx, p)
	if err != nil {
		return nil, err
	}
	b := &Build{Root: env.root(), Module: pkgs.module, GOROOT: env.GOROOT, GoVersion: env.GOVERSION, Tests: pkgs.tests, LeftOut: pkgs.leftOut, Warnings: pkgs.problems}
	files, err := gorootFiles(env.GOROOT)
	if err != nil {
		return nil, err
	}
	for name, content := range p.Buffers {
		files[name] = content
	}
	for _, pkg := range pkgs.main {
		if err := b.instrument(pkg, p, pkgs.embedded, files); err != nil {
			return nil, err
		}
	}
	if len(b.Components) > probe.MaxComponents {
		return nil, fmt.Errorf("%d functions are more than the %d that can be measured at once: name fewer packages", len(b.Components), probe.MaxComponents)
	}
	b.Overlay, err = WriteOverlay(p.Temp, files)
	return b, err
}

// instrument adds a package's edited files to files. A file that is embedded
// somewhere stays as it is: the program would see the edits.
func (b *Build) instrument(pkg mainPackage, p Params, embedded map[string]bool, files map[string][]byte) error {
	var sources []*sourceFile
	var funcs [][]gosource.Func
	for _, name := range pkg.files {
		src, ok := p.Buffers[name]
		if !ok {
			var err error
			if src, err = os.ReadFile(name); err != nil {
				return fmt.Errorf("reading a source file: %w", err)
			}
		}
		f, err := parseSource(name, src)
		if err != nil {
			continue // the compiler will say it, and build the other packages
		}
		sources, funcs = append(sources, f), append(funcs, f.funcs)
	}
	gosource.Number(funcs)
	name := probeName(sources)
	for i, f := range sources {
		rel := b.relative(f.path)
		if excluded(rel, p.Exclude) {
			continue
		}
		if embedded[f.path] {
			b.Warnings = append(b.Warnings, rel+" is not measured: a //go:embed line makes its text part of the program")
			continue
		}
		if ids := b.number(pkg.path, rel, funcs[i]); slices.Max(ids) > 0 {
			files[f.path] = f.instrumented(ids, name)
		}
	}
	return nil
}

// number makes components of the functions of a file and returns their rows,
// 0 for those that get no probe, and a 0 more.
func (b *Build) number(pkg, file string, funcs []gosource.Func) []uint32 {
	ids := make([]uint32, len(funcs)+1)
	for i, fn := range funcs {
		c := fn.Component(pkg, file)
		if why := unprobed(fn); why != "" {
			b.Warnings = append(b.Warnings, fmt.Sprintf("%s:%d: %s is not measured: %s", file, c.Line, c.ID, why))
			continue
		}
		b.Components = append(b.Components, c)
		ids[i] = uint32(len(b.Components))
	}
	return ids
}

func (b *Build) relative(name string) string {
	rel, err := filepath.Rel(b.Root, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}

// excluded says whether a glob matches the file or a folder above it.
func excluded(file string, globs []string) bool {
	for _, glob := range globs {
		for name := file; name != "."; name = path.Dir(name) {
			if ok, _ := path.Match(strings.TrimSuffix(glob, "/"), name); ok {
				return true
			}
		}
	}
	return false
}
