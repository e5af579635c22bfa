package content

import (
	"encoding/json"
	"fmt"
	"io/fs"
)

// The JSON form is an array with one array for each entry, which begins with its kind:
//
//	["f", path, perm, mod_time_ns, size, hash]
//	["d", path, perm, mod_time_ns]
//	["l", path, target]
//
// perm is a decimal number. A file takes some 110 bytes and its path.

// MarshalJSON implements [json.Marshaler]. Equal entries have equal text.
func (t Tree) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, e := range t.Entries {
		var row []any
		switch e.Kind {
		case File:
			row = []any{"f", e.Path, uint32(e.Perm), e.ModTimeNs, e.Size, e.Hash}
		case Folder:
			row = []any{"d", e.Path, uint32(e.Perm), e.ModTimeNs}
		case Link:
			row = []any{"l", e.Path, e.Target}
		default:
			return nil, fmt.Errorf("entry %q has the kind %d", e.Path, e.Kind)
		}
		entry, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, entry...)
	}
	return append(text, ']'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. Whether the tree can be laid out is not decided here:
// [Store.Lay] refuses what no Scan makes.
func (t *Tree) UnmarshalJSON(text []byte) error {
	var rows [][]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	*t = Tree{}
	if len(rows) > maxEntries {
		return fmt.Errorf("the tree has %d entries, over the limit of %d", len(rows), maxEntries)
	}
	for i, row := range rows {
		e, err := parseEntry(row)
		if err != nil {
			return fmt.Errorf("entry %d of the tree: %w", i, err)
		}
		t.Entries = append(t.Entries, e)
	}
	return nil
}

func parseEntry(row []json.RawMessage) (e Entry, err error) {
	var kind string
	if len(row) == 0 {
		return e, fmt.Errorf("it is empty")
	}
	if err := json.Unmarshal(row[0], &kind); err != nil {
		return e, err
	}
	var perm uint32
	var fields []any
	switch kind {
	case "f":
		e.Kind, fields = File, []any{&e.Path, &perm, &e.ModTimeNs, &e.Size, &e.Hash}
	case "d":
		e.Kind, fields = Folder, []any{&e.Path, &perm, &e.ModTimeNs}
	case "l":
		e.Kind, fields = Link, []any{&e.Path, &e.Target}
	default:
		return e, fmt.Errorf("its kind is %q, must be f, d or l", shortened(kind))
	}
	if len(row)-1 != len(fields) {
		return e, fmt.Errorf("it has %d fields, must have %d", len(row), len(fields)+1)
	}
	for i, field := range fields {
		if err := json.Unmarshal(row[i+1], field); err != nil {
			return e, err
		}
	}
	e.Perm = fs.FileMode(perm)
	return e, nil
}
