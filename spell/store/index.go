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

// An index is what is known of the runs. One of a program whose entries have other
// fields says nothing of some of them: it is not taken.
type index struct {
	Fields string
	Runs   []indexed
}

var fieldsOfEntry = fmt.Sprintf("%+v", Entry{})

// An indexed entry is one with size and time of the file that it was read from.
type indexed struct {
	Entry Entry
	Bytes int64
	Time  int64 // of its last change, nanoseconds since 1970
}

// worthIndexing is how many headers are read before the index is written anew.
const worthIndexing = 16

// entries lists the runs, newest first, without their baselines, and the files that
// cannot be read. Keep is given what to write into the index where that is out of
// date.
func (sh shelf) entries(keep func([]indexed)) (entries []Entry, bad []*FileError, err error) {
	ids, err := sh.ids()
	if err != nil {
		return nil, nil, err
	}
	known := sh.readIndex()
	list := make([]indexed, 0, len(ids))
	read := 0
	for _, id := range ids {
		e, old, err := sh.look(id, known)
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
	if read >= worthIndexing {
		keep(list)
	}
	entries = make([]Entry, len(list))
	for i := range list {
		entries[i] = list[i].Entry
	}
	return entries, bad, nil
}

// look takes the entry of a run from what is known, if the file is as it was, else
// from the file. The error is fs.ErrNotExist or a *FileError.
func (sh shelf) look(id string, known map[string]*indexed) (e indexed, old bool, err error) {
	info, err := os.Lstat(sh.run(id))
	switch {
	case err != nil:
		return e, false, sh.absent(id, err)
	case !info.Mode().IsRegular():
		return e, false, &FileError{sh.run(id), errors.New("is not a regular file")}
	}
	if k := known[id]; k != nil && k.Bytes == info.Size() && k.Time == info.ModTime().UnixNano() {
		return *k, true, nil
	}
	entry, err := sh.entry(id)
	return indexed{entry, info.Size(), info.ModTime().UnixNano()}, false, err
}

// readIndex gives what is known of the runs, by id; nothing where there is no index.
func (sh shelf) readIndex() map[string]*indexed {
	f, err := regularfile.Open(sh.indexFile())
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

// writeIndex keeps what was read. Where nothing can be written, the next list reads
// the headers again. Whoever calls it holds the lock.
func (sh shelf) writeIndex(list []indexed) {
	_ = replace(sh.indexFile(), func(w io.Writer) error { return gob.NewEncoder(w).Encode(index{fieldsOfEntry, list}) })
}

// offerIndex is writeIndex for who does not hold the lock, nor waits for it.
func (sh shelf) offerIndex(list []indexed) {
	if unlock, err := sh.tryLock(); err == nil {
		defer unlock()
		sh.writeIndex(list)
	}
}

func (sh shelf) indexFile() string { return filepath.Join(sh.dir, "index") }
