package instrument

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A LoadError says what the go command found wrong with the packages.
type LoadError struct {
	Problems []string // each with its place, where there is one
}

func (e *LoadError) Error() string { return strings.Join(e.Problems, "\n") }

// goEnvironment is what the go command says of a folder.
type goEnvironment struct{ GOROOT, GOMOD, GOWORK, GOVERSION string }

func goEnv(ctx context.Context, dir string) (*goEnvironment, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder: name the folder of a Go module with -C", dir)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOMOD", "GOWORK", "GOVERSION")
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("the go command is not on the PATH: install Go, or add its bin folder to the PATH")
	}
	if err != nil {
		return nil, fmt.Errorf("running go env in %s: %w\n%s", dir, err, stderr.String())
	}
	var env goEnvironment
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("reading the output of go env: %w", err)
	}
	if env.root() == "" {
		return nil, fmt.Errorf("no go.mod in %s or a folder above it: run `go mod init` there, or name the folder of a module with -C", dir)
	}
	return &env, nil
}

// root is the folder of the workspace, "" if there is none.
func (e *goEnvironment) root() string {
	for _, file := range []string{e.GOWORK, e.GOMOD} {
		if file != "" && file != "off" && file != os.DevNull {
			return filepath.Dir(file)
		}
	}
	return ""
}

// loaded is what the patterns stand for.
type loaded struct {
	module string
	main   []mainPackage // every package of a main module that is needed, by import path
	tests  []TestPackage

	problems []string // of packages that cannot be loaded, beside others that can
}

type mainPackage struct {
	path  string
	files []string // absolute, in the order in which they are compiled
}

func load(ctx context.Context, p Params) (*loaded, error) {
	patterns := p.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	cfg := &packages.Config{
		Context: ctx, Dir: p.Dir, Tests: true, Overlay: p.Buffers,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest,
	}
	if len(p.Tags) > 0 {
		cfg.BuildFlags = []string{"-tags=" + strings.Join(p.Tags, ",")}
	}
	roots, err := packages.Load(cfg, patterns...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &LoadError{Problems: []string{strings.TrimSpace(err.Error())}}
	}
	return collect(roots)
}

// collect sorts the packages out: a package with tests comes several times,
// alone, with its tests, and as the program that runs them.
func collect(roots []*packages.Package) (*loaded, error) {
	var l loaded
	var problems []string
	dirs := make(map[string]string)
	var programs []string
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			problems = append(problems, strings.TrimPrefix(e.Error(), "-: "))
		}
		switch {
		case p.Module == nil || !p.Module.Main:
		case p.ForTest == "" && strings.HasSuffix(p.ID, ".test"):
			programs = append(programs, strings.TrimSuffix(p.ID, ".test"))
		case p.ForTest == "":
			l.main = append(l.main, mainPackage{p.PkgPath, p.GoFiles})
			dirs[p.PkgPath] = p.Dir
			if l.module == "" {
				l.module = p.Module.Path
			}
		case len(p.GoFiles) > 0: // the folder, where a package has only tests
			if dirs[p.ForTest] == "" {
				dirs[p.ForTest] = filepath.Dir(p.GoFiles[0])
			}
		}
	})
	slices.Sort(problems)
	l.problems = slices.Compact(problems)
	if len(programs) == 0 && len(problems) > 0 {
		return nil, &LoadError{Problems: l.problems}
	}
	slices.SortFunc(l.main, func(a, b mainPackage) int { return strings.Compare(a.path, b.path) })
	slices.Sort(programs)
	for _, path := range programs {
		l.tests = append(l.tests, TestPackage{Path: path, Dir: dirs[path]})
	}
	return &l, nil
}
