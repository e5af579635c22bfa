// Package gobuild runs go build for programs whose net/http/pprof serves the profile energy: with
// an overlay of the standard library, and otherwise as it was asked for. Nothing is written but
// what go build writes, and files in a folder for temporary ones.
package gobuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/instrument/goroot"
	"spell-lsp/instrument/overlay"
)

// Params say what is built.
type Params struct {
	Args           []string // of go build
	Dir            string   // where go build runs, absolute
	Temp           string   // an empty folder, in which the overlay lasts as long as the build
	Stdout, Stderr io.Writer
}

// An ExitError says that go build failed, and has said why.
type ExitError struct{ Code int } // its exit code

func (e *ExitError) Error() string { return fmt.Sprintf("go build ended with exit code %d", e.Code) }

// Run runs go build. An interrupt (the end of ctx) is passed on to it. The error is an
// *ExitError, that of ctx, or says why go build was not run.
func Run(ctx context.Context, p Params) error {
	a, err := parse(p.Args)
	if err != nil {
		return err
	}
	folder := p.Dir
	if a.chdir != "" {
		folder = absolute(p.Dir, a.chdir)
	}
	env, err := gocmd.Describe(ctx, folder)
	if err != nil {
		return err
	}
	tools, err := gocmd.NewToolchain(env, cmp.Or(cache.Open("").Dir, p.Temp), p.Temp)
	if err != nil {
		return err
	}
	description, err := describe(tools.Root, folder, cmp.Or(a.overlay, env.Flag("overlay")), p.Temp)
	if err != nil {
		return err
	}
	return p.build(ctx, tools, a.with(description))
}

func (p *Params) build(ctx context.Context, tools *gocmd.Toolchain, args []string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := tools.Use(cmd, p.Dir, ""); err != nil {
		return fmt.Errorf("running go build: %w", err)
	}
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return &ExitError{exit.ExitCode()}
	}
	return err
}

// describe writes the overlay into temp, together with that of the user, if there is one, whose
// paths are relative to the folder of the build.
func describe(root, folder, own, temp string) (string, error) {
	files, err := goroot.ServeEnergy(root)
	if err != nil {
		return "", fmt.Errorf("%w: build with go build, and copy the handler into the program (docs/services.md)", err)
	}
	replace := make(map[string]string)
	if own != "" {
		if replace, err = overlay.Read(absolute(folder, own)); err != nil {
			return "", fmt.Errorf("-overlay %s: %w", own, err)
		}
		replace = allAbsolute(folder, replace)
	}
	for name := range files {
		if _, taken := replace[name]; taken {
			return "", fmt.Errorf("-overlay %s replaces %s, and so does spell-lsp build: take it out there, or build with go build", own, name)
		}
	}
	copies, err := overlay.Copies(temp, files)
	if err != nil {
		return "", err
	}
	maps.Copy(replace, copies)
	return overlay.Describe(filepath.Join(temp, "overlay.json"), replace)
}

// allAbsolute is an overlay with absolute paths. A file that it deletes has no replacement.
func allAbsolute(folder string, replace map[string]string) map[string]string {
	list := make(map[string]string, len(replace))
	for original, copied := range replace {
		if copied != "" {
			copied = absolute(folder, copied)
		}
		list[absolute(folder, original)] = copied
	}
	return list
}

func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// arguments are those of go build.
type arguments struct {
	first   []string // -C, which must be the first
	rest    []string // without -overlay
	chdir   string   // the value of -C
	overlay string   // and of the last -overlay
}

// withValue are the flags of go build that have a value, which may be the next argument. A flag
// that is not in it is taken to have none, or one behind an equals sign.
var withValue = " C asmflags buildmode compiler covermode coverpkg debug-actiongraph debug-runtime-trace debug-trace gccgoflags gcflags installsuffix ldflags mod modfile o overlay p pgo pkgdir tags toolexec "

// parse finds -C and -overlay.
func parse(args []string) (*arguments, error) {
	a := &arguments{}
	for i := 0; i < len(args); i++ {
		name, value, assigned := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		if !strings.HasPrefix(args[i], "-") || name == "" {
			a.rest = append(a.rest, args[i:]...)
			break
		}
		flag := args[i : i+1]
		if !assigned && strings.Contains(withValue, " "+name+" ") {
			if i++; i == len(args) {
				return nil, fmt.Errorf("%s: a value is missing", flag[0])
			}
			flag, value = args[i-1:i+1], args[i]
		}
		switch {
		case name == "overlay":
			a.overlay = value
		case name == "C" && len(a.rest) == 0 && a.first == nil:
			a.first, a.chdir = flag, value
		default:
			a.rest = append(a.rest, flag...)
		}
	}
	return a, nil
}

// with are the arguments with an overlay.
func (a *arguments) with(overlay string) []string {
	return append(append(append([]string{}, a.first...), "-overlay="+overlay), a.rest...)
}
