package gocmd

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"spell-lsp/spell/regularfile"
)

// A Workspace is what a go.work file says. The go command is given a copy of
// the file in a folder of its own, because it completes go.work.sum as it goes,
// beside the file that it reads.
type Workspace struct {
	file    string   // absolute
	modules []string // folders, absolute, in the order of the file
	copied  string   // "" where the modules are vendored: then no sums are asked for
}

// openWorkspace reads a go.work file and copies it into a folder below temp.
// The mode is the one of -mod in GOFLAGS, or "".
func openWorkspace(file, mode, temp string) (*Workspace, error) {
	w, work, err := readWorkspace(file)
	if err == nil && !w.vendored(work, mode) {
		err = w.copy(work, filepath.Join(temp, "workspace"))
	}
	return w, err
}

// readWorkspace reads a go.work file, and makes its paths absolute.
func readWorkspace(file string) (*Workspace, *modfile.WorkFile, error) {
	text, err := regularfile.Read(file, regularfile.MaxSource)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the workspace: %w", err)
	}
	work, err := modfile.ParseWork(file, text, nil)
	if err != nil {
		return nil, nil, &LoadError{Problems: []string{err.Error()}}
	}
	w := &Workspace{file: file}
	w.makeAbsolute(work)
	return w, work, nil
}

// makeAbsolute makes all paths absolute, so that a copy in another folder means the same.
func (w *Workspace) makeAbsolute(work *modfile.WorkFile) {
	absolute := func(path string) string {
		if path = filepath.FromSlash(path); filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(filepath.Dir(w.file), path)
	}
	uses := make([]*modfile.Use, 0, len(work.Use))
	for _, u := range work.Use {
		dir := absolute(u.Path)
		w.modules = append(w.modules, dir)
		uses = append(uses, &modfile.Use{Path: filepath.ToSlash(dir)})
	}
	work.SetUse(uses)
	for _, r := range work.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			work.AddReplace(r.Old.Path, r.Old.Version, filepath.ToSlash(absolute(r.New.Path)), "") //nolint:errcheck // what was parsed is valid
		}
	}
}

// vendored reports whether the go command builds from the workspace's vendor folder.
func (w *Workspace) vendored(work *modfile.WorkFile, mode string) bool {
	if mode != "" {
		return mode == "vendor"
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(w.file), "vendor", "modules.txt"))
	return err == nil && work.Go != nil && version.Compare("go"+work.Go.Version, "go1.22") >= 0
}

func (w *Workspace) copy(work *modfile.WorkFile, dir string) error {
	sums, err := regularfile.Read(w.file+".sum", regularfile.MaxSource)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the workspace: %w", err)
	}
	w.copied = filepath.Join(dir, "go.work")
	err = errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(w.copied, modfile.Format(work.Syntax), 0o600),
		os.WriteFile(w.copied+".sum", sums, 0o600),
	)
	if err != nil {
		return fmt.Errorf("copying the workspace: %w", err)
	}
	return nil
}

// Modules are the folders of the modules that it uses, absolute.
func (w *Workspace) Modules() []string {
	if w == nil {
		return nil
	}
	return w.modules
}

// Copied is the copy of go.work that the go command is to read, "" for the file itself.
func (w *Workspace) Copied() string {
	if w == nil {
		return ""
	}
	return w.copied
}

// Original replaces the name of the copy in a message by that of the user's go.work.
func (w *Workspace) Original(message string) string {
	if w == nil || w.copied == "" {
		return message
	}
	return strings.ReplaceAll(message, w.copied, w.file)
}

// Unused says what to do if go.work uses no module of the folder, for which the go
// command's message is not helpful; nil otherwise.
func (w *Workspace) Unused(dir string) []string {
	if w == nil {
		return nil
	}
	module := above(dir, "go.mod")
	switch {
	case w.uses(module) || len(w.below(dir)) > 0:
		return nil
	case module == "":
		return []string{fmt.Sprintf("%s uses no module in %s: name the folder of one with -C", w.file, dir)}
	}
	return []string{fmt.Sprintf("%s does not use the module in %s: add it with `go work use %[2]s`, or measure it without the others by GOWORK=off in the environment", w.file, module)}
}

// Sums returns the go.work.sum that the go command completed, by the name that
// it has in the workspace. In an overlay it is read there and never written.
func (w *Workspace) Sums() (map[string][]byte, error) {
	if w == nil || w.copied == "" {
		return nil, nil
	}
	text, err := regularfile.Read(w.copied+".sum", regularfile.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("reading the workspace's sums: %w", err)
	}
	return map[string][]byte{w.file + ".sum": text}, nil
}

// Expand turns patterns into ones that mean the same to the go command in a workspace: it
// refuses patterns of folders above modules, and ./... is only one module to it. No
// pattern means every module in the folder of go.work, and ./... elsewhere.
func (w *Workspace) Expand(dir string, patterns []string) []string {
	if w != nil && len(patterns) == 0 && dir == filepath.Dir(w.file) {
		return packagesOf(w.modules)
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	var expanded []string
	for _, p := range patterns {
		expanded = append(expanded, w.expandOne(dir, p)...)
	}
	return expanded
}

// expandOne expands a pattern that ends in /... to the packages of its module there, and
// of all modules below it. If there are none, the pattern is left to the go command, which
// will say so.
func (w *Workspace) expandOne(dir, pattern string) (expanded []string) {
	folder, ok := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if w == nil || !ok || !modfile.IsDirectoryPath(pattern) || strings.Contains(folder, "...") {
		return []string{pattern}
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(dir, folder)
	}
	below := w.below(folder)
	if len(below) == 0 || w.uses(above(folder, "go.mod")) && !slices.Contains(below, folder) {
		expanded = []string{pattern}
	}
	return append(expanded, packagesOf(below)...)
}

// below lists the modules in and below a folder.
func (w *Workspace) below(folder string) (modules []string) {
	for _, module := range w.modules {
		if within(module, folder) {
			modules = append(modules, module)
		}
	}
	return modules
}

// uses reports whether go.work names the module in the folder.
func (w *Workspace) uses(folder string) bool { return slices.Contains(w.modules, folder) }

func packagesOf(modules []string) (patterns []string) {
	for _, dir := range modules {
		patterns = append(patterns, filepath.Join(dir, "..."))
	}
	return patterns
}

// within reports whether path is the folder, or below it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
