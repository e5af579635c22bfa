package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store/runfile"
)

// Save keeps a run of the workspace, an absolute folder, and applies the limits.
// Scope says what was measured, see Entry. A run that is there stays as it is: its id
// is refused. Whatever fails, the run is there whole or not at all. A *TrimError says
// that it is there, but that the limits could not be applied.
func (s *Store) Save(workspace, scope string, r *record.Run) error {
	sh, err := s.shelf(workspace)
	if err == nil {
		err = checkID(r.ID)
	}
	if err != nil {
		return fmt.Errorf("saving a run: %w", err)
	}
	file, err := runfile.Pack(entryOf(scope, r), r) // before the lock: it takes longest
	if err == nil {
		err = unwritable(s.dir, errors.Join(makeDir(sh.runs()), makeDir(sh.baselines())))
	}
	if err == nil {
		err = sh.change(func() error { return sh.put(r.ID, file) })
	}
	if err != nil {
		return fmt.Errorf("saving run %s: %w", r.ID, err)
	}
	if err := s.trim(sh, r.ID); err != nil {
		return &TrimError{r.ID, err}
	}
	return nil
}

// A TrimError says why runs beyond the limits were not removed after one was saved.
type TrimError struct {
	ID  string // of the run that was saved
	Err error
}

func (e *TrimError) Error() string {
	return fmt.Sprintf("run %s was saved, but older ones could not be removed: %v", e.ID, e.Err)
}

// Unwrap gives the cause.
func (e *TrimError) Unwrap() error { return e.Err }

// put writes the file of a run. Whoever calls it holds the lock.
func (sh shelf) put(id string, file *runfile.File) error {
	if err := sh.sweep(); err != nil {
		return err
	}
	if err := sh.describe(); err != nil {
		return err
	}
	if _, err := os.Lstat(sh.run(id)); err == nil {
		return fmt.Errorf("there is a run of that id: %w", fs.ErrExist)
	}
	return replace(sh.run(id), func(w io.Writer) error {
		_, err := file.WriteTo(w)
		return err
	})
}

// describe writes which workspace the shelf is of, for whoever looks at the disk.
func (sh shelf) describe() error {
	name := filepath.Join(sh.dir, "workspace.json")
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	return replace(name, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(map[string]string{"path": sh.workspace})
	})
}

// trim applies the limits, but to the run that was saved just now, however old its id
// makes it. Where a baseline cannot be read nothing is removed: it may be of any run.
func (s *Store) trim(sh shelf, saved string) error {
	if s.Limits.Keep <= 0 && s.Limits.Age <= 0 {
		return nil
	}
	return sh.change(func() error {
		bases, bad, err := sh.allBaselines()
		if err = errors.Join(err, joined(bad)); err != nil {
			return err
		}
		entries, _, err := sh.entries(sh.writeIndex) // what cannot be read stays, for its owner to judge
		if err != nil {
			return err
		}
		named := namesByRun(bases)
		for i, e := range entries {
			if i == 0 || e.ID == saved || named[e.ID] != nil || !s.beyond(i, e) {
				continue
			}
			if err := os.Remove(sh.run(e.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// beyond tells whether the limits are over for a run, of which newer ones are kept
// before it.
func (s *Store) beyond(newer int, e Entry) bool {
	return s.Limits.Keep > 0 && newer >= s.Limits.Keep || s.Limits.Age > 0 && s.now().Sub(e.Started) > s.Limits.Age
}

// Delete removes a run, also one that cannot be read. One that is a baseline is
// refused: the name is to be removed first.
func (s *Store) Delete(workspace, id string) error {
	sh, err := s.shelf(workspace)
	if err == nil {
		err = checkID(id)
	}
	if err == nil {
		err = sh.remove(id)
	}
	if err != nil {
		return fmt.Errorf("deleting run %s: %w", id, err)
	}
	return nil
}

func (sh shelf) remove(id string) error {
	if _, err := os.Lstat(sh.run(id)); err != nil {
		return sh.absent(id, err)
	}
	return sh.change(func() error {
		bases, bad, err := sh.allBaselines()
		if err = errors.Join(err, joined(bad)); err != nil {
			return err
		}
		if names := namesByRun(bases)[id]; names != nil {
			return fmt.Errorf("it is the baseline %s: remove that name first", names[0])
		}
		if err := os.Remove(sh.run(id)); err != nil {
			return sh.absent(id, err)
		}
		return atomicfile.SyncDir(sh.runs())
	})
}
