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
type goEnvironment struct{ GOROOT, GOMOD, GOWORK, GOVERSION, GOFLAGS string }

func goEnv(ctx context.Context, dir string) (*goEnvironment, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder: name the folder of a Go module with -C", dir)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOMOD", "GOWORK", "GOVERSION", "GOFLAGS")
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
	if env.writesModule() {
		return nil, errors.New("GOFLAGS has -mod=mod, with which the go command writes go.mod and go.sum, and a measurement must not write to the module: take it out of GOFLAGS (GOFLAGS=-mod=readonly for this once; go env -u GOFLAGS if it was set with go env -w), and run go mod tidy if go.mod is not complete")
	}
	return &env, nil
}

// writesModule says that the go command would complete go.mod as it goes.
func (e *goEnvironment) writesModule() bool {
	mode := ""
	for flag := range strings.FieldsSeq(e.GOFLAGS) {
		flag = strings.TrimLeft(strings.Trim(flag, `'"`), "-")
		if value, ok := strings.CutPrefix(flag, "mod="); ok {
			mode = value
		}
	}
	return mode == "mod"
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

	embedded map[string]bool // files that a package has in it as data, by absolute path
	leftOut  []string        // test files that are not built, and why, where there is no other
	problems []string        // of packages that cannot be loaded, beside others that can
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
		// What a killed go command leaves behind goes with the overlay.
		Env:  append(os.Environ(), "GOTMPDIR="+p.Temp),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest | packages.NeedEmbedFiles,
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
	l := loaded{embedded: make(map[string]bool)}
	dirs := make(map[string]string)
	var own []*packages.Package // of main modules
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			l.problems = append(l.problems, strings.TrimPrefix(e.Error(), "-: "))
		}
		if p.Module == nil || !p.Module.Main {
			return
		}
		own = append(own, p)
		for _, file := range p.EmbedFiles {
			l.embedded[file] = true
		}
		if (p.PkgPath == p.ForTest || p.PkgPath == p.ForTest+"_test") && len(p.GoFiles) > 0 {
			dirs[p.ForTest] = filepath.Dir(p.GoFiles[0])
		}
	})
	for _, p := range own {
		switch path := tested(p); {
		case p.ForTest != "":
		case path != "" && dirs[path] != "":
			l.tests = append(l.tests, TestPackage{Path: path, Dir: dirs[path]})
		default:
			l.main = append(l.main, mainPackage{p.PkgPath, p.GoFiles})
			if l.module == "" {
				l.module = p.Module.Path
			}
		}
	}
	if len(l.tests) == 0 && len(l.problems) == 0 {
		l.leftOut = leftOutTests(own)
	} else if slices.Sort(l.problems); len(l.tests) == 0 {
		return nil, &LoadError{Problems: slices.Compact(l.problems)}
	}
	l.problems = slices.Compact(l.problems)
	slices.SortFunc(l.main, func(a, b mainPackage) int { return strings.Compare(a.path, b.path) })
	slices.SortFunc(l.tests, func(a, b TestPackage) int { return strings.Compare(a.Path, b.Path) })
	return &l, nil
}

// tested is the path of the package whose tests p is the program of, if p is
// one: it is if that package has tests. A command or a library in a folder
// whose name ends in .test is not.
func tested(p *packages.Package) string {
	path, ok := strings.CutSuffix(p.ID, ".test")
	if !ok || p.Name != "main" {
		return ""
	}
	return path
}

// leftOutTests names the test files that the go command passes over.
func leftOutTests(pkgs []*packages.Package) []string {
	var files []string
	for _, p := range pkgs {
		for _, file := range p.IgnoredFiles {
			if strings.HasSuffix(file, "_test.go") {
				files = append(files, fmt.Sprintf("%s is left out: its name or its //go:build line does not fit the system and the tags (choose tags with --tags)", file))
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
