package store

import "time"

// SetNow sets the clock that limits go by.
func (s *Store) SetNow(now func() time.Time) { s.now = now }

// Folder is where the runs of a workspace are kept.
func (s *Store) Folder(workspace string) string {
	sh, err := s.shelf(workspace)
	if err != nil {
		panic(err)
	}
	return sh.dir
}

// Lock keeps others from changing anything.
func (s *Store) Lock(workspace string) (unlock func(), err error) {
	sh, err := s.shelf(workspace)
	if err != nil {
		return nil, err
	}
	return sh.lock()
}

// The name of a baseline's file, and back.
var (
	Escape    = escape
	Unescape  = unescape
	CheckName = checkName
)
