// Package inlining asks the Go compiler which functions it inlines, and reads its report.
// It does not know what the report is used for.
package inlining

import (
	"bytes"
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/instrument/rewrite"
)

// A Report lists what the compiler can inline. A nil Report lists nothing.
type Report struct {
	Compiled map[string]string // the file in the build cache, by the import path of what was compiled

	dir     string            // in which the go command ran
	trimmed map[string]string // files by the name that -trimpath gives them
	places  map[position]bool

	line []byte // that is not whole yet
	last string // line that was said
}

// A position is the place of a function as the compiler reports it. The column is 0 from
// 255 on, and after a line directive without a column.
type position struct {
	file         string
	line, column int
}

// Params say how the compiler is asked.
type Params struct {
	Go gocmd.Runner
	// Dir is the folder of the workspace. The build cache keeps reports with file names
	// relative to the folder of the first call, so this must always be the same folder.
	Dir     string
	Overlay string              // of a build without probes in the module
	Flags   []string            // of the build
	Files   map[string][]string // of the packages of main modules, absolute, by import path
}

// Ask has the compiler report on packages. Packages in the build cache are not compiled
// again, because it keeps the reports. The packages are compiled without probes, but
// against the edited standard library, which the instrumented build needs anyway.
//
// Generic functions are compiled where they are instantiated. The tests of the packages
// in generic are compiled too, because they may be the only place.
func Ask(ctx context.Context, p Params, pkgs, generic []string) (*Report, error) {
	in := &Report{dir: p.Dir, trimmed: make(map[string]string), places: make(map[position]bool), Compiled: make(map[string]string)}
	for path, files := range p.Files {
		for _, file := range files {
			in.trimmed[path+"/"+filepath.Base(file)] = file
		}
	}
	modules, err := p.Go.Output(ctx, in.dir, nil, "list", "-m", "-overlay", p.Overlay)
	if err != nil {
		return nil, err
	}
	args := append([]string{"list", "-e", "-export", "-overlay", p.Overlay, "-f", "{{.ImportPath}}\t{{.Export}}"}, p.Flags...)
	for module := range strings.FieldsSeq(modules) {
		args = append(args, "-gcflags="+module+"/...=-m -L")
	}
	// A package without imports does not depend on the runtime until it has probes.
	if err := in.ask(ctx, p, args, append([]string{"runtime"}, pkgs...)); err != nil {
		return nil, err
	}
	return in, in.ask(ctx, p, append(args, "-test"), generic)
}

func (in *Report) ask(ctx context.Context, p Params, args, paths []string) error {
	for group := range argumentGroups(paths) {
		listed, err := p.Go.Output(ctx, in.dir, in, append(args[:len(args):len(args)], group...)...)
		if err != nil {
			return fmt.Errorf("%w%s", err, in.last)
		}
		for line := range strings.Lines(listed) {
			if path, export, _ := strings.Cut(strings.TrimSpace(line), "\t"); export != "" {
				in.Compiled[path] = export
			}
		}
	}
	return nil
}

// argumentGroups splits a list so that each group fits into a command line.
func argumentGroups(list []string) func(func([]string) bool) {
	const most = 64 << 10 // bytes
	return func(yield func([]string) bool) {
		for len(list) > 0 {
			n, size := 0, 0
			for n < len(list) && (n == 0 || size+len(list[n]) < most) {
				size += len(list[n]) + 1
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// longestLine is how many bytes of a line are kept; a position and a name are shorter.
const longestLine = 64 << 10

// Write parses the report as the go command prints it.
func (in *Report) Write(report []byte) (int, error) {
	n := len(report)
	for {
		i := bytes.IndexByte(report, '\n')
		if i < 0 {
			in.line = append(in.line, report[:min(len(report), longestLine-len(in.line))]...)
			return n, nil
		}
		in.parse(string(append(in.line, report[:min(i, longestLine-len(in.line))]...)))
		in.line, report = in.line[:0], report[i+1:]
	}
}

// parse reads a line "FILE:LINE:COLUMN: can inline NAME". After a line directive, -L adds
// the true position to that of the directive: "FILE:LINE[FILE:LINE:COLUMN]".
func (in *Report) parse(line string) {
	in.last = line
	at, name, ok := strings.Cut(line, ": can inline ")
	if !ok || wrapper(name) {
		return
	}
	if said, found := strings.CutSuffix(at, "]"); found {
		said, original, _ := strings.Cut(said, "[")
		in.add(original)
		at = said
	}
	in.add(at)
}

// wrapper reports whether the compiler generated a function as a wrapper of another: to
// pass the dictionary of a generic one, or to call it from a go or defer statement.
func wrapper(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.HasPrefix(last, "gowrap") || strings.HasPrefix(last, "deferwrap") ||
		strings.Contains(name, "[") && !strings.Contains(name, "go.shape.")
}

func (in *Report) add(at string) {
	file, column := cutNumber(at)
	file, line := cutNumber(file)
	if line == 0 { // no column was said
		file, _ = cutNumber(at)
		line, column = column, 0
	}
	in.places[position{in.absolute(file), line, column}] = true
}

// cutNumber takes ":12" from the end.
func cutNumber(s string) (rest string, number int) {
	i := strings.LastIndexByte(s, ':')
	n, err := strconv.Atoi(s[i+1:])
	if i < 0 || err != nil {
		return s, 0
	}
	return s[:i], n
}

func (in *Report) absolute(file string) string {
	switch original, ok := in.trimmed[file]; {
	case ok:
		return original
	case filepath.IsAbs(file):
		return file
	}
	return filepath.Join(in.dir, file)
}

// Inlines reports whether the compiler can inline the function at pos of the file.
func (in *Report) Inlines(f *rewrite.File, pos token.Pos) bool {
	if in == nil {
		return false
	}
	at := f.Position(pos)
	if at.Column >= 255 {
		at.Column = 0
	}
	return in.places[position{at.Filename, at.Line, at.Column}]
}
