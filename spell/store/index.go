package store

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// An indexed entry is one with size and time of the file that it was read from.
type indexed struct {
	Entry Entry
	Bytes int64
	Time  int64 // of its last change, nanoseconds since 1970
}

// worthIndexing is how many headers are read before the index is written anew.
const worthIndexing = 16

// entries lists the runs, newest first, without their baselines, and the files that
// cannot be read. Keep, if it is not nil, is given what to write into the index where
// that is out of date.
func (sh shelf) entries(keep func([]indexed)) (entries []Entry, bad []*FileError, err error) {
	ids, err := sh.ids()
	if err != nil {
		return nil, nil, err
	}
	known := sh.readIndex()
	index := make([]indexed, 0, len(ids))
	read := 0
	for _, id := range ids {
		e, old, err := sh.look(id, known)
		var file *FileError
		switch {
		case errors.As(err, &file):
			bad = append(bad, file)
		case err == nil:
			index = append(index, e)
			if !old {
				read++
			}
		}
	}
	if read >= worthIndexing && keep != nil {
		keep(index)
	}
	entries = make([]Entry, len(index))
	for i := range index {
		entries[i] = index[i].Entry
	}
	return entries, bad, nil
}

// look takes the entry of a run from what is known, if the file is as it was, else
// from the file. The error is fs.ErrNotExist or a *FileError.
func (sh shelf) look(id string, known map[string]indexed) (e indexed, old bool, err error) {
	info, err := os.Lstat(sh.run(id))
	switch {
	case err != nil:
		return e, false, sh.absent(id, err)
	case !info.Mode().IsRegular():
		return e, false, &FileError{sh.run(id), errors.New("is not a regular file")}
	}
	e = known[id]
	if e.Entry.ID == id && e.Bytes == info.Size() && e.Time == info.ModTime().UnixNano() {
		return e, true, nil
	}
	entry, err := sh.entry(id)
	return indexed{entry, info.Size(), info.ModTime().UnixNano()}, false, err
}

// readIndex gives what is known of the runs, by id; nothing where there is no index.
func (sh shelf) readIndex() map[string]indexed {
	f, err := os.Open(sh.index())
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []indexed
	if gob.NewDecoder(f).Decode(&list) != nil {
		return nil
	}
	known := make(map[string]indexed, len(list))
	for _, e := range list {
		known[e.Entry.ID] = e
	}
	return known
}

// writeIndex keeps what was read. Where nothing can be written, the next list reads
// the headers again. Whoever calls it holds the lock.
func (sh shelf) writeIndex(list []indexed) {
	_ = replace(sh.index(), func(w io.Writer) error { return gob.NewEncoder(w).Encode(list) })
}

// offerIndex is writeIndex for who does not hold the lock, nor waits for it.
func (sh shelf) offerIndex(list []indexed) {
	if unlock, err := sh.tryLock(); err == nil {
		defer unlock()
		sh.writeIndex(list)
	}
}

func (sh shelf) index() string { return filepath.Join(sh.dir, "index") }
