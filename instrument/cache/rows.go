package cache

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
)

// A RowTable says which rows of the probe's table belong to which package of a
// workspace. The rows are part of a package's text: as long as they stay, the
// package is not compiled again.
type RowTable struct {
	Packages map[string]RowRange // by import path
	tight    bool                // packages get no room to grow
	changed  bool
	today    int // days since 1970
}

// A RowRange is the rows of a package.
type RowRange struct {
	First, Size uint32
	Used        int // day of the last use, in days since 1970
}

// ErrRowsFull says that the probe's table has no room for that many rows.
var ErrRowsFull = errors.New("the table of rows is full")

// Tight is an empty table that leaves packages no room to grow.
func (t *RowTable) Tight() *RowTable {
	return &RowTable{Packages: make(map[string]RowRange), tight: true, today: t.today}
}

// Use marks packages as used today, and drops those that were not used for KeepDays.
func (t *RowTable) Use(paths []string) {
	for _, path := range paths {
		if r, ok := t.Packages[path]; ok && r.Used != t.today {
			t.Packages[path], t.changed = RowRange{r.First, r.Size, t.today}, true
		}
	}
	maps.DeleteFunc(t.Packages, func(_ string, r RowRange) bool { return t.today-r.Used > KeepDays })
}

// Place returns the first of n rows for a package: its present ones if they suffice, or
// new ones with room to grow.
func (t *RowTable) Place(path string, n int) (uint32, error) {
	if r, ok := t.Packages[path]; ok && n <= int(r.Size) {
		return r.First, nil
	}
	if n == 0 {
		return 0, nil
	}
	delete(t.Packages, path)
	size := n + n/4 + 1
	if t.tight {
		size = n
	}
	first := t.gap(size)
	if first+size-1 > probe.MaxComponents {
		return 0, ErrRowsFull
	}
	t.Packages[path], t.changed = RowRange{uint32(first), uint32(size), t.today}, true
	return uint32(first), nil
}

// gap returns the first of size consecutive free rows.
func (t *RowTable) gap(size int) int {
	taken := slices.SortedFunc(maps.Values(t.Packages), func(a, b RowRange) int { return cmp.Compare(a.First, b.First) })
	first := 1
	for _, r := range taken {
		if first+size <= int(r.First) {
			break
		}
		first = max(first, int(r.First+r.Size))
	}
	return first
}

// valid reports whether all rows are within the probe's table.
func (t *RowTable) valid() bool {
	for _, r := range t.Packages {
		if r.First == 0 || r.Size == 0 || r.First > probe.MaxComponents || r.Size > probe.MaxComponents || r.First+r.Size-1 > probe.MaxComponents {
			return false
		}
	}
	return true
}
