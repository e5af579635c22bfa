package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/store"
)

// A baseline is what the next months are compared with: it moves when it is told to,
// and its run cannot be deleted by mistake.
func TestBaselines(t *testing.T) {
	s := store.Open(t.TempDir())
	old, head := save(t, s, runOf(1)), save(t, s, runOf(2))
	set := func(name, id string) {
		t.Helper()
		if err := s.SetBaseline(workspace, name, id); err != nil {
			t.Fatal(err)
		}
	}
	set("release/1.0", old)
	set("main", old)
	set("main", head)
	set("before", old)
	got, err := s.Baselines(workspace)
	if diff := cmp.Diff([]store.Baseline{{"before", old}, {"main", head}, {"release/1.0", old}}, got); diff != "" || err != nil {
		t.Errorf("error %v, baselines (-want +got):\n%s", err, diff)
	}
	entries, err := s.List(workspace)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want := map[string][]string{old: {"before", "release/1.0"}, head: {"main"}}[e.ID]
		if diff := cmp.Diff(want, e.Baselines); diff != "" {
			t.Errorf("names of %s (-want +got):\n%s", e.ID, diff)
		}
	}
	if err := s.Delete(workspace, head); err == nil || !strings.Contains(err.Error(), "it is the baseline main: remove that name first") {
		t.Errorf("deleting a baseline: %v", err)
	}
	load(t, s, head)
	if err := errors.Join(s.RemoveBaseline(workspace, "main"), s.Delete(workspace, head)); err != nil {
		t.Error(err)
	}
	if _, err := s.Load(workspace, head); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("loading what was deleted: %v", err)
	}
	if err := s.RemoveBaseline(workspace, "main"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removing a name twice: %v", err)
	}
	if err := s.SetBaseline(workspace, "main", head); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("naming a run that is gone: %v", err)
	}
}

// Names are like those of branches, which have slashes, capitals and letters of any
// language. Each has its own file, in its folder and nowhere else.
func TestBaselineNames(t *testing.T) {
	dir := t.TempDir()
	s := store.Open(dir)
	id := save(t, s, runOf(1))
	before := files(t, dir)
	good := []string{"main", "Main", "MAIN", "release/1.0", "release%2f1.0", "..", "../../../out", "/etc/passwd", ".hidden", "trailing.", "ü", "日本", "a:b*c?", `back\slash`, "con", "%", strings.Repeat("x", 240)}
	for _, name := range good {
		if err := s.SetBaseline(workspace, name, id); err != nil {
			t.Error(err)
		}
	}
	list, err := s.Baselines(workspace)
	if err != nil || len(list) != len(good) {
		t.Errorf("%d names of %d, error %v", len(list), len(good), err)
	}
	for _, name := range good {
		if got, ok, err := s.Baseline(workspace, name); got != id || !ok || err != nil {
			t.Errorf("%s is %s, %t, error %v", name, got, ok, err)
		}
	}
	if now := files(t, filepath.Join(s.Folder(workspace), "baselines")); len(files(t, dir)) != len(before)+len(good) || len(now) != len(good) {
		t.Errorf("files of %d baselines:\n%s", len(good), strings.Join(now, "\n"))
	}
	for _, test := range []struct{ name, want string }{
		{"", "it is empty"}, {"-v", "it begins with -, as flags do"}, {"latest", "it stands for a run already"}, {id, "it stands for a run already"},
		{"two words", "it has blanks"}, {"line\n", "it has blanks"}, {"\xff", "it has blanks"}, {"\u202e", "it has blanks"},
		{strings.Repeat("x", 241), "it is too long"}, {strings.Repeat("X", 81), "it is too long"},
	} {
		if err := s.SetBaseline(workspace, test.name, id); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %s", test.name, err, test.want)
		}
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A file of a baseline that cannot be read may mean any run: none is removed for it,
// and the user is told which file it is.
func TestBadBaseline(t *testing.T) {
	s := store.Open(t.TempDir())
	s.Limits.Keep = 1
	id := save(t, s, runOf(1))
	if err := s.SetBaseline(workspace, "main", id); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(s.Folder(workspace), "baselines")
	for file, content := range map[string]string{"broken": "2026", "No%Name": id + "\n"} {
		bad := filepath.Join(folder, file)
		if err := os.WriteFile(bad, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := s.Baselines(workspace); len(list) != 1 || err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %d baselines, error %v", file, len(list), err)
		}
		if err := s.Delete(workspace, id); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: deleting: %v", file, err)
		}
		err := s.Save(workspace, "", runOf(1))
		var kept *store.TrimError
		if !errors.As(err, &kept) || !strings.Contains(err.Error(), "was saved, but older ones could not be removed") || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: saving: %v", file, err)
		} else {
			load(t, s, kept.ID)
		}
		if err := os.Remove(bad); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := s.List(workspace); len(entries) != 3 || err != nil {
		t.Errorf("%d runs, error %v, want 3", len(entries), err)
	}
}

// Whatever a name is, its file is one in the folder, also where capitals do not
// count, and gives the name again.
func FuzzName(f *testing.F) {
	for _, name := range []string{"main", "Main", "a/b", "..", "%2f", "ü"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if back, ok := store.Unescape(name); ok && store.Escape(back) != name {
			t.Errorf("the file %q is of %q, whose file is %q", name, back, store.Escape(back))
		}
		if store.CheckName(name) != nil {
			return
		}
		file := store.Escape(name)
		if back, ok := store.Unescape(file); back != name || !ok {
			t.Errorf("%q became %q", name, back)
		}
		if filepath.Base(file) != file || strings.HasPrefix(file, ".") || strings.ToLower(file) != file {
			t.Errorf("%q has the file %q", name, file)
		}
	})
}
