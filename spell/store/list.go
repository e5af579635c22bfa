package store

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/store/runfile"
)

// List lists the runs of a workspace by their ids, newest first. Files that cannot
// be read are left out and named by the error; the rest of the list is valid even then.
// Runs that another process adds or removes meanwhile may or may not be listed.
func (s *Store) List(workspace string) ([]Entry, error) {
	ws, err := s.workspaceDir(workspace)
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	entries, bad, err := ws.entries(ws.tryWriteIndex)
	if err != nil {
		return nil, fmt.Errorf("listing runs of %s: %w", ws.workspace, err)
	}
	bases, alsoBad, err := ws.allBaselines()
	named := namesByRun(bases)
	for i := range entries {
		entries[i].Baselines = named[entries[i].ID]
	}
	return entries, errors.Join(joined(bad), joined(alsoBad), err)
}

// Latest returns the newest readable run of a workspace; ok is false if there is
// none. An error together with a run names newer files that cannot be read.
func (s *Store) Latest(workspace string) (latest Entry, ok bool, err error) {
	ws, err := s.workspaceDir(workspace)
	if err != nil {
		return latest, false, fmt.Errorf("looking for the latest run: %w", err)
	}
	ids, err := ws.ids()
	if err != nil {
		return latest, false, fmt.Errorf("looking for the latest run of %s: %w", ws.workspace, err)
	}
	var bad []error
	for _, id := range ids {
		e, err := ws.entry(id)
		if err == nil {
			bases, alsoBad, err := ws.allBaselines()
			e.Baselines = namesByRun(bases)[id]
			return e, true, errors.Join(append(bad, joined(alsoBad), err)...)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			bad = append(bad, err)
		}
	}
	return latest, false, errors.Join(bad...)
}

// Before are the runs of a workspace before r that measured the same scope under the same
// settings, completely, from the newest on; those that cannot be read are left out. Each is loaded
// when it is asked for.
func (s *Store) Before(workspace, scope string, r *record.Run) iter.Seq[*record.Run] {
	return func(yield func(*record.Run) bool) {
		ws, err := s.workspaceDir(workspace)
		if err != nil {
			return
		}
		ids, err := ws.ids()
		if err != nil {
			return
		}
		for _, id := range ids {
			e, err := ws.entry(id)
			if err != nil || e.ID >= r.ID || e.Partial || e.Scope != scope || e.Chosen != chosen(r.Settings) || e.Mode != r.Mode {
				continue
			}
			if run, err := s.Load(workspace, e.ID); err == nil && !yield(run) {
				return
			}
		}
	}
}

// Load reads a run. The error is fs.ErrNotExist if there is no run of that id, and
// a *FileError if its file cannot be read.
func (s *Store) Load(workspace, id string) (*record.Run, error) {
	ws, err := s.workspaceDir(workspace)
	if err == nil {
		err = checkID(id)
	}
	if err != nil {
		return nil, fmt.Errorf("loading a run: %w", err)
	}
	data, err := regularfile.Read(ws.run(id), regularfile.MaxSaved)
	if err != nil {
		return nil, ws.openError(id, err)
	}
	r, err := runfile.Read(data)
	if err != nil {
		return nil, &FileError{ws.run(id), err}
	}
	return r, ws.belongs(id, r.ID)
}

// An UnknownError says that a name refers to no run.
type UnknownError struct{ Name, Workspace string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%q is neither the id of a run, nor latest, nor the name of a baseline of %s", e.Name, e.Workspace)
}

// Resolve finds the id of the run that a user names: by its id, as latest, or by the
// name of a baseline. The run's file may be unreadable. The error is an *UnknownError
// if the name is none of these.
func (s *Store) Resolve(workspace, name string) (id string, err error) {
	switch {
	case checkID(name) == nil:
		return name, nil
	case name == latestName:
		e, ok, err := s.Latest(workspace)
		if !ok && err == nil {
			err = fmt.Errorf("there is no saved run of %s: measure first", workspace)
		}
		if !ok {
			return "", err
		}
		return e.ID, nil
	}
	id, ok, err := s.Baseline(workspace, name)
	if err == nil && !ok {
		err = &UnknownError{name, workspace}
	}
	return id, err
}

// ids lists the runs by the names of their files, newest first.
func (ws workspaceDir) ids() ([]string, error) {
	names, err := namesIn(ws.runs())
	if err != nil {
		return nil, err
	}
	ids := names[:0]
	for _, name := range names {
		if id, ok := strings.CutSuffix(name, extension); ok && checkID(id) == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
}
