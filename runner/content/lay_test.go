package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No tree from a wire makes, changes or removes anything outside the folder that it is laid out in,
// whatever it says. It is refused before anything is written.
func TestHostileTrees(t *testing.T) {
	s := newStore(t)
	x := put(t, s, "x")
	file := func(name string) Entry { return Entry{Path: name, Kind: File, Perm: 0o644, Size: 1, Hash: x} }
	folder := func(name string) Entry { return Entry{Path: name, Kind: Folder, Perm: 0o755} }
	link := func(name, to string) Entry { return Entry{Path: name, Kind: Link, Target: to} }
	with := func(e Entry, change func(*Entry)) Entry { change(&e); return e }
	const path, twice, parent, more = "its path is not one below the folder", "the name occurs twice", "no folder of the tree comes before what is in it", "it has what entries of its kind lack"
	for _, test := range []struct {
		entries []Entry
		want    string
	}{
		{[]Entry{file("../victim")}, path},
		{[]Entry{folder("a"), file("a/../../victim")}, path},
		{[]Entry{file("/tmp/victim")}, path},
		{[]Entry{file("a//b")}, path},
		{[]Entry{file("")}, path},
		{[]Entry{folder(".")}, path},
		{[]Entry{folder("..")}, path},
		{[]Entry{folder("a/")}, path},
		{[]Entry{file("a\x00b")}, path},
		{[]Entry{file("a\nb")}, path},
		{[]Entry{file("a\rb")}, path},
		{[]Entry{file("a\xffb")}, path},
		{[]Entry{file(strings.Repeat("x", maxPath+1))}, path},
		{[]Entry{file("a"), file("a")}, twice},
		{[]Entry{folder("a"), link("a", "..")}, twice},
		{[]Entry{link("a", ".."), file("a")}, twice},
		{[]Entry{link("a", ".."), file("a/victim")}, parent},
		{[]Entry{link("a", ".."), folder("a/b")}, parent},
		{[]Entry{file("a"), file("a/b")}, parent},
		{[]Entry{file("a/b"), folder("a")}, parent},
		{[]Entry{link("a", "")}, `the target of the link is ""`},
		{[]Entry{link("a", "b\x00c")}, "the target of the link is "},
		{[]Entry{with(file("a"), func(e *Entry) { e.Perm = os.ModeSetuid | 0o755 })}, "its permissions are "},
		{[]Entry{with(folder("a"), func(e *Entry) { e.Perm = 0o1777 })}, "its permissions are 01777"},
		{[]Entry{with(file("a"), func(e *Entry) { e.Size = -1 })}, "its size is -1 bytes"},
		{[]Entry{with(file("a"), func(e *Entry) { e.Hash = "../../victim" })}, "is not a hash"},
		{[]Entry{with(file("a"), func(e *Entry) { e.Kind = 4 })}, "its kind is 4"},
		{[]Entry{with(file("a"), func(e *Entry) { e.Target = "b" })}, more},
		{[]Entry{with(folder("a"), func(e *Entry) { e.Hash = x })}, more},
		{[]Entry{with(link("a", "b"), func(e *Entry) { e.Size = 1 })}, more},
	} {
		around := newWorkspace(t)
		around.write("precious", "victim")
		around.write("", "dir/")
		before := inventory(t, around.dir)
		err := s.Lay(Tree{Entries: append([]Entry{file("first")}, test.entries...)}, around.path("dir"))
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 500 {
			t.Errorf("%.300v: %v, want %s", test.entries, err, test.want)
		}
		if after := inventory(t, around.dir); after != before {
			t.Errorf("%.300v: the folder has\n%s\nwant\n%s", test.entries, after, before)
		}
	}
}

// Links are made as they are, and nothing is written by way of them.
func TestLinksThatLeaveAreLaidOut(t *testing.T) {
	s, around := newStore(t), newWorkspace(t)
	around.write("precious", "victim")
	around.write("", "dir/")
	around.must(s.Lay(Tree{Entries: []Entry{{Path: "a", Kind: Link, Target: "../victim"}, {Path: "b", Kind: Link, Target: "/"}}}, around.path("dir")))
	for name, want := range map[string]string{"dir/a": "../victim", "dir/b": "/"} {
		if got, err := os.Readlink(around.path(name)); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A tree is laid out in an empty folder only, and completely or with an error.
func TestLayRefuses(t *testing.T) {
	s := newStore(t)
	x, gone, damaged := put(t, s, "x"), hashOf([]byte("gone")), put(t, s, "four")
	workspace{t, s.dir}.write("fou", damaged)
	file := func(hash string, size int64) Tree {
		return Tree{Entries: []Entry{{Path: "f", Kind: File, Perm: 0o644, Size: size, Hash: hash}}}
	}
	for name, test := range map[string]struct {
		tree Tree
		in   string // file that is there before
		want string
	}{
		"a folder that is not empty": {file(x, 1), "there", " is not empty: files are laid out in a new folder only"},
		"content that was not sent":  {file(gone, 4), "", "laying out f: the content " + gone + " was not sent"},
		"content that is damaged":    {file(damaged, 4), "", "laying out f: " + damaged + ": 3 bytes in place of 4: " + ErrDamaged.Error()},
	} {
		dir := newWorkspace(t)
		if test.in != "" {
			dir.write("", test.in)
		}
		if err := s.Lay(test.tree, dir.dir); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if missing := s.Missing([]string{damaged, x}); len(missing) != 1 || missing[0] != damaged {
		t.Errorf("missing are %v: what is damaged must be sent again, and nothing else", missing)
	}
	if err := s.Lay(file(x, 1), filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

// A program that is executed is what the client sent, to the last bit: the store may have been damaged
// since.
func TestExecutable(t *testing.T) {
	s := newStore(t)
	right, damaged := put(t, s, "#!/bin/sh\n"), put(t, s, "#!/bin/true\n")
	workspace{t, s.dir}.write("#!/bin/evil\n", damaged)
	dir := t.TempDir()
	program, err := s.Executable(right, "park.test", dir)
	if err != nil || program != filepath.Join(dir, "park.test") {
		t.Fatal(program, err)
	}
	if info, err := os.Stat(program); err != nil || info.Mode() != 0o700 && info.Mode().Perm() != 0o666 { // Windows has no such bits
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, test := range []struct{ hash, name, want string }{
		{damaged, "bad.test", ErrDamaged.Error()},
		{damaged, "bad.test", "the program bad.test was not sent"}, // it was removed
		{right, "park.test", "file exists"},
		{right, "../park.test", "is not the name of a program"},
		{right, "sub/park.test", "is not the name of a program"},
		{right, "", "is not the name of a program"},
		{right, ".", "is not the name of a program"},
		{right, "..", "is not the name of a program"},
		{right, "a\nb", "is not the name of a program"},
		{"x", "a", "is not a hash"},
	} {
		if _, err := s.Executable(test.hash, test.name, dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s as %q: %v, want %s", test.hash, test.name, err, test.want)
		}
	}
	if got := inventory(t, dir); strings.Count(got, "\n") != 0 || !strings.Contains(got, "#!/bin/sh") {
		t.Errorf("the folder has\n%s", got)
	}
	if missing := s.Missing([]string{right, damaged}); len(missing) != 1 || missing[0] != damaged {
		t.Errorf("missing are %v", missing)
	}
	if _, err := s.Executable(right, "a", filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

// The JSON form is documented and does not change: programs of two versions may talk to each other.
func TestJSON(t *testing.T) {
	hash := hashOf([]byte("x"))
	tree := Tree{Entries: []Entry{
		{Path: "d", Kind: Folder, Perm: 0o755, ModTimeNs: 1_700_000_000_000_000_001},
		{Path: "d/<f>", Kind: File, Perm: 0o644, ModTimeNs: -5, Size: 1, Hash: hash},
		{Path: "l", Kind: Link, Target: "../ü"},
	}, Skipped: []string{"pipe"}, Outside: []string{"l"}}
	text, err := json.Marshal(tree)
	want := `[["d","d",493,1700000000000000001],["f","d/\u003cf\u003e",420,-5,1,"` + hash + `"],["l","l","../ü"]]`
	if string(text) != want || err != nil {
		t.Errorf("%s\nwant %s (%v)", text, want, err)
	}
	var back Tree
	if err := json.Unmarshal(text, &back); err != nil || fmt.Sprint(back.Entries) != fmt.Sprint(tree.Entries) {
		t.Errorf("%+v, %v", back, err)
	}
	if text, err := json.Marshal(Tree{}); string(text) != "[]" || err != nil {
		t.Errorf("an empty tree: %s, %v", text, err)
	}
	if _, err := json.Marshal(Tree{Entries: []Entry{{Path: "x"}}}); err == nil {
		t.Error("an entry of no kind is written")
	}
	for text, want := range map[string]string{
		`[`:                       "unexpected end",
		`{}`:                      "cannot unmarshal",
		`[[]]`:                    "entry 0 of the tree: it is empty",
		`[["x","a"]]`:             `its kind is "x", must be f, d or l`,
		`[[1,"a"]]`:               "entry 0 of the tree: json: cannot unmarshal number",
		`[["d","a",1]]`:           "it has 3 fields, must have 4",
		`[["d","a",1,2,3]]`:       "it has 5 fields, must have 4",
		`[["d",1,1,2]]`:           "cannot unmarshal number",
		`[["d","a",-1,2]]`:        "cannot unmarshal number",
		`[["d","a",1,1e99]]`:      "cannot unmarshal number",
		`[["l","a",null,"more"]]`: "it has 4 fields, must have 3",
	} {
		if err := json.Unmarshal([]byte(text), &back); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	defer func(n int) { maxEntries = n }(maxEntries)
	maxEntries = 1
	if err := json.Unmarshal([]byte(`[["l","a","b"],["l","b","c"]]`), &back); err == nil {
		t.Error("more entries than the limit are read")
	}
	if err := newStore(t).Lay(tree, t.TempDir()); err == nil || !strings.Contains(err.Error(), "over the limit of 1") {
		t.Errorf("more entries than the limit are laid out: %v", err)
	}
}

// The list of 20,000 files is sent before each measurement: it has less than 4 MB.
func TestJSONIsCompact(t *testing.T) {
	var tree Tree
	for i := range 20_000 {
		text := fmt.Sprint(i)
		tree.Entries = append(tree.Entries, Entry{Path: strings.Repeat("folder/", 8) + "some_file_" + text + "_test.go", Kind: File, Perm: 0o644, ModTimeNs: 1_700_000_000_123_456_789, Size: 12_345, Hash: hashOf([]byte(text))})
	}
	text, err := json.Marshal(tree)
	if len(text) >= 4_000_000 || err != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// Whatever a tree says, laying it out changes nothing outside its folder; if it succeeds, the folder
// has what the tree says.
func FuzzLay(f *testing.F) {
	x := hashOf([]byte("x"))
	for _, seed := range []string{
		`[["d","a",493,0],["f","a/b",420,5,1,"` + x + `"],["l","a/c","../../victim"]]`,
		`[["l","a",".."],["f","a/victim",420,5,1,"` + x + `"]]`,
		`[["f","../victim",420,5,1,"` + x + `"]]`,
		`[["d","a",0,0],["d","a/..",493,0]]`,
		`[["f","a",420,5,1,"` + x + `"],["f","A",511,-5,1,"` + x + `"],["l","b","/"]]`,
		`[["f","a\u0000",420,5,1,"` + x + `"]]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tree Tree
		if tree.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		s, around := newStore(t), newWorkspace(t)
		put(t, s, "x")
		around.write("precious", "victim", "sub/victim")
		around.write("", "sub/dir/")
		before := inventory(t, around.dir, "dir")
		err := s.Lay(tree, around.path("sub/dir"))
		if after := inventory(t, around.dir, "dir"); after != before {
			t.Errorf("outside of the folder there is\n%s\nwant\n%s", after, before)
		}
		if err == nil {
			sameAsLaid(t, tree, around.path("sub/dir"))
		}
	})
}

// sameAsLaid compares names, kinds, permissions and sizes; file systems round times.
func sameAsLaid(t *testing.T, tree Tree, dir string) {
	t.Helper()
	for _, e := range tree.Entries {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path)))
		if errors.Is(err, os.ErrPermission) {
			continue // below a folder without permissions
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[os.FileMode]Kind{0: File, os.ModeDir: Folder, os.ModeSymlink: Link}
		if kinds[info.Mode().Type()] != e.Kind || e.Kind != Link && info.Mode().Perm() != e.Perm || e.Kind == File && info.Size() != e.Size {
			t.Errorf("%v %d bytes, want %+v", info.Mode(), info.Size(), e)
		}
	}
}
