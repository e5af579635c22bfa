package store

import (
	"encoding/gob"
	"io"
	"time"
)

// SetNow sets the clock that limits go by.
func (s *Store) SetNow(now func() time.Time) { s.now = now }

// Folder is where the runs of a workspace are kept.
func (s *Store) Folder(workspace string) string {
	ws, err := s.workspaceDir(workspace)
	if err != nil {
		panic(err)
	}
	return ws.dir
}

// Lock keeps others from changing anything.
func (s *Store) Lock(workspace string) (unlock func(), err error) {
	ws, err := s.workspaceDir(workspace)
	if err != nil {
		return nil, err
	}
	return ws.lock()
}

// The name of a baseline's file, and back.
var (
	Escape    = escape
	Unescape  = unescape
	CheckName = checkName
)

// ForgeIndex writes an index that says of the listed runs that they have 99 tests, as
// a program would whose entries have these fields.
func (s *Store) ForgeIndex(workspace, fields string) error {
	ws, err := s.workspaceDir(workspace)
	if err != nil {
		return err
	}
	forged := index{Fields: fields}
	for _, run := range ws.readIndex() {
		run.Entry.Tests = 99
		forged.Runs = append(forged.Runs, *run)
	}
	return replace(ws.indexFile(), func(w io.Writer) error { return gob.NewEncoder(w).Encode(forged) })
}

// FieldsOfEntry names the fields of the entries of this program.
var FieldsOfEntry = fieldsOfEntry
