package store

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"spell-lsp/spell/regularfile"
)

// An index caches the entries of runs. An index whose entries have other fields, from
// another version of this program, is ignored: the missing fields would seem to be 0.
type index struct {
	Fields string
	Runs   []indexed
}

var fieldsOfEntry = fmt.Sprintf("%+v", Entry{})

// An indexed entry has the size and modification time of the file from which it was read.
type indexed struct {
	Entry Entry
	Bytes int64
	Time  int64 // of its last change, nanoseconds since 1970
}

// reindexAfter is the number of headers read after which the index is rewritten.
const reindexAfter = 16

// entries lists the runs, newest first, without their baselines, and the files that
// cannot be read. Keep is called with a new index if the old one is out of date.
func (ws workspaceDir) entries(keep func([]indexed)) (entries []Entry, bad []*FileError, err error) {
	ids, err := ws.ids()
	if err != nil {
		return nil, nil, err
	}
	known := ws.readIndex()
	list := make([]indexed, 0, len(ids))
	read := 0
	for _, id := range ids {
		e, old, err := ws.cachedEntry(id, known)
		var file *FileError
		switch {
		case errors.As(err, &file):
			bad = append(bad, file)
		case err == nil:
			list = append(list, e)
			if !old {
				read++
			}
		}
	}
	if read >= reindexAfter {
		keep(list)
	}
	entries = make([]Entry, len(list))
	for i := range list {
		entries[i] = list[i].Entry
	}
	return entries, bad, nil
}

// cachedEntry takes the entry of a run from the index if the file's size and time are
// unchanged, otherwise from the file. The error is fs.ErrNotExist or a *FileError.
func (ws workspaceDir) cachedEntry(id string, known map[string]*indexed) (e indexed, old bool, err error) {
	info, err := os.Lstat(ws.run(id))
	switch {
	case err != nil:
		return e, false, ws.openError(id, err)
	case !info.Mode().IsRegular():
		return e, false, &FileError{ws.run(id), errors.New("is not a regular file")}
	}
	if k := known[id]; k != nil && k.Bytes == info.Size() && k.Time == info.ModTime().UnixNano() {
		return *k, true, nil
	}
	entry, err := ws.entry(id)
	return indexed{entry, info.Size(), info.ModTime().UnixNano()}, false, err
}

// readIndex returns the index by run id; it is empty if there is no usable index.
func (ws workspaceDir) readIndex() map[string]*indexed {
	f, err := regularfile.Open(ws.indexFile())
	if err != nil {
		return nil
	}
	defer f.Close()
	var kept index
	if gob.NewDecoder(regularfile.Limit(f, f.Name(), regularfile.MaxIndex)).Decode(&kept) != nil || kept.Fields != fieldsOfEntry {
		return nil
	}
	known := make(map[string]*indexed, len(kept.Runs))
	for i := range kept.Runs {
		known[kept.Runs[i].Entry.ID] = &kept.Runs[i]
	}
	return known
}

// writeIndex writes the index. Errors are ignored: the next list then reads the headers
// again. The caller holds the lock.
func (ws workspaceDir) writeIndex(list []indexed) {
	_ = replace(ws.indexFile(), func(w io.Writer) error { return gob.NewEncoder(w).Encode(index{fieldsOfEntry, list}) })
}

// tryWriteIndex is writeIndex for callers that do not hold the lock. It does not wait
// for the lock.
func (ws workspaceDir) tryWriteIndex(list []indexed) {
	if unlock, err := ws.tryLock(); err == nil {
		defer unlock()
		ws.writeIndex(list)
	}
}

func (ws workspaceDir) indexFile() string { return filepath.Join(ws.dir, "index") }
