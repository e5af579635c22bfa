package instrument

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
)

// A rowTable says which rows of the probe's table belong to which package of a
// workspace. The rows are part of a package's text: as long as they stay, the
// package is not compiled again.
type rowTable struct {
	Packages map[string]rowRange // by import path
	tight    bool                // without room for more
	changed  bool
	today    int // days since 1970
}

type rowRange struct {
	First, Size uint32
	Used        int // the day
}

var errRowsFull = errors.New("the table of rows is full")

// use notes that packages are part of a build, and drops those that have not
// been part of one for long.
func (t *rowTable) use(paths []string) {
	for _, path := range paths {
		if r, ok := t.Packages[path]; ok && r.Used != t.today {
			t.Packages[path], t.changed = rowRange{r.First, r.Size, t.today}, true
		}
	}
	maps.DeleteFunc(t.Packages, func(_ string, r rowRange) bool { return t.today-r.Used > keepDays })
}

// place returns the first of n rows for a package: those that it has, or new
// ones with room to grow.
func (t *rowTable) place(path string, n int) (uint32, error) {
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
		return 0, errRowsFull
	}
	t.Packages[path], t.changed = rowRange{uint32(first), uint32(size), t.today}, true
	return uint32(first), nil
}

// gap is the first place for that many rows.
func (t *rowTable) gap(size int) int {
	taken := slices.SortedFunc(maps.Values(t.Packages), func(a, b rowRange) int { return cmp.Compare(a.First, b.First) })
	first := 1
	for _, r := range taken {
		if first+size <= int(r.First) {
			break
		}
		first = max(first, int(r.First+r.Size))
	}
	return first
}

// valid says that the table can have been written by this package.
func (t *rowTable) valid() bool {
	for _, r := range t.Packages {
		if r.First == 0 || r.Size == 0 || r.First > probe.MaxComponents || r.Size > probe.MaxComponents || r.First+r.Size-1 > probe.MaxComponents {
			return false
		}
	}
	return true
}
