package regularfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"spell-lsp/spell/regularfile"
)

// A file is read to its last byte, also through a link, and no further than it
// may be.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := name + ".link"
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{name, link} {
		if got, err := regularfile.Read(n, 5); err != nil || string(got) != "12345" {
			t.Errorf("%s: %q, %v", n, got, err)
		}
		if got, err := regularfile.Read(n, 4); err == nil || got != nil || !strings.Contains(err.Error(), n) {
			t.Errorf("%s with one byte too many: %q, %v", n, got, err)
		}
	}
}

// Who asks for a file that need not be there must be able to tell.
func TestReadWhereNothingIs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if _, err := regularfile.Read(name, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A folder is said to be one: reading it gives an error that tells less.
func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := regularfile.Read(dir, 1); err == nil || !strings.HasPrefix(err.Error(), dir+" is a folder, must be a regular file") {
		t.Error(err)
	}
}

// An input that is too long is refused before it is in memory: by what the system
// says of a file, or when it goes on behind the limit.
func TestTooMuch(t *testing.T) {
	sparse := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(sparse, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 50<<30); err != nil {
		t.Skip("the file system has no room for a sparse file: ", err)
	}
	want := sparse + " is 50 GiB, over the limit of 16 MiB: make it smaller or remove it"
	if _, err := regularfile.Read(sparse, regularfile.MaxSource); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
	endless := iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 3000)))
	want = "- is over the limit of 2 KiB: make it smaller or remove it"
	if _, err := regularfile.ReadAll(endless, "-", 2048); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
	if text, err := regularfile.ReadAll(strings.NewReader("12345"), "-", 5); string(text) != "12345" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// Lines count one by one, however they are read, and the error stays.
func TestLimitLines(t *testing.T) {
	for text, want := range map[string]string{
		"1234\n1234\n\n1234": "",
		"1234\n12345\n":      "line 2 is longer than 4 bytes: put each row on its own line",
		"\n\n12345":          "line 3 is longer than 4 bytes: put each row on its own line",
	} {
		for how, r := range map[string]io.Reader{"at once": strings.NewReader(text), "by bytes": iotest.OneByteReader(strings.NewReader(text))} {
			limited := regularfile.LimitLines(r, 4)
			got, err := io.ReadAll(limited)
			if want == "" && (err != nil || string(got) != text) || want != "" && (err == nil || err.Error() != want) {
				t.Errorf("%q %s: %q, %v, must be %q", text, how, got, err, want)
			}
			if _, again := limited.Read(make([]byte, 1)); want != "" && (again == nil || again.Error() != want) {
				t.Errorf("%q %s: the next read gives %v", text, how, again)
			}
		}
	}
}
