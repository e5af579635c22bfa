package git

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Asking about a repository of unknown origin starts none of the programs that its
// configuration names. Each attack is shown to succeed with plain git first.
func TestNoProgramOfTheRepositoryIsStarted(t *testing.T) {
	dirty := func(dir string) error { _, err := Dirty(t.Context(), dir); return err }
	lost := func(dir string) error { _, err := Commit(t.Context(), dir, "lost"); return err }
	ignored := func(dir string) error { _, err := Ignored(t.Context(), dir); return err }
	top := func(dir string) error { _, err := IsTop(t.Context(), dir); return err }
	for _, attack := range []struct {
		name   string
		plant  func(r repository, program string)
		plain  []string // command of plain git that starts the program
		ask    func(dir string) error
		answer bool // ask must succeed
	}{
		{"partial clone that lacks the commit of a ref", func(r repository, program string) {
			r.partialClone(program)
			r.write(".git/refs/heads/lost", strings.Repeat("1234567890", 4)+"\n")
		}, []string{"rev-parse", "--verify", "lost^{commit}"}, lost, false},
		{"partial clone that lacks a tree", func(r repository, program string) {
			tree := r.git("rev-parse", "HEAD^{tree}")
			r.partialClone(program)
			r.remove(".git/objects/" + tree[:2] + "/" + tree[2:])
			r.remove(".git/index")
		}, []string{"status"}, dirty, false},
		{"file system monitor", func(r repository, program string) {
			r.git("config", "core.fsmonitor", program)
		}, []string{"status"}, dirty, true},
		{"file system monitor of a submodule", func(r repository, program string) {
			r.submodule().git("config", "core.fsmonitor", program)
		}, []string{"status"}, dirty, true},
		{"file system monitor, when ignored files are listed", func(r repository, program string) {
			r.git("config", "core.fsmonitor", program)
		}, []string{"ls-files", "--others"}, ignored, true},
		{"file system monitor, when the top is looked for", func(r repository, program string) {
			r.git("config", "core.fsmonitor", program)
		}, []string{"status"}, top, true},
		{"clean filter", func(r repository, program string) {
			r.git("config", "filter.any.clean", program)
			r.filtered("any")
		}, []string{"status"}, dirty, true},
		{"long-running filter that is required", func(r repository, program string) {
			r.git("config", "filter.a.b.process", program)
			r.git("config", "filter.a.b.required", "true")
			r.filtered("a.b")
		}, []string{"status"}, dirty, true},
		{"filter with = in its name", func(r repository, program string) {
			r.git("config", "filter.a=b.clean", program)
			r.filtered("a=b")
		}, []string{"status"}, dirty, false},
		{"filter of a submodule", func(r repository, program string) {
			sub := r.submodule()
			sub.git("config", "filter.any.clean", program)
			sub.filtered("any")
		}, []string{"status"}, dirty, true},
		{"hook", func(r repository, program string) {
			r.git("config", "core.hooksPath", filepath.Dir(program))
			r.touch("a.go")
		}, []string{"status"}, dirty, true},
	} {
		t.Run(attack.name, func(t *testing.T) {
			r, marker := newRepository(t), filepath.Join(t.TempDir(), "started")
			program := filepath.Join(t.TempDir(), "post-index-change")
			r.must(os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+marker+"'\nexit 1\n"), 0o755))
			attack.plant(r, program)
			plain := exec.CommandContext(t.Context(), "git", attack.plain...)
			plain.Dir = r.dir
			out, _ := plain.CombinedOutput() // it fails in most attacks
			if os.Remove(marker) != nil {
				t.Fatalf("plain git %v does not start the program, so the attack shows nothing: %s", attack.plain, out)
			}
			r.touch("a.go") // plain git has recorded that files are unchanged
			if err := attack.ask(r.dir); (err == nil) != attack.answer {
				t.Errorf("asking returns the error %v, want success: %t", err, attack.answer)
			}
			if _, err := os.Stat(marker); !errors.Is(err, fs.ErrNotExist) {
				t.Error("the program of the repository was started")
			}
		})
	}
}

// A clone can contain a folder that looks like a bare repository. It must not count as one,
// because its configuration would come from the author.
func TestEmbeddedBareRepositoryIsNone(t *testing.T) {
	r := newRepository(t)
	bare := filepath.Join(r.dir, "fixture")
	r.git("clone", "-q", "--bare", ".", bare)
	if _, err := Commit(t.Context(), bare, "HEAD"); err == nil {
		t.Error("Commit takes the folder for a repository")
	}
}

// The output of git about another user's repository is under that user's control.
func TestRepositoryOfAnotherUserIsRefused(t *testing.T) {
	r := newRepository(t)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if _, err := Commit(t.Context(), r.dir, "HEAD"); err == nil {
		t.Error("Commit succeeds")
	}
	if _, err := Dirty(t.Context(), r.dir); err == nil {
		t.Error("Dirty succeeds")
	}
	if _, err := Ignored(t.Context(), r.dir); err == nil {
		t.Error("Ignored succeeds")
	}
}

func TestCommit(t *testing.T) {
	r := newRepository(t)
	head := r.git("rev-parse", "HEAD")
	r.git("tag", "v1")
	for _, name := range []string{"HEAD", "v1", head[:8], "@{0}"} {
		if got, err := Commit(t.Context(), r.dir, name); got != head || err != nil {
			t.Errorf("%s: %q, %v, want %s", name, got, err, head)
		}
	}
	for _, name := range []string{"", "v2", "--all", "-h", "HEAD:a.go"} {
		if got, err := Commit(t.Context(), r.dir, name); got != "" || err == nil {
			t.Errorf("%q: %q, %v, want an error", name, got, err)
		}
	}
	if _, err := Commit(t.Context(), t.TempDir(), "HEAD"); err == nil {
		t.Error("Commit succeeds without a repository")
	}
}

func TestDirty(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r repository)
		want   bool
	}{
		"no change":             {func(repository) {}, false},
		"only a file's time":    {func(r repository) { r.touch("a.go") }, false},
		"another text":          {func(r repository) { r.write("a.go", "package b\n") }, true},
		"a new file":            {func(r repository) { r.write("b.go", "package a\n") }, true},
		"an ignored file":       {func(r repository) { r.write(".git/info/exclude", "b.go"); r.write("b.go", "package a\n") }, false},
		"a submodule":           {func(r repository) { r.submodule() }, false},
		"a file of a submodule": {func(r repository) { r.submodule().write("a.go", "package b\n") }, true},
		"a commit in a submodule": {func(r repository) {
			r.submodule().git("commit", "-q", "--allow-empty", "-m", "more")
		}, true},
		"a submodule that is not checked out": {func(r repository) { r.submodule(); r.git("submodule", "-q", "deinit", "-f", "sub") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			c.change(r)
			if got, err := Dirty(t.Context(), r.dir); got != c.want || err != nil {
				t.Errorf("%v, %v, want %v", got, err, c.want)
			}
		})
	}
}

// In a hook, git sets variables that name the repository of the hook. They must not apply
// to a submodule.
func TestVariablesOfHooks(t *testing.T) {
	for name, variables := range map[string][]string{
		"the index":                      {"GIT_INDEX_FILE=.git/index"},
		"the repository":                 {"GIT_DIR=.git"},
		"the repository and work tree":   {"GIT_DIR=.git", "GIT_WORK_TREE=."},
		"an index that is not there yet": {"GIT_INDEX_FILE=.git/next-index.lock", "GIT_PREFIX="},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			sub := r.submodule()
			head := r.git("rev-parse", "HEAD")
			for _, v := range variables {
				key, value, _ := strings.Cut(v, "=")
				t.Setenv(key, value)
			}
			if got, err := Commit(t.Context(), r.dir, "HEAD"); got != head || err != nil {
				t.Errorf("the commit is %q, %v, want %s", got, err, head)
			}
			if got, err := Dirty(t.Context(), r.dir); got || err != nil {
				t.Errorf("dirty is %v, %v, want false", got, err)
			}
			if err := os.WriteFile(filepath.Join(sub.dir, "a.go"), []byte("package b\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := Dirty(t.Context(), r.dir); !got || err != nil {
				t.Errorf("with a change in the submodule dirty is %v, %v, want true", got, err)
			}
		})
	}
}

// Asking writes nothing, not even to the index, where git would note that files are
// unchanged.
func TestIndexIsNotWritten(t *testing.T) {
	r := newRepository(t)
	r.touch("a.go")
	before := r.read(".git/index")
	if yes, err := Dirty(t.Context(), r.dir); yes || err != nil {
		t.Fatal(yes, err)
	}
	if _, err := Ignored(t.Context(), r.dir); err != nil {
		t.Fatal(err)
	}
	if r.read(".git/index") != before {
		t.Error("the index was written")
	}
}

// A repository is a git repository with a work tree.
type repository struct {
	t   *testing.T
	dir string
}

// newRepository makes a repository with one commit of one file.
func newRepository(t *testing.T) repository {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	r := repository{t, dir}
	r.must(err)
	for _, name := range local { // these tests may run in a hook
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	r.git("init", "-q")
	r.write("a.go", "package a\n")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "first")
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	out, err := gitCommand(r, args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func gitCommand(r repository, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(r.t.Context(), "git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	return cmd
}

// submodule adds and commits a submodule, and returns its folder.
func (r repository) submodule() repository {
	r.t.Helper()
	source := filepath.Join(r.t.TempDir(), "source")
	r.git("clone", "-q", ".", source)
	r.git("submodule", "-q", "add", source, "sub")
	r.git("commit", "-q", "-m", "submodule")
	return repository{r.t, filepath.Join(r.dir, "sub")}
}

// partialClone makes git believe that missing objects are at a remote with the given
// program.
func (r repository) partialClone(program string) {
	r.t.Helper()
	for _, s := range [][2]string{
		{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "origin"},
		{"remote.origin.url", "file://" + r.dir}, {"remote.origin.uploadpack", program}, {"remote.origin.promisor", "true"},
	} {
		r.git("config", s[0], s[1])
	}
}

// filtered makes git use a filter for a file that may have changed.
func (r repository) filtered(filter string) {
	r.write(".git/info/attributes", "*.go filter="+filter+"\n")
	r.touch("a.go")
}

// touch makes a file look changed.
func (r repository) touch(name string) {
	r.t.Helper()
	later := time.Now().Add(time.Hour)
	r.must(os.Chtimes(filepath.Join(r.dir, name), later, later))
}

func (r repository) write(name, text string) {
	r.t.Helper()
	r.must(os.WriteFile(r.path(name), []byte(text), 0o644))
}

func (r repository) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.path(name))
	r.must(err)
	return string(text)
}

func (r repository) remove(name string) { r.t.Helper(); r.must(os.Remove(r.path(name))) }

// path returns the path of a file in the repository. The .git folder of a submodule is
// elsewhere.
func (r repository) path(name string) string {
	r.t.Helper()
	if of, inside := strings.CutPrefix(name, ".git/"); inside {
		return filepath.Join(r.git("rev-parse", "--absolute-git-dir"), of)
	}
	return filepath.Join(r.dir, name)
}

func (r repository) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}
