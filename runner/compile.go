package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
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
		dir, err := subfolder(m.scratch, fmt.Sprintf("bin%d", i))
		if err != nil {
			return nil, err
		}
		out, err := m.goTest(ctx, dir, group)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, pkg := range group {
			file := filepath.Join(dir, programName(pkg.Path))
			if _, statErr := os.Stat(file); statErr == nil {
				programs = append(programs, program{pkg, file})
			} else {
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

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// programName is how go test -c names the program of a package: after the last
// element of its path, or the one before where that is a major version.
func programName(pkg string) string {
	dir, name := path.Split(pkg)
	if dir != "" && majorVersion.MatchString(name) {
		name = path.Base(dir)
	}
	return name + ".test"
}

// groups splits packages so that no two programs in a group have one name.
func groups(pkgs []instrument.TestPackage) [][]instrument.TestPackage {
	var all [][]instrument.TestPackage
	for _, p := range pkgs {
		same := func(q instrument.TestPackage) bool { return programName(q.Path) == programName(p.Path) }
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
	cmd.Env = append(os.Environ(), "GOTMPDIR="+m.scratch)
	ownGroup(cmd)
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	err = run(cmd, func() {})
	return out.String(), err
}
