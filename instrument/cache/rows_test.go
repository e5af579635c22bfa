package cache

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
)

func TestRowsOfPackages(t *testing.T) {
	table := &RowTable{Packages: make(map[string]RowRange), today: 100}
	place := func(path string, n int) uint32 {
		t.Helper()
		first, err := table.Place(path, n)
		if err != nil {
			t.Fatal(err)
		}
		return first
	}
	for _, step := range []struct {
		why, path string
		n         int
		want      uint32
	}{
		{"the first package has the first rows", "a", 8, 1},
		{"the next has those behind, with room for a quarter more", "b", 40, 12},
		{"a package without functions has none", "none", 0, 0},
		{"one that grows within its room stays", "a", 11, 1},
		{"one that shrinks stays", "b", 1, 12},
		{"one that outgrows its room moves behind the others", "a", 12, 63},
		{"another takes the rows that it left", "c", 8, 1},
		{"if it is small enough", "d", 1, 79},
	} {
		if got := place(step.path, step.n); got != step.want {
			t.Errorf("%s: %s with %d functions begins at %d, want %d", step.why, step.path, step.n, got, step.want)
		}
	}
	table.today = 105
	table.Use([]string{"a"})
	table.today = 101 + KeepDays
	table.Use([]string{"none", "c"})
	want := map[string]RowRange{"a": {63, 16, 105}, "c": {1, 11, 101 + KeepDays}}
	if diff := cmp.Diff(want, table.Packages); diff != "" {
		t.Errorf("after some days without b and d (-want +got):\n%s", diff)
	}
}

// Without room to grow there is place for more.
func TestRowsAreTight(t *testing.T) {
	table := &RowTable{Packages: make(map[string]RowRange)}
	if _, err := table.Place("a", probe.MaxComponents-1); !errors.Is(err, ErrRowsFull) {
		t.Errorf("error is %v, want %v", err, ErrRowsFull)
	}
	table.tight = true
	if first, err := table.Place("a", probe.MaxComponents-1); first != 1 || err != nil {
		t.Errorf("the first row: %d, %v", first, err)
	}
	if first, err := table.Place("b", 1); first != probe.MaxComponents || err != nil {
		t.Errorf("the last row: %d, %v", first, err)
	}
	if _, err := table.Place("c", 1); !errors.Is(err, ErrRowsFull) {
		t.Errorf("error is %v, want %v", err, ErrRowsFull)
	}
}
