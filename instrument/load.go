package instrument

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/spell/capture"
)

// loaded are the packages that the patterns match.
type loaded struct {
	module string
	main   []mainPackage // every package of a main module that is needed, by import path
	tests  []Package
	// program is the test program of each tested package, by import path.
	program map[string]*packages.Package
	// testFiles are the files of each tested package that only its tests have, by import path.
	testFiles map[string][]string

	embedded map[string]bool   // files that a package has in it as data, by absolute path
	modules  []string          // folders of the main modules that packages are of
	beside   []string          // those of the others that are on this machine, see Build.Beside
	sums     map[string][]byte // go.work.sum as the build needs it, for the overlay
	leftOut  []string          // test files that are not built, and why, where there is no other
	problems []string          // of packages that cannot be loaded, beside others that can
}

type mainPackage struct {
	path    string
	files   []string // absolute, in the order in which they are compiled
	command bool     // it is called main
	old     bool     // its language has no generics
}

func load(ctx context.Context, env *gocmd.Environment, p Params) (*loaded, error) {
	work, err := env.Workspace(p.Temp)
	if err != nil {
		return nil, err
	}
	roots, err := packages.Load(config(ctx, p, work), work.Expand(p.Dir, p.Patterns)...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &gocmd.LoadError{Problems: append([]string{work.Original(goMessage(err))}, work.Unused(p.Dir)...)}
	}
	l, err := collect(roots, work)
	if err == nil && p.Programs {
		err = l.takePrograms(roots)
	}
	if problem := (*gocmd.LoadError)(nil); errors.As(err, &problem) {
		problem.Problems = append(problem.Problems, work.Unused(p.Dir)...)
	}
	if err != nil {
		return nil, err
	}
	if unused := work.Unused(p.Dir); l.module == "" && unused != nil {
		return nil, &gocmd.LoadError{Problems: unused}
	}
	l.sums, err = work.Sums()
	return l, err
}

// config configures package packages.
func config(ctx context.Context, p Params, work *gocmd.Workspace) *packages.Config {
	cfg := &packages.Config{
		Context: ctx, Dir: p.Dir, Tests: !p.Programs, Overlay: p.Buffers, BuildFlags: p.buildFlags(),
		// What a killed go command leaves behind is removed together with the overlay.
		Env:  append(append(os.Environ(), p.Platform.Env()...), "GOTMPDIR="+p.Temp),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest | packages.NeedEmbedFiles,
	}
	if copied := work.Copied(); copied != "" {
		cfg.Env = append(cfg.Env, "GOWORK="+copied)
	}
	return cfg
}

// driverPrefix is what package packages puts before the go command's own message.
var driverPrefix = regexp.MustCompile(`^err: exit status [0-9]+: stderr: `)

// goMessage is the go command's message as a terminal would show it.
func goMessage(err error) string {
	return driverPrefix.ReplaceAllString(capture.Text(strings.TrimSpace(err.Error())), "")
}

// collect sorts the packages: one with tests is listed several times, alone, with its
// tests, and as the program that runs them.
func collect(roots []*packages.Package, work *gocmd.Workspace) (*loaded, error) {
	l := loaded{program: make(map[string]*packages.Package), testFiles: make(map[string][]string), embedded: make(map[string]bool)}
	dirs := make(map[string]string)
	var own []*packages.Package // of main modules
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			l.problems = append(l.problems, work.Original(capture.Text(strings.TrimPrefix(e.Error(), "-: "))))
		}
		l.addBeside(p.Module)
		if p.Module == nil || !p.Module.Main {
			return
		}
		own = append(own, p)
		if !slices.Contains(l.modules, p.Module.Dir) {
			l.modules = append(l.modules, p.Module.Dir)
		}
		for _, file := range p.EmbedFiles {
			l.embedded[file] = true
		}
		if (p.PkgPath == p.ForTest || p.PkgPath == p.ForTest+"_test") && len(p.GoFiles) > 0 {
			dirs[p.ForTest] = filepath.Dir(p.GoFiles[0])
			for _, file := range p.GoFiles {
				if strings.HasSuffix(file, "_test.go") {
					l.testFiles[p.ForTest] = append(l.testFiles[p.ForTest], file)
				}
			}
		}
	})
	for _, p := range own {
		switch path := tested(p); {
		case p.ForTest != "":
		case path != "" && dirs[path] != "":
			l.tests = append(l.tests, Package{Path: path, Dir: dirs[path]})
			l.program[path] = p
		default:
			l.main = append(l.main, mainPackage{p.PkgPath, p.GoFiles, p.Name == "main", version.Compare("go"+p.Module.GoVersion, "go1.18") < 0})
		}
	}
	for _, dir := range work.Modules() {
		if !slices.Contains(l.modules, dir) && !slices.Contains(l.beside, dir) {
			l.beside = append(l.beside, dir)
		}
	}
	slices.Sort(l.beside)
	l.module = mainModules(roots)
	if len(l.tests) == 0 && len(l.problems) == 0 {
		l.leftOut = leftOutTests(own)
	} else if slices.Sort(l.problems); len(l.tests) == 0 {
		return nil, &gocmd.LoadError{Problems: slices.Compact(l.problems)}
	}
	l.problems = slices.Compact(l.problems)
	slices.SortFunc(l.main, func(a, b mainPackage) int { return strings.Compare(a.path, b.path) })
	slices.SortFunc(l.tests, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return &l, nil
}

// addBeside adds the folder of a module that stands for another by a replace directive. Where dependencies are
// vendored there is none.
func (l *loaded) addBeside(m *packages.Module) {
	if m == nil || m.Replace == nil || m.Replace.Version != "" || !filepath.IsAbs(m.Dir) || slices.Contains(l.beside, m.Dir) {
		return
	}
	l.beside = append(l.beside, m.Dir)
}

// takePrograms takes the programs of the packages that the patterns match for their tests.
func (l *loaded) takePrograms(roots []*packages.Package) error {
	l.leftOut = nil
	var problems []string
	for _, p := range roots {
		switch {
		case p.Module == nil || !p.Module.Main:
			problems = append(problems, fmt.Sprintf("%s is not a package of the measured module; only programs of that module can be measured", p.PkgPath))
		case p.Name != "main":
			problems = append(problems, fmt.Sprintf("%s is no program: its package is %s, not main", p.PkgPath, p.Name))
		default:
			l.tests = append(l.tests, Package{Path: p.PkgPath, Dir: filepath.Dir(p.GoFiles[0])})
		}
	}
	if problems != nil {
		return &gocmd.LoadError{Problems: problems}
	}
	slices.SortFunc(l.tests, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// mainModules lists the main modules of the packages, at most five and the number of the
// others: "example.com/app, example.com/lib".
func mainModules(pkgs []*packages.Package) string {
	const most = 5
	var names []string
	for _, p := range pkgs {
		if p.Module != nil && p.Module.Main && !slices.Contains(names, p.Module.Path) {
			names = append(names, p.Module.Path)
		}
	}
	slices.Sort(names)
	if more := len(names) - most; more > 1 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// tested is the path of the package that p tests, if p can be a test program, else "". A
// command or library in a folder whose name ends in .test looks like one, so the caller
// checks that the package has tests.
func tested(p *packages.Package) string {
	path, ok := strings.CutSuffix(p.ID, ".test")
	if !ok || p.Name != "main" {
		return ""
	}
	return path
}

// leftOutTests names the test files that build constraints exclude.
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
