package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument"
)

// A BuildError says that no package's tests could be built.
type BuildError struct {
	Output string // what the go command said, with places in the original files
}

func (e *BuildError) Error() string {
	return "the tests do not build:\n" + strings.TrimSpace(e.Output)
}

// A program runs the tests of one package.
type program struct {
	instrument.TestPackage
	file string
}

// compile builds the test programs. Packages that do not build are left out
// with a warning, as go test does, unless none does.
func (m *measurement) compile(ctx context.Context) ([]program, error) {
	var programs []program
	var output string
	for i, group := range groups(m.build.Tests) {
		dir, err := subfolder(m.dir, fmt.Sprintf("bin%d", i))
		if err != nil {
			return nil, err
		}
		out, err := m.goTest(ctx, dir, group)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, pkg := range group {
			file := filepath.Join(dir, path.Base(pkg.Path)+".test")
			if _, statErr := os.Stat(file); statErr == nil {
				programs = append(programs, program{pkg, file})
			} else if err != nil {
				m.warnings = append(m.warnings, fmt.Sprintf("package %s does not build and is left out", pkg.Path))
			}
		}
		if err != nil {
			output += out
		}
	}
	if len(programs) == 0 {
		return nil, &BuildError{Output: output}
	}
	if output != "" {
		m.warnings = append(m.warnings, "the go command said:\n"+strings.TrimSpace(output))
	}
	return programs, nil
}

// groups splits packages so that no two in a group have the same last
// element, which names the program.
func groups(pkgs []instrument.TestPackage) [][]instrument.TestPackage {
	var all [][]instrument.TestPackage
	for _, p := range pkgs {
		same := func(q instrument.TestPackage) bool { return path.Base(q.Path) == path.Base(p.Path) }
		i := slices.IndexFunc(all, func(g []instrument.TestPackage) bool { return !slices.ContainsFunc(g, same) })
		if i < 0 {
			all = append(all, nil)
			i = len(all) - 1
		}
		all[i] = append(all[i], p)
	}
	return all
}

// goTest compiles one group into dir. Vet is off because it fails on packages
// that only the overlay has.
func (m *measurement) goTest(ctx context.Context, dir string, pkgs []instrument.TestPackage) (output string, err error) {
	args := []string{"test", "-c", "-vet=off", "-overlay", m.build.Overlay, "-o", dir + string(filepath.Separator)}
	if len(m.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(m.Tags, ","))
	}
	for _, p := range pkgs {
		args = append(args, p.Path)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = m.Dir
	cmd.Env = append(os.Environ(), "GOTMPDIR="+m.dir)
	ownGroup(cmd)
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	err = run(cmd, func() {})
	return out.String(), err
}
