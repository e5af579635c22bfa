package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is ignored follows .gitignore in the folder, above and below it, and .git/info/exclude. What is
// tracked is not ignored, and a folder that is ignored itself has no rules.
func TestIgnored(t *testing.T) {
	r := newRepository(t)
	for _, dir := range []string{"modules/deep", "x/y", "only/modules", "forced", "nested"} {
		r.must(os.MkdirAll(filepath.Join(r.dir, dir), 0o755))
	}
	r.write(".gitignore", "*.o\nmodules/\n/forced\n")
	r.write("x/.gitignore", "*.log\n!keep.log\n")
	r.write(".git/info/exclude", "secret\n")
	for _, name := range []string{"modules/deep/f", "a.o", "x/y/b.log", "x/y/keep.log", "x/c.go", "only/d.o", "only/modules/m", "secret", "forced/in", "forced/out", "tracked.o"} {
		r.write(name, "text\n")
	}
	r.git("add", "-f", "tracked.o", "forced/in")
	nested := repository{t, filepath.Join(r.dir, "nested")}
	nested.git("init", "-q")
	nested.write("e.o", "text\n")
	for dir, want := range map[string]string{
		".":            "a.o forced/out modules only/d.o only/modules secret x/y/b.log",
		"x":            "y/b.log",
		"only":         "d.o modules",
		"forced":       "out",
		"modules":      "",
		"modules/deep": "",
		"nested":       "",
	} {
		got, err := Ignored(t.Context(), filepath.Join(r.dir, dir))
		slices.Sort(got)
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", dir, got, err, want)
		}
	}
	if got, err := Ignored(t.Context(), t.TempDir()); err == nil {
		t.Errorf("outside of a repository: %q, want an error", got)
	}
}

// A submodule has a file .git that names its repository. What only has the name is no repository.
func TestIsTop(t *testing.T) {
	r := newRepository(t)
	sub := r.submodule()
	r.must(os.MkdirAll(filepath.Join(r.dir, "empty", ".git"), 0o755))
	r.must(os.MkdirAll(filepath.Join(r.dir, "lost"), 0o755))
	r.write("lost/.git", "gitdir: nowhere\n")
	for dir, want := range map[string]bool{r.dir: true, sub.dir: true, filepath.Join(r.dir, "empty"): false, filepath.Join(r.dir, "lost"): false, t.TempDir(): false} {
		if got, err := IsTop(t.Context(), dir); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", dir, got, err, want)
		}
	}
	t.Setenv("PATH", "")
	if got, err := IsTop(t.Context(), r.dir); err == nil {
		t.Errorf("without git: %v, want an error", got)
	}
}
