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
// Scope says what was measured, see Entry. An id that already exists is refused. On
// any error the run is saved wholly or not at all; a *TrimError says that it was saved,
// but that the limits could not be applied.
func (s *Store) Save(workspace, scope string, r *record.Run) error {
	ws, err := s.workspaceDir(workspace)
	if err == nil {
		err = checkID(r.ID)
	}
	if err != nil {
		return fmt.Errorf("saving a run: %w", err)
	}
	file, err := runfile.Pack(entryOf(scope, r), r) // outside the lock, because this takes longest
	if err == nil {
		err = unwritable(s.dir, errors.Join(makeDir(ws.runs()), makeDir(ws.baselines())))
	}
	if err == nil {
		err = ws.change(func() error { return ws.put(r.ID, file) })
	}
	if err != nil {
		return fmt.Errorf("saving run %s: %w", r.ID, err)
	}
	if err := s.applyLimits(ws, r.ID); err != nil {
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

// put writes the file of a run. The caller holds the lock.
func (ws workspaceDir) put(id string, file *runfile.File) error {
	if err := ws.removeUnfinished(); err != nil {
		return err
	}
	if err := ws.describe(); err != nil {
		return err
	}
	if _, err := os.Lstat(ws.run(id)); err == nil {
		return fmt.Errorf("there is a run of that id: %w", fs.ErrExist)
	}
	return replace(ws.run(id), func(w io.Writer) error {
		_, err := file.WriteTo(w)
		return err
	})
}

// describe writes the name of the workspace into its folder, for people who look at the disk.
func (ws workspaceDir) describe() error {
	name := filepath.Join(ws.dir, "workspace.json")
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	return replace(name, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(map[string]string{"path": ws.workspace})
	})
}

// applyLimits removes runs beyond the limits, except the run that was just saved,
// however old its id is. If a baseline cannot be read nothing is removed, because it may
// name any run.
func (s *Store) applyLimits(ws workspaceDir, saved string) error {
	if s.Limits.Keep <= 0 && s.Limits.Age <= 0 {
		return nil
	}
	return ws.change(func() error {
		bases, bad, err := ws.allBaselines()
		if err = errors.Join(err, joined(bad)); err != nil {
			return err
		}
		entries, _, err := ws.entries(ws.writeIndex) // unreadable files are left to their owner
		if err != nil {
			return err
		}
		named := namesByRun(bases)
		for i, e := range entries {
			if i == 0 || e.ID == saved || named[e.ID] != nil || !s.exceeded(i, e) {
				continue
			}
			if err := os.Remove(ws.run(e.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// exceeded reports whether a run is beyond the limits, given how many newer runs are kept.
func (s *Store) exceeded(newer int, e Entry) bool {
	return s.Limits.Keep > 0 && newer >= s.Limits.Keep || s.Limits.Age > 0 && s.now().Sub(e.Started) > s.Limits.Age
}

// Delete removes a run, readable or not. A run that is a baseline is refused: remove
// the baseline first.
func (s *Store) Delete(workspace, id string) error {
	ws, err := s.workspaceDir(workspace)
	if err == nil {
		err = checkID(id)
	}
	if err == nil {
		err = ws.remove(id)
	}
	if err != nil {
		return fmt.Errorf("deleting run %s: %w", id, err)
	}
	return nil
}

func (ws workspaceDir) remove(id string) error {
	if _, err := os.Lstat(ws.run(id)); err != nil {
		return ws.openError(id, err)
	}
	return ws.change(func() error {
		bases, bad, err := ws.allBaselines()
		if err = errors.Join(err, joined(bad)); err != nil {
			return err
		}
		if names := namesByRun(bases)[id]; names != nil {
			return fmt.Errorf("it is the baseline %s: remove that name first", names[0])
		}
		if err := os.Remove(ws.run(id)); err != nil {
			return ws.openError(id, err)
		}
		return atomicfile.SyncDir(ws.runs())
	})
}
