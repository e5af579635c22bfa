package remote

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"spell-lsp/instrument"
	"spell-lsp/runner/content"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/scratch"
)

// A workplace is where a job is carried out: content that has arrived, and what is laid out from it.
type workplace struct {
	store   *content.Store
	base    string // of the tree
	linked  bool   // base is a link, with a name that fits into programs
	folder  *scratch.Folder
	scratch string // the same, by its name
	job     job
}

// open opens the store of content, and makes the folder for what is laid out. close ends both.
func (w *workplace) open(ctx context.Context, store string) (err error) {
	if w.folder, err = scratch.New(); err != nil {
		return err
	}
	w.scratch = w.folder.Dir
	w.store, err = content.OpenStore(ctx, store)
	if err != nil {
		w.close()
	}
	return err
}

func (w *workplace) close() {
	if w.store != nil {
		w.store.Close()
	}
	w.folder.Remove()
}

// layTree lays out the files of the job, whose content the store has.
func (w *workplace) layTree() (err error) {
	if w.base, err = scratch.Sub(w.scratch, "tree"); err != nil {
		return err
	}
	for _, f := range w.job.Folders {
		if !filepath.IsLocal(filepath.FromSlash(f.Dir)) {
			return fmt.Errorf("the job names the folder %q, which is outside of its files", f.Dir)
		}
		dir := filepath.Join(w.base, filepath.FromSlash(f.Dir))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := w.store.Lay(f.Tree, dir); err != nil {
			return err
		}
	}
	w.shorten()
	return nil
}

// shorten gives the tree a name that is no longer than that of the folder where the programs were built: they can
// then name their source files as they are called here, which tests find by runtime.Caller. There may be none, where
// that folder has a very short name.
func (w *workplace) shorten() {
	if name, err := w.folder.Link(w.base, len(w.job.Task.SourceRoot())); err == nil {
		w.base, w.linked = name, true
	}
}

// executable lays programs out in a folder of their own.
func (w *workplace) executable(kind string, list []program) (built []execution.Program, err error) {
	dir, err := scratch.Sub(w.scratch, kind)
	if err != nil {
		return nil, err
	}
	for i, p := range list {
		at := slices.IndexFunc(w.job.Task.Build.Tests, func(q instrument.Package) bool { return q.Path == p.Path })
		if at < 0 {
			return nil, fmt.Errorf("the job has a program of %s, which is none of its packages", p.Path)
		}
		own, err := scratch.Sub(dir, fmt.Sprint(i))
		if err != nil {
			return nil, err
		}
		file, err := w.store.Executable(p.Hash, execution.ProgramName(p.Path), own)
		if err != nil {
			return nil, err
		}
		pkg := w.job.Task.Build.Tests[at]
		pkg.Dir = filepath.Join(w.base, filepath.FromSlash(pkg.Dir))
		ready := execution.Built(pkg, file)
		if w.linked {
			if err := ready.Move(w.job.Task.SourceRoot(), w.base, p.Hash); err != nil {
				return nil, err
			}
		}
		built = append(built, ready)
	}
	return built, nil
}
