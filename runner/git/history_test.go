package git

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// commit makes a commit in which a file has a text, and returns its hash.
func (r repository) commit(subject, file, text string) string {
	r.t.Helper()
	r.must(os.MkdirAll(filepath.Dir(filepath.Join(r.dir, file)), 0o755))
	r.write(file, text)
	r.git("add", ".")
	r.git("commit", "-q", "-m", subject)
	return r.git("rev-parse", "HEAD")
}

func (r repository) located() Repository {
	r.t.Helper()
	l, err := Locate(r.t.Context(), r.dir)
	r.must(err)
	return l
}

// borrowed makes a repository for checkouts.
func (r repository) borrowed() string {
	r.t.Helper()
	dir := r.t.TempDir()
	r.must(Borrow(r.t.Context(), dir, r.located()))
	return dir
}

// hash is that of all files below a folder, with their names, modes and times.
func (r repository) hash(dir string) string {
	r.t.Helper()
	sum := sha256.New()
	r.must(filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintln(sum, name, info.Mode(), info.ModTime().UnixNano())
		if d.Type().IsRegular() && err == nil {
			text, failed := os.ReadFile(name)
			sum.Write(text)
			err = failed
		}
		return err
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func TestLocate(t *testing.T) {
	r := newRepository(t)
	r.commit("second", "sub/mod/b.go", "package b\n")
	objects := filepath.Join(r.dir, ".git", "objects")
	if got := r.located(); got != (Repository{Objects: objects, ObjectFormat: "sha1"}) {
		t.Errorf("at the top: %+v", got)
	}
	got, err := Locate(t.Context(), filepath.Join(r.dir, "sub", "mod"))
	if err != nil || got.Prefix != "sub/mod" || got.Objects != objects {
		t.Errorf("in a folder: %+v, %v", got, err)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	r.git("worktree", "add", "-q", tree)
	if got, err = Locate(t.Context(), tree); err != nil || got.Objects != objects || got.Prefix != "" {
		t.Errorf("in a work tree: %+v, %v", got, err)
	}
	shallow := repository{t, filepath.Join(t.TempDir(), "shallow")}
	r.git("clone", "-q", "--depth=1", "file://"+r.dir, shallow.dir)
	if !shallow.located().Shallow {
		t.Error("a shallow clone counts as whole")
	}
	if _, err := Locate(t.Context(), t.TempDir()); err == nil {
		t.Error("no error without a repository")
	}
}

func TestFirstParents(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "side")
	side := r.commit("on the side", "b.go", "package a\n")
	r.git("checkout", "-q", "-")
	second := r.commit("second: a | %s \"x\"", "a.go", "package a // 2\n")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	merge := r.git("rev-parse", "HEAD")
	r.git("replace", second, first) // it counts as stored

	list, err := FirstParents(t.Context(), r.dir, first, merge)
	if err != nil {
		t.Fatal(err)
	}
	want := []LogEntry{{Hash: second, Parents: []string{first}, Subject: "second: a | %s \"x\""}, {Hash: merge, Parents: []string{second, side}, Subject: "merge"}}
	for i := range list {
		if !strings.HasPrefix(list[i].Hash, list[i].Short) || len(list[i].Date) < len("2026-01-02T15:04:05Z") {
			t.Errorf("%+v", list[i])
		}
		list[i].Short, list[i].Date = "", ""
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if list, err := FirstParents(t.Context(), r.dir, merge, first); err != nil || len(list) > 0 {
		t.Errorf("an ancestor: %v, %v", list, err)
	}
	if e, err := Entry(t.Context(), r.dir, first); err != nil || e.Subject != "first" || len(e.Parents) > 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestChangedLines(t *testing.T) {
	r := newRepository(t)
	before := r.commit("before", "sub/[a].go", "1\n2\n3\n4\n5\n6\n")
	after := r.commit("after", "sub/[a].go", "1\ntwo\n3\n5\n6\n7\n8\n")
	lines, err := ChangedLines(t.Context(), r.dir, before, after, "sub/[a].go")
	if diff := cmp.Diff([]int{2, 6, 7}, lines); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if lines, err := ChangedLines(t.Context(), r.dir, before, after, "sub/b.go"); err != nil || lines != nil {
		t.Errorf("another file: %v, %v", lines, err)
	}
}

// Checkouts are those of the commits, whatever a test has left in the work tree, and the repository
// whose objects they have stays as it is, to the last byte and time.
func TestCheckout(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "HEAD")
	second := r.commit("second", "sub/b.go", "package b\n")
	r.git("worktree", "add", "-q", filepath.Join(t.TempDir(), "tree"))
	r.git("branch", "other")
	r.touch("a.go")
	before := r.hash(r.dir)
	dir := r.borrowed()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return "none"
		}
		r.must(err)
		return string(text)
	}
	for _, hash := range []string{second, first, second, second} {
		r.must(Checkout(t.Context(), dir, hash))
		wantB := map[string]string{first: "none", second: "package b\n"}[hash]
		if a, b, left := read("a.go"), read("sub/b.go"), read("left/c.go"); a != "package a\n" || b != wantB || left != "none" {
			t.Errorf("at %s: a.go %q, sub/b.go %q, left/c.go %q", hash, a, b, left)
		}
		if head, err := Commit(t.Context(), dir, "HEAD"); err != nil || head != hash {
			t.Errorf("HEAD is %s, %v, want %s", head, err, hash)
		}
		// What a test may leave behind.
		r.must(os.WriteFile(filepath.Join(dir, "a.go"), []byte("package x\n"), 0o644))
		r.must(os.MkdirAll(filepath.Join(dir, "left", ".git"), 0o755))
		r.must(os.WriteFile(filepath.Join(dir, "left", "c.go"), nil, 0o644))
	}
	if r.hash(r.dir) != before {
		t.Error("the workspace or its .git changed")
	}
}

// A checkout starts none of the programs that the repository, the user's configuration or a template
// name. Each attack is shown to succeed with plain git first.
func TestCheckoutStartsNoProgram(t *testing.T) {
	for _, attack := range []struct {
		name  string
		plant func(r repository, program string)
	}{
		{"smudge filter of the user", func(r repository, program string) {
			r.git("config", "--global", "filter.any.smudge", program)
			r.git("config", "--global", "filter.any.required", "true")
		}},
		{"long-running filter of the user", func(r repository, program string) {
			r.git("config", "--global", "filter.any.process", program)
		}},
		{"hook of a template", func(r repository, program string) {
			hooks := filepath.Join(r.t.TempDir(), "hooks")
			r.must(os.MkdirAll(hooks, 0o755))
			r.must(os.Symlink(program, filepath.Join(hooks, "post-checkout")))
			r.git("config", "--global", "init.templateDir", filepath.Dir(hooks))
		}},
		{"hook of the user", func(r repository, program string) {
			r.git("config", "--global", "core.hooksPath", filepath.Dir(program))
		}},
		{"file system monitor of the user", func(r repository, program string) {
			r.git("config", "--global", "core.fsmonitor", program)
		}},
	} {
		t.Run(attack.name, func(t *testing.T) {
			r, marker := newRepository(t), filepath.Join(t.TempDir(), "started")
			hash := r.commit("attributes", ".gitattributes", "*.go filter=any\n")
			program := filepath.Join(t.TempDir(), "post-checkout")
			r.must(os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+marker+"'\nexit 1\n"), 0o755))
			attack.plant(r, program)
			plain := filepath.Join(t.TempDir(), "plain")
			tryGit(r, "clone", "-q", r.dir, plain)
			tryGit(repository{t, plain}, "status")
			if os.Remove(marker) != nil {
				t.Fatal("plain git does not start the program, so the attack shows nothing")
			}
			dir := r.borrowed()
			r.must(Checkout(t.Context(), dir, hash))
			if _, err := os.Stat(marker); !errors.Is(err, fs.ErrNotExist) {
				t.Error("the program was started")
			}
			if text, err := os.ReadFile(filepath.Join(dir, "a.go")); err != nil || string(text) != "package a\n" {
				t.Errorf("a.go is %q, %v", text, err)
			}
		})
	}
}

// tryGit runs git, which may fail.
func tryGit(r repository, args ...string) {
	_ = gitCommand(r, args...).Run() // the program that it starts makes it fail
}

// Objects that are missing are an error that says so; submodules stay empty.
func TestCheckoutOfWhatIsNotThere(t *testing.T) {
	r := newRepository(t)
	r.submodule()
	hash := r.git("rev-parse", "HEAD")
	dir := r.borrowed()
	r.must(Checkout(t.Context(), dir, hash))
	if entries, err := os.ReadDir(filepath.Join(dir, "sub")); err != nil || len(entries) > 0 {
		t.Errorf("the submodule has %v, %v, want an empty folder", entries, err)
	}
	blob := r.git("rev-parse", "HEAD:a.go")
	r.remove(".git/objects/" + blob[:2] + "/" + blob[2:])
	dir = r.borrowed()
	if err := Checkout(t.Context(), dir, hash); err == nil || !strings.Contains(err.Error(), blob) {
		t.Errorf("the error does not name the object: %v", err)
	}
	if err := Borrow(t.Context(), t.TempDir(), Repository{Objects: "a\nb", ObjectFormat: "sha1"}); err == nil || !strings.Contains(err.Error(), "line break") {
		t.Error(err)
	}
}

// A repository with the other object format works, too.
func TestCheckoutOfSHA256(t *testing.T) {
	newRepository(t) // sets the environment
	r := repository{t, t.TempDir()}
	r.git("init", "-q", "--object-format=sha256")
	hash := r.commit("first", "a.go", "package a\n")
	dir := r.borrowed()
	if err := Checkout(t.Context(), dir, hash); err != nil || len(hash) != 64 {
		t.Errorf("%s: %v", hash, err)
	}
}
