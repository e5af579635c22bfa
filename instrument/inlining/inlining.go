// Package inlining asks the Go compiler which functions it inlines, and reads its report.
// It does not know what that is asked for.
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

// A Report is what the compiler says it can inline. A nil one says that of nothing.
type Report struct {
	Compiled map[string]bool // packages that were compiled, by import path

	dir     string            // in which the go command ran
	trimmed map[string]string // files by the name that -trimpath gives them
	places  map[position]bool

	line []byte // that is not whole yet
	last string // line that was said
}

// A position is where the compiler says a function is. It knows no column of 255
// and more, nor behind a line directive without one: these are 0.
type position struct {
	file         string
	line, column int
}

// Params say how the compiler is asked.
type Params struct {
	Go gocmd.Runner
	// Dir is the folder of the workspace. The build cache has names as they were seen from
	// the folder in which it was asked first: that must always be the same.
	Dir     string
	Overlay string              // of a build without probes in the module
	Flags   []string            // of the build
	Files   map[string][]string // of the packages of main modules, absolute, by import path
}

// Ask has the compiler report on packages. What was compiled before
// is not compiled again, the build cache keeps the report. The packages have no
// probes yet, but the standard library has, so that it is the one of the build
// with probes.
//
// Generic functions are compiled where they get their types. Those of the
// packages in generic may get them in the packages' own tests only.
func Ask(ctx context.Context, p Params, pkgs, generic []string) (*Report, error) {
	in := &Report{dir: p.Dir, trimmed: make(map[string]string), places: make(map[position]bool), Compiled: make(map[string]bool)}
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
	// Without imports a package does not need the runtime, until it has probes.
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
				in.Compiled[path] = true
			}
		}
	}
	return nil
}

// argumentGroups splits a list so that each part fits in a command line.
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

// longestLine is how many bytes of a line are kept. A place and a name are shorter.
const longestLine = 64 << 10

// Write takes the report.
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

// parse takes a line "FILE:LINE:COLUMN: can inline NAME". Behind a line
// directive, -L adds the true place to the one that the directive says:
// "FILE:LINE[FILE:LINE:COLUMN]".
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

// wrapper says that a function is one that the compiler put in front of
// another: to find the types of a generic one, or to call it from a go or defer
// statement.
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

// Inlines says whether the compiler can inline the function at pos of the file.
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
