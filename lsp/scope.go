package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/settings"
)

// maxRounds is the largest number of rounds that a client may request.
const maxRounds = 1000

// everything is the package pattern that matches all packages of a folder.
const everything = "./..."

// initFunction is the name of init functions in the source.
const initFunction = "init"

// A job is a measurement that the editor requested.
type job struct {
	Request
	folders  []string // replace Dir if there are any; each is measured on its own
	scenario string   // names scenarios of the settings, which are looked up when these are known; "" for none
}

// what names what is measured, for messages.
func (r *job) what() string {
	switch {
	case len(r.folders) > 0:
		return "the workspace"
	case r.Scope == "":
		return r.Dir
	}
	return r.Scope + " in " + r.Dir
}

// request turns the arguments of the command measure into a job.
func (s *session) request(a measureArguments) (job, error) {
	r := job{Request: Request{Rounds: a.Rounds, Mode: a.Mode, Machine: a.Machine, Patterns: []string{everything}}}
	if err := a.check(); err != nil {
		return r, err
	}
	folders := s.snapshots.Current().Folders
	switch a.Scope {
	case "workspace":
		if a.URI == "" {
			for _, f := range folders {
				r.folders = append(r.folders, f.Path)
			}
			if len(folders) == 0 {
				return r, errors.New("no folder is open: give the uri of a file or folder to measure")
			}
			r.Dir = r.folders[0]
			return r, nil
		}
	case "scenario":
		var err error
		r.Dir, err = scenarioDir(a.URI, folders)
		r.Scope, r.scenario = "scenario "+a.Name, a.Name
		return r, err
	case "package", "file", "program", "function", "growth", "test":
	default:
		return r, fmt.Errorf("scope is %q, must be workspace, package, file, function, growth, test, program or scenario", a.Scope)
	}
	path, err := location.Path(a.URI)
	if err != nil {
		return r, fmt.Errorf("uri is %q: %w", a.URI, err)
	}
	if r.Dir, err = moduleDir(path, folders); err != nil {
		return r, err
	}
	return r, s.narrow(&r.Request, a, path)
}

// check refuses values that are invalid by themselves or for the scope.
func (a measureArguments) check() error {
	switch {
	case a.Rounds < 0 || a.Rounds > maxRounds:
		return fmt.Errorf("rounds is %d, must be 1 to %d, or 0 for as many as are needed", a.Rounds, maxRounds)
	case a.Mode != "" && !slices.Contains(settings.Modes(), a.Mode):
		return fmt.Errorf("mode is %q, must be %s", a.Mode, strings.Join(settings.Modes(), ", "))
	case a.Name != "" && slices.Contains([]string{"workspace", "package", "file", "program"}, a.Scope):
		return fmt.Errorf("name is %q, but scope %s takes none: leave name out, or set scope to function, growth, test or scenario", a.Name, a.Scope)
	case a.Name == "" && slices.Contains([]string{"function", "growth", "test", "scenario"}, a.Scope):
		return fmt.Errorf("scope %s needs a name", a.Scope)
	}
	return nil
}

// narrow restricts a request to a part of its folder.
func (s *session) narrow(r *Request, a measureArguments, path string) error {
	pattern := packageOf(location.FolderFor(path), r.Dir)
	switch a.Scope {
	case "package", "file":
		r.Scope, r.Patterns = "package "+pattern, []string{pattern}
	case "program":
		return s.narrowToProgram(r, path, pattern)
	case "function":
		f, ok := s.declared(path, a.Name)
		if !ok {
			return fmt.Errorf("%s declares no function %q", path, a.Name)
		}
		if f == initFunction {
			return errors.New("init functions run before the tests, so no test reaches them: measure the package")
		}
		r.Scope, r.Reach = "function "+f+" of "+pattern, importPath(path)+"."+f
	case "growth":
		f, ok := s.declared(path, a.Name)
		if !ok || s.Benchmarks == nil {
			return fmt.Errorf("%s declares no function %q that can be called", path, a.Name)
		}
		r.Scope, r.Patterns, r.Grow = results.GrowthScope+f+" of "+pattern, []string{pattern}, importPath(path)+"."+f
	case "test":
		r.Scope, r.Patterns, r.Run = a.Name+" of "+pattern, []string{pattern}, exactly(a.Name)
		if outline.HasTestPrefix(a.Name, "Benchmark") {
			r.Run, r.Bench, r.Subtests = "^$", exactly(a.Name), true
		}
	}
	return nil
}

// importPath returns the import path of the package in the folder of path. It searches for
// the module above the open folder too, because the open folder may be inside a module.
func importPath(path string) string {
	dir := location.FolderFor(path)
	for root := dir; ; root = filepath.Dir(root) {
		if text, err := regularfile.Read(filepath.Join(root, "go.mod"), regularfile.MaxSource); err == nil {
			return modfile.ModulePath(text) + strings.TrimPrefix(packageOf(dir, root), ".")
		}
		if root == filepath.Dir(root) {
			return filepath.Base(dir) // the end of a name is enough to find a function
		}
	}
}

// declared finds a function in the current text of a file, by the linker's name or, if that
// is unique, by the name without the receiver.
func (s *session) declared(path, name string) (string, bool) {
	source := s.sourceOf(path)
	if source == nil {
		return "", false
	}
	var found []string
	for _, f := range source.Outline().Functions {
		switch {
		case f.Kind != spell.KindFunction:
		case f.Name == name:
			return name, true
		case strings.HasSuffix(f.Name, "."+name):
			found = append(found, f.Name)
		}
	}
	return strings.Join(found, ""), len(found) == 1
}

func onlyFolder(folders []location.Folder) (string, error) {
	switch len(folders) {
	case 0:
		return "", errors.New("no folder is open: give the uri of a file or folder to measure")
	case 1:
		return folders[0].Path, nil
	}
	return "", fmt.Errorf("%d folders are open: give the uri of a file or folder in the one to measure", len(folders))
}

// packageOf returns the pattern of the package in a folder, relative to dir.
func packageOf(folder, dir string) string {
	rel, err := filepath.Rel(dir, folder)
	if err != nil || rel == "." {
		return "."
	}
	return "./" + filepath.ToSlash(rel)
}

// exactly returns the regular expression with which go test runs one test or subtest.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
