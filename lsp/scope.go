package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// maxRounds is the most rounds that may be asked for.
const maxRounds = 1000

// request finds what the arguments ask for.
func (s *session) request(a measureArguments) (Request, error) {
	r := Request{Rounds: a.Rounds, Mode: a.Mode, Patterns: []string{"./..."}}
	if a.Rounds < 0 || a.Rounds > maxRounds {
		return r, fmt.Errorf("rounds is %d, must be 1 to %d, or 0 for as many as are needed", a.Rounds, maxRounds)
	}
	if a.Mode != "" && a.Mode != "instrument" && a.Mode != "sample" {
		return r, fmt.Errorf("mode is %q, must be instrument or sample", a.Mode)
	}
	s.mu.Lock()
	folders := s.folders
	s.mu.Unlock()
	switch a.Scope {
	case "workspace":
		if a.URI == "" {
			var err error
			r.Dir, err = onlyFolder(folders)
			return r, err
		}
	case "package", "file":
	case "function", "test":
		if a.Name == "" {
			return r, fmt.Errorf("scope %s needs a name", a.Scope)
		}
	default:
		return r, fmt.Errorf("scope is %q, must be workspace, package, file, function or test", a.Scope)
	}
	path, err := pathOf(a.URI)
	if err != nil {
		return r, fmt.Errorf("uri is %q: %w", a.URI, err)
	}
	if r.Dir, err = home(path, folders); err != nil {
		return r, err
	}
	if a.Scope == "function" && !s.declares(path, a.Name) {
		return r, fmt.Errorf("%s declares no function %q", path, a.Name)
	}
	if a.Scope != "workspace" {
		r.Patterns = []string{packageOf(path, r.Dir)}
	}
	switch {
	case a.Scope != "test":
	case named(a.Name, "Benchmark"):
		r.Run, r.Bench = "^$", exactly(a.Name)
	default:
		r.Run = exactly(a.Name)
	}
	return r, nil
}

// declares reports whether a file, as it stands in the editor, has a function.
func (s *session) declares(path, name string) bool {
	source := s.sourceOf(path)
	return source != nil && source.look().has(name)
}

func onlyFolder(folders []folder) (string, error) {
	switch len(folders) {
	case 0:
		return "", errors.New("no folder is open: give the uri of a file or folder to measure")
	case 1:
		return folders[0].path, nil
	}
	return "", fmt.Errorf("%d folders are open: give the uri of a file or folder in the one to measure", len(folders))
}

// packageOf is the pattern of the package in the folder of path, relative to
// dir.
func packageOf(path, dir string) string {
	if strings.HasSuffix(path, ".go") {
		path = filepath.Dir(path)
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." {
		return "."
	}
	return "./" + filepath.ToSlash(rel)
}

// exactly is the regular expression that go test takes for one test, whose
// parts are subtests.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
