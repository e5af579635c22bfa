package content

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever gets all the bytes of a file has those that were listed. A file that changed since ends in
// an error that names it, also for a reader that asks for just as many bytes as there must be.
func TestFileThatChangedSince(t *testing.T) {
	const before = "the text that was listed"
	for name, test := range map[string]struct {
		change func(name string) error
		fails  bool
	}{
		"unchanged":            {func(string) error { return nil }, false},
		"another text":         {func(name string) error { return os.WriteFile(name, []byte(strings.ToUpper(before)), 0) }, true},
		"shorter":              {func(name string) error { return os.Truncate(name, 5) }, true},
		"appended to":          {func(name string) error { return os.WriteFile(name, []byte(before+"more"), 0) }, false},
		"removed":              {os.Remove, true},
		"replaced by a folder": {func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.write(before, "sub/file", "program")
			tree := w.scan(Options{})
			inTree := w.source(tree, Options{})
			var alone Source
			_, _, err := alone.AddFile(t.Context(), w.path("program"))
			w.must(err)
			w.must(test.change(w.path("sub/file")))
			w.must(test.change(w.path("program")))
			for file, source := range map[string]*Source{w.path("program"): &alone, "": inTree} {
				// Two files have the content: the source names either.
				text, err := readExactly(source, hashOf([]byte(before)), len(before))
				if (err != nil) != test.fails || test.fails && len(text) == len(before) || !test.fails && text != before {
					t.Errorf("read %q, %v", text, err)
				}
				if test.fails && (!errors.Is(err, ErrChanged) || !strings.HasPrefix(err.Error(), file) ||
					!strings.HasSuffix(err.Error(), " was changed while it was sent: save, and start again")) {
					t.Errorf("the error is %v", err)
				}
			}
		})
	}
}

// readExactly reads size bytes and no more, as what sends them does.
func readExactly(s *Source, hash string, size int) (string, error) {
	r, _, err := s.Open(hash)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text := make([]byte, size)
	n := 0
	for n < size && err == nil {
		var more int
		more, err = r.Read(text[n : n+min(7, size-n)])
		n += more
	}
	if err == nil {
		if _, end := r.Read(text[:0:0]); end != nil && !errors.Is(end, io.EOF) {
			err = end
		}
	} else if _, again := r.Read(make([]byte, 1)); !errors.Is(again, err) {
		return "", errors.New("a failed reader goes on")
	}
	return string(text[:n]), err
}

// A program is named from outside: links are followed, and it must be a regular file.
func TestAddFile(t *testing.T) {
	w := newWorkspace(t)
	w.write("program", "bin/p")
	w.link("bin/p", "link")
	var s Source
	hash, size, err := s.AddFile(t.Context(), w.path("link"))
	if hash != hashOf([]byte("program")) || size != 7 || err != nil {
		t.Errorf("%s, %d, %v", hash, size, err)
	}
	if text, size, err := readAll(&s, hash); text != "program" || size != 7 || err != nil {
		t.Errorf("%q, %d, %v", text, size, err)
	}
	for name, want := range map[string]string{"bin": w.path("bin") + ": it is not a regular file", "missing": "lstat " + w.path("missing") + ": no such file or directory"} {
		if _, _, err := s.AddFile(t.Context(), w.path(name)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, _, err := s.Open(hashOf(nil)); err == nil || !strings.Contains(err.Error(), "was added") {
		t.Errorf("content that nobody added: %v", err)
	}
	if err := s.AddTree(filepath.Join(w.dir, "missing"), Tree{}, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a tree of a folder that does not exist: %v", err)
	}
}
