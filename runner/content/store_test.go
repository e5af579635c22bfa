package content

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"spell-lsp/spell/filelock"
)

// inStore lists what is in the folder of a store, but the lock.
func inStore(t *testing.T, s *Store) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != lockName {
			names = append(names, e.Name())
		}
	}
	return names
}

// What arrives is kept if it is what its hash says, and leaves nothing otherwise.
func TestPut(t *testing.T) {
	const text = "the content"
	hash, broken := hashOf([]byte(text)), errors.New("the connection was lost")
	for name, test := range map[string]struct {
		hash string
		size int64
		r    io.Reader
		want string // error; "" if it is kept
	}{
		"right":                {hash, 11, strings.NewReader(text), ""},
		"in small pieces":      {hash, 11, iotest.OneByteReader(strings.NewReader(text)), ""},
		"more follows":         {hash, 11, strings.NewReader(text + "the next one"), ""},
		"empty":                {emptyHash, 0, strings.NewReader(""), ""},
		"another content":      {hash, 11, strings.NewReader("the CONTENT"), "11 bytes with the hash " + hashOf([]byte("the CONTENT")) + " came in its place"},
		"short":                {hash, 11, strings.NewReader("the con"), "it ended after 7 of 11 bytes"},
		"too small a size":     {hash, 10, strings.NewReader(text), "10 bytes with the hash " + hashOf([]byte("the conten")) + " came in its place"},
		"lost connection":      {hash, 11, io.MultiReader(strings.NewReader("the"), iotest.ErrReader(broken)), broken.Error()},
		"a path":               {"../../" + hash[6:], 11, strings.NewReader(text), "is not a hash"},
		"capital digits":       {strings.ToUpper(hash), 11, strings.NewReader(text), "is not a hash"},
		"an abridged hash":     {hash[:40], 11, strings.NewReader(text), "is not a hash"},
		"a negative size":      {hash, -1, strings.NewReader(text), "its size is -1 bytes"},
		"a size of over 4 GiB": {hash, 4<<30 + 1, strings.NewReader(text), "its size is 4294967297 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			err := s.Put(test.hash, test.size, test.r)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the error is %v, want %s", err, test.want)
				}
				if left := inStore(t, s); len(left) > 0 || s.Has(test.hash) {
					t.Errorf("left: %s", left)
				}
				return
			}
			f, err2 := s.Open(test.hash)
			if err != nil || err2 != nil || !s.Has(test.hash) {
				t.Fatal(err, err2)
			}
			defer f.Close()
			if kept, err := io.ReadAll(f); hashOf(kept) != test.hash || err != nil {
				t.Errorf("kept: %q, %v", kept, err)
			}
		})
	}
}

// Content may arrive twice, when two measurements send it at the same time.
func TestPutTwice(t *testing.T) {
	s := newStore(t)
	if first, second := put(t, s, "x"), put(t, s, "x"); first != second || len(inStore(t, s)) != 1 {
		t.Errorf("%s", inStore(t, s))
	}
}

// What the target lacks is listed once, in the order of the question; what is no hash is lacking.
// A power failure can leave an empty file with the name of other content.
func TestMissing(t *testing.T) {
	s := newStore(t)
	a, empty := put(t, s, "a"), put(t, s, "")
	b, c := hashOf([]byte("b")), hashOf([]byte("c"))
	w := workspace{t, s.dir}
	w.write("", c)
	got := s.Missing([]string{b, a, "../x", c, empty, b})
	if want := []string{b, "../x", c}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if put(t, s, "c"); !s.Has(c) {
		t.Error("the empty file was not replaced")
	}
	if _, err := s.Open(b); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening what is missing: %v", err)
	}
	if _, err := s.Open("../x"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening what is no hash: %v", err)
	}
}

// A store that is new has a private folder; one that others can write is refused.
func TestFolderOfTheStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "store")
	openStore(t, dir)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if perm := info.Mode().Perm(); perm != 0o700 && perm != 0o777 { // Windows has no permissions
		t.Errorf("the folder has %v", perm)
	}
	file := filepath.Join(t.TempDir(), "file")
	workspace{t, filepath.Dir(file)}.write("", "file")
	if _, err := OpenStore(t.Context(), file); err == nil {
		t.Error("a file is opened as a store")
	}
}

// What was used the longest time ago is removed first, and no more than is needed; questions count as
// uses. What a killed process has not finished is removed as well.
func TestTrim(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "store"))
	hashes := make(map[string]string)
	for i, name := range []string{"old", "new", "asked", "middle"} {
		hashes[name] = put(t, s, strings.Repeat(name[:1], 10))
		at := time.Unix(int64(1000+[]int{0, 3, 1, 2}[i]), 0)
		if err := os.Chtimes(filepath.Join(s.dir, hashes[name]), at, at); err != nil {
			t.Fatal(err)
		}
	}
	workspace{t, s.dir}.write("half", unfinishedPrefix+"x", "not ours")
	if missing := s.Missing([]string{hashes["asked"]}); len(missing) > 0 {
		t.Fatal(missing)
	}
	s.Close()
	for _, test := range []struct {
		limit, removed int64
		left           string
	}{{40, 4, "old new asked middle"}, {39, 10, "new asked middle"}, {10, 20, "asked"}, {10, 0, "asked"}, {0, 10, ""}} {
		removed, err := Trim(s.dir, test.limit)
		var left []string
		for _, name := range []string{"old", "new", "asked", "middle"} {
			if _, err := os.Stat(filepath.Join(s.dir, hashes[name])); err == nil {
				left = append(left, name)
			}
		}
		if got := strings.Join(left, " "); removed != test.removed || got != test.left || err != nil {
			t.Errorf("to %d bytes: removed %d, left %s (%v), want %d, %s", test.limit, removed, got, err, test.removed, test.left)
		}
	}
	if names := inStore(t, s); !slices.Equal(names, []string{"not ours"}) {
		t.Errorf("left: %s", names)
	}
	if removed, err := Trim(filepath.Join(s.dir, "missing"), 0); removed != 0 || err != nil {
		t.Errorf("a store that does not exist: %d, %v", removed, err)
	}
}

// Who opens a store while it is trimmed waits for the end of that.
func TestOpeningWaitsForTrim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	openStore(t, dir).Close()
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := filelock.Try(lock); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("the client is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := OpenStore(ctx, dir); !errors.Is(err, gone) {
		t.Errorf("when the client is gone: %v", err)
	}
	opened := make(chan error)
	go func() {
		s, err := OpenStore(context.Background(), dir)
		if err == nil {
			s.Close()
		}
		opened <- err
	}()
	lock.Close()
	if err := <-opened; err != nil {
		t.Error(err)
	}
}
