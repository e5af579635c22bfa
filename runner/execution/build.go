package execution

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
	"spell-lsp/runner/scratch"
	"spell-lsp/spell/capture"
	"spell-lsp/spell/note"
)

// A BuildError says that no package's tests could be built.
type BuildError struct {
	Output string // what the go command said, with places in the original files
	Main   bool   // the programs of main packages, not of tests
}

func (e *BuildError) Error() string {
	what := "the tests do"
	if e.Main {
		what = "the program does"
	}
	said := what + " not build:\n" + strings.TrimSpace(e.Output)
	if strings.Contains(said, "no space left on device") {
		said += "\nFree some space, or set GOTMPDIR to a folder on another disk."
	}
	return said
}

// A Source is an instrumented build, and how its packages are compiled.
type Source struct {
	*instrument.Build
	Dir     string            // in which the go command runs
	Scratch string            // folder for the programs and what they are made of
	Tags    []string          // build tags
	Buffers map[string][]byte // an editor's unsaved text, by absolute path
	Main    bool              // the programs are those of main packages, not of their tests
	// Profiled programs, of main packages, can sample themselves.
	Profiled bool
	counted  string // patterns of the packages whose calls the compiler's coverage counts; "" for none
}

// Compile builds the test programs. Packages that do not build are left out
// with a note, as go test does, unless none does: that is a *BuildError.
func Compile(ctx context.Context, s Source) (programs []Program, notes []note.Note, err error) {
	var output string
	overlay := s.Overlay
	if s.Profiled {
		if overlay, err = s.profilingOverlay(); err != nil {
			return nil, nil, err
		}
	}
	for i, group := range Groups(s.Tests) {
		built, failed, out, err := s.compileGroup(ctx, fmt.Sprintf("bin%d", i), overlay, group)
		if err != nil {
			return nil, nil, err
		}
		programs = append(programs, built...)
		for _, pkg := range failed {
			notes = append(notes, note.DoesNotBuild(pkg.Path))
		}
		if len(failed) > 0 {
			if out, err = s.explain(ctx, fmt.Sprintf("plain%d", i), failed, out); err != nil {
				return nil, nil, err
			}
		}
		output = capture.Text(output + out) // there can be many groups
	}
	if len(programs) == 0 {
		return nil, nil, &BuildError{Output: output, Main: s.Main}
	}
	if output != "" {
		notes = append(notes, note.GoCommandSaid(strings.TrimSpace(output)))
	}
	return programs, notes, nil
}

// compileGroup builds the tests of packages into a scratch folder of that name. The output is
// that of the go command if it failed, with positions in the original files.
func (s Source) compileGroup(ctx context.Context, folder, overlay string, pkgs []instrument.Package) (built []Program, failed []instrument.Package, output string, err error) {
	dir, err := scratch.Sub(s.Scratch, folder)
	if err != nil {
		return nil, nil, "", err
	}
	output, goErr := s.goTest(ctx, dir, overlay, pkgs)
	if ctx.Err() != nil {
		return nil, nil, "", ctx.Err()
	}
	for _, pkg := range pkgs {
		file := filepath.Join(dir, s.name(pkg.Path))
		if _, err := os.Stat(file); err == nil {
			built = append(built, Built(pkg, file))
		} else {
			failed = append(failed, pkg)
		}
	}
	if goErr == nil {
		return built, failed, "", nil
	}
	output, err = originalPlaces(output, overlay, s.Dir)
	return built, failed, output, err
}

// CompilePlain builds the programs without probes; those that do not build are missing.
func CompilePlain(ctx context.Context, s Source, pkgs []instrument.Package) (programs []Program, err error) {
	overlay, err := s.plainOverlay()
	if err != nil {
		return nil, err
	}
	for i, group := range Groups(pkgs) {
		built, _, _, err := s.compileGroup(ctx, fmt.Sprintf("unprobed%d", i), overlay, group)
		if err != nil {
			return nil, err
		}
		programs = append(programs, built...)
	}
	return programs, nil
}

// explain says why packages do not build. It builds them without probes, so that the compiler's
// lines and columns are those of the files. Where that works, the probes are at fault; said is
// the output of the build with probes.
func (s Source) explain(ctx context.Context, folder string, pkgs []instrument.Package, said string) (string, error) {
	overlay, err := s.plainOverlay()
	if err != nil {
		return "", err
	}
	good, bad, output, err := s.compileGroup(ctx, folder, overlay, pkgs)
	if err != nil || len(good) == 0 {
		return output, err
	}
	names := make([]string, len(good))
	for i, p := range good {
		names[i] = p.Path
	}
	if len(bad) > 0 {
		output += "\n"
	}
	what := "probes, but not with them"
	if s.Profiled {
		what = "a file that starts its profiler, but not with it"
	}
	return fmt.Sprintf("%sbuilt without %s: %s. This is a fault of spell-lsp, not of the code (columns can be off):\n%s", output, what, strings.Join(names, ", "), said), nil
}

// goTest compiles one group into dir. Vet is off because it fails on packages that only the
// overlay has. Stamping version control is off because the configuration of a repository can
// make git start programs.
func (s Source) goTest(ctx context.Context, dir, overlay string, pkgs []instrument.Package) (said string, err error) {
	args := []string{"test", "-c", "-vet=off"}
	if s.Main {
		args = []string{"build"}
	}
	var linker []string
	if s.Profiled {
		linker = append(linker, "-checklinkname=0") // for the runtime's hook
	}
	args = append(append(args, s.Toolchain.LinkerFlags(linker...)...), "-buildvcs=false", "-overlay", overlay, "-o", dir+string(filepath.Separator))
	if s.counted != "" {
		args = append(args, "-cover", "-covermode=atomic", "-coverpkg="+s.counted)
	}
	if len(s.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(s.Tags, ","))
	}
	for _, p := range pkgs {
		args = append(args, p.Path)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	if err := s.Toolchain.Use(cmd, s.Dir, s.Scratch); err != nil {
		return "", err
	}
	var out capture.Output
	cmd.Stdout, cmd.Stderr = &out, &out
	err = RunCommand(cmd)
	return out.String(), err
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// ProgramName is how go test -c names the program of a package: after the last element of its
// path, or the element before a major version.
func ProgramName(pkg string) string {
	dir, name := path.Split(pkg)
	if dir != "" && majorVersion.MatchString(name) {
		name = path.Base(dir)
	}
	return name + ".test"
}

// name is how the go command names the program of a package.
func (s Source) name(pkg string) string {
	if s.Main {
		return strings.TrimSuffix(ProgramName(pkg), ".test")
	}
	return ProgramName(pkg)
}

// Groups splits packages so that no two programs of a group have the same name.
func Groups(pkgs []instrument.Package) [][]instrument.Package {
	var all [][]instrument.Package
	for _, p := range pkgs {
		same := func(q instrument.Package) bool { return ProgramName(q.Path) == ProgramName(p.Path) }
		i := slices.IndexFunc(all, func(g []instrument.Package) bool { return !slices.ContainsFunc(g, same) })
		if i < 0 {
			all = append(all, nil)
			i = len(all) - 1
		}
		all[i] = append(all[i], p)
	}
	return all
}
