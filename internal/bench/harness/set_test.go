package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Why: one table that cannot be made must not hide the others, and must not pass.
func TestTablesThatCannotBeMade(t *testing.T) {
	good := func(context.Context) (*Table, error) {
		made := &Table{Title: "Good"}
		made.AtMost("value", "%.0f", 1, 2)
		return made, nil
	}
	bad := func(context.Context) (*Table, error) { return nil, errors.New("no such thing") }
	set := Set{{"bad", bad}, {"good", good}}
	for _, c := range []struct {
		tables []string
		want   []string
		err    error
	}{
		{nil, []string{"the table could not be made: no such thing", "## Good"}, ErrMissed},
		{[]string{"good"}, []string{"# Title", "## Good"}, nil},
	} {
		name := filepath.Join(t.TempDir(), "folder", "tables.md")
		if err := set.WriteFile(t.Context(), "Title", name, c.tables); !errors.Is(err, c.err) {
			t.Errorf("%v: %v, must be %v", c.tables, err, c.err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%v: the file has no %q:\n%s", c.tables, want, text)
			}
		}
	}
	if err := set.Check([]string{"good", "goof"}); err == nil || !strings.Contains(err.Error(), `"goof" is no table: there are bad, good`) {
		t.Errorf("a name of no table: %v", err)
	}
}
