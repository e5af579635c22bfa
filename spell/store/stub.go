package store

import ("spell-lsp/spell/record"; "time")

type Store struct{}
type Entry struct { ID string; Started time.Time; Scope string }
func (s *Store) Save(workspace, scope string, r *record.Run) error { return nil }
func (s *Store) Load(workspace, id string) (*record.Run, error) { return nil, nil }
func (s *Store) SetBaseline(workspace, name, id string) error { return nil }
func (s *Store) Baseline(workspace, name string) (string, bool, error) { return "", false, nil }
func (s *Store) List(workspace string) ([]Entry, error) { return nil, nil }
