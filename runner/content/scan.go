package content

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/runner/git"
	"spell-lsp/spell/units"
)

// Options say what [Scan] takes.
type Options struct {
	// Ignored takes what git ignores, too. No git is asked then.
	Ignored bool
	// Overrides are texts that stand for the content of files, by absolute path: the unsaved texts of
	// an editor. Texts of files that do not exist, or that the tree does not have, are not used.
	Overrides map[string][]byte
}

// Scan lists what is in a folder: all but .git, and what git ignores and does not track. A repository
// below the folder, such as a submodule, is listed by its own rules. In a folder that is ignored
// itself, and outside of all repositories, everything is listed. No link is followed, but for that
// which root may be.
//
// It fails for more than a million entries, for a file of more than 4 GiB, for what cannot be read,
// and if git cannot say what is ignored. Files that are removed meanwhile are left out.
func Scan(ctx context.Context, root string, o Options) (Tree, error) {
	dir, err := resolved(root)
	if err != nil {
		return Tree{}, err
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return Tree{}, err
	}
	defer folder.Close()
	s := &scanner{dir: dir, folder: folder, all: o.Ignored, ignored: make(map[string]bool)}
	if err := s.rulesAbove(ctx); err != nil {
		return Tree{}, err
	}
	if err := s.list(ctx, "."); err != nil {
		return Tree{}, err
	}
	if err := hashAll(ctx, folder, s.tree.Entries, overridesIn(dir, o.Overrides)); err != nil {
		return Tree{}, err
	}
	s.tree.Entries = slices.DeleteFunc(s.tree.Entries, func(e Entry) bool { return e.Kind == File && e.Hash == "" })
	return s.tree, nil
}

// A scanner lists what is in a folder.
type scanner struct {
	dir     string // absolute, without links
	folder  *os.Root
	all     bool            // git is not asked
	ignored map[string]bool // files and folders that git ignores, by path
	tree    Tree
}

// rulesAbove asks the repository that the folder is in, if it is in one.
func (s *scanner) rulesAbove(ctx context.Context) error {
	if s.all {
		return nil
	}
	for dir := s.dir; ; dir = filepath.Dir(dir) {
		found, err := git.IsTop(ctx, dir)
		if err != nil {
			return unknownRules(dir, err)
		}
		if found {
			return s.rules(ctx, ".")
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// rules adds what git ignores in a folder.
func (s *scanner) rules(ctx context.Context, name string) error {
	dir := filepath.Join(s.dir, filepath.FromSlash(name))
	ignored, err := git.Ignored(ctx, dir)
	if err != nil {
		return unknownRules(dir, err)
	}
	for _, below := range ignored {
		s.ignored[path.Join(name, below)] = true
	}
	return nil
}

func unknownRules(dir string, err error) error {
	return fmt.Errorf("which files of %s are ignored is not known, and ignored files may be private: "+
		"repair the repository, or take ignored files too: %w", dir, err)
}

// list adds what is in a folder.
func (s *scanner) list(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	f, err := s.folder.Open(filepath.FromSlash(dir))
	if err != nil {
		return s.unreadable(dir, err)
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil {
		return s.unreadable(dir, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if err := s.rulesOf(ctx, dir, entries); err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.Name() == ".git" || s.ignored[name] {
			continue
		}
		if err := s.add(ctx, name, e); err != nil {
			return err
		}
	}
	return nil
}

// rulesOf adds those of a folder that is a repository of its own.
func (s *scanner) rulesOf(ctx context.Context, dir string, entries []fs.DirEntry) error {
	if s.all || dir == "." || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
		return nil
	}
	own, err := git.IsTop(ctx, filepath.Join(s.dir, filepath.FromSlash(dir)))
	if err != nil {
		return unknownRules(filepath.Join(s.dir, filepath.FromSlash(dir)), err)
	}
	if !own { // git takes it for a plain folder
		return nil
	}
	return s.rules(ctx, dir)
}

// add adds an entry, and what is below it.
func (s *scanner) add(ctx context.Context, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return s.unreadable(name, err)
	}
	if len(s.tree.Entries) >= maxEntries {
		return fmt.Errorf("%s has more than %d files: have git ignore those that no test reads, or measure a folder below it",
			s.dir, maxEntries)
	}
	e := Entry{Path: name, Perm: info.Mode().Perm(), ModTimeNs: info.ModTime().UnixNano()}
	switch {
	case info.Mode().IsRegular():
		e.Kind, e.Size = File, info.Size()
	case info.IsDir():
		e.Kind = Folder
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := s.folder.Readlink(filepath.FromSlash(name))
		if err != nil {
			return s.unreadable(name, err)
		}
		e = Entry{Path: name, Kind: Link, Target: filepath.ToSlash(target)}
	}
	switch {
	case e.Kind == 0 || !portable(name) || !portable(e.Target):
		s.tree.Skipped = append(s.tree.Skipped, name)
		return nil
	case e.Size > maxFile:
		return tooLarge(filepath.Join(s.dir, name), e.Size)
	case e.Kind == Link && leaves(name, e.Target):
		s.tree.Outside = append(s.tree.Outside, name)
	}
	s.tree.Entries = append(s.tree.Entries, e)
	if e.Kind == Folder {
		return s.list(ctx, name)
	}
	return nil
}

func (s *scanner) unreadable(name string, err error) error {
	return unreadable(filepath.Join(s.dir, filepath.FromSlash(name)), err)
}

func unreadable(name string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err // it names the path below the folder, or none
	}
	return fmt.Errorf("%s cannot be read, so it cannot be sent: %w: give yourself permission to read it, or have git ignore it",
		name, err)
}

func tooLarge(name string, size int64) error {
	return fmt.Errorf("%s has %s, over the limit of %s for a file that is sent: have git ignore it, or remove it",
		name, units.Bytes(float64(size)), units.Bytes(float64(maxFile)))
}

// leaves tells whether a link leads out of the tree, as far as its own text says.
func leaves(name, target string) bool {
	if filepath.IsAbs(filepath.FromSlash(target)) || path.IsAbs(target) {
		return true
	}
	to := path.Join(path.Dir(name), target)
	return to == ".." || strings.HasPrefix(to, "../")
}

// overridesIn are the texts for files in a folder, by path below it. The names that an editor has for
// files may lead through links.
func overridesIn(dir string, texts map[string][]byte) map[string][]byte {
	below := make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue // there is no such file
		}
		if rel, err := filepath.Rel(dir, file); err == nil { // the tree has no path that begins with ..
			below[filepath.ToSlash(rel)] = texts[name]
		}
	}
	return below
}
