package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folders lists what is in temp.
func folders(t *testing.T, temp string) []string {
	t.Helper()
	entries, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// The temporary folder is everybody's: what merely has a name like ours, a
// backup called spell-lsp-4194304 among them, is not ours to remove.
func TestOnlyOrphansAreRemoved(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	others := []string{"other", "spell-lsp-4194304", "spell-lsp-4194304-backup", scratchPrefix + "notes"}
	for _, name := range others {
		if err := os.Mkdir(filepath.Join(temp, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	orphan := filepath.Join(temp, scratchPrefix+"orphan")
	if err := os.MkdirAll(filepath.Join(orphan, "overlay"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(orphan, scratchMark), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	mine, remove, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	removeOrphans(temp) // as another measurement would
	var left []string
	for _, name := range folders(t, temp) {
		if name != filepath.Base(mine) {
			left = append(left, name)
		}
	}
	if _, err := os.Stat(filepath.Join(mine, scratchMark)); err != nil {
		t.Errorf("the folder of a measurement under way was removed: %v", err)
	}
	if diff := cmp.Diff(others, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	remove()
	if diff := cmp.Diff(others, folders(t, temp)); diff != "" {
		t.Errorf("left at the end (-want +got):\n%s", diff)
	}
}

// The go command runs in another folder than this process.
func TestScratchIsAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("temp", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", "temp")
	dir, remove, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if !filepath.IsAbs(dir) || !strings.Contains(dir, "temp") {
		t.Errorf("the folder is %s, want an absolute path in temp", dir)
	}
}
