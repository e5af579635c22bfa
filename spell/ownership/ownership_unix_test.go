//go:build unix

package ownership_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/spell/ownership"
)

// folders makes a folder with others in it, each with the mode that stands before
// its name, and takes the home folder elsewhere.
func folders(t *testing.T, list ...string) (root string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	root = t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range list {
		mode, name, _ := strings.Cut(line, " ")
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, modes[mode]); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var modes = map[string]os.FileMode{
	"0700": 0o700, "0755": 0o755, "0770": 0o770, "0777": 0o777, "1777": 0o777 | os.ModeSticky,
}

func TestWhoCanWrite(t *testing.T) {
	for _, test := range []struct {
		name    string
		folders []string
		dir     string
		want    string // in the error; "" for none
	}{
		{"a folder of one's own", []string{"0700 data"}, "data", ""},
		{"one that others can read", []string{"0755 data"}, "data", ""},
		{"one that is not there yet", []string{"0755 data"}, "data/not/yet", ""},
		{"one that everybody can write", []string{"0777 data"}, "data", "everybody can write ROOT/data (drwxrwxrwx"},
		{"one below such a one", []string{"0777 shared", "0700 shared/data"}, "shared/data", "everybody can write ROOT/shared (drwxrwxrwx"},
		{"one below a sticky one", []string{"1777 tmp", "0700 tmp/data"}, "tmp/data", ""},
		{"one below one's own in a sticky one", []string{"1777 tmp", "0700 tmp/data"}, "tmp/data/not/yet", ""},
		{"a sticky one itself, in which anybody can make files", []string{"1777 tmp"}, "tmp", "everybody can write ROOT/tmp (dtrwxrwxrwx"},
		{"one that anybody can make before this user does", []string{"1777 tmp"}, "tmp/data", "to stop that: mkdir -p -m 700 ROOT/tmp/data"},
		{"one that others can read, with the remedy", []string{"0777 data"}, "data", "to stop that: chmod go-w ROOT/data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := folders(t, test.folders...)
			dir := filepath.Join(root, test.dir)
			err := ownership.Check(dir)
			if test.want == "" {
				if err != nil {
					t.Errorf("%v; want none", err)
				}
				return
			}
			if want := strings.ReplaceAll(test.want, "ROOT", root); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("the error is %v; want %q", err, want)
			}
		})
	}
}

// A group of the owner's number is his own (umask 002 goes with those); another one
// has other members.
func TestGroups(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to a group that it is not in")
	}
	root := folders(t, "0770 data")
	dir := filepath.Join(root, "data")
	if err := ownership.Check(dir); err != nil {
		t.Errorf("of the owner's own group: %v", err)
	}
	if err := os.Chown(dir, -1, 4711); err != nil {
		t.Fatal(err)
	}
	if err := ownership.Check(dir); err == nil || !strings.Contains(err.Error(), "group 4711 can write "+dir) {
		t.Errorf("of another group: %v", err)
	}
}

// What belongs to somebody else is his to change, whatever its permissions say now.
// The sticky bit of his folder does not bind him.
func TestOwners(t *testing.T) {
	root := folders(t, "0755 data")
	me := os.Geteuid()
	ownership.SetUser(t, me+1) // to whom all of this is somebody else's, or root's
	err := ownership.Check(filepath.Join(root, "data"))
	if me == 0 {
		if err != nil {
			t.Errorf("root's folders are taken for somebody else's: %v", err)
		}
		ownership.SetUser(t, 0)
		for _, name := range []string{"", "data"} {
			if err := os.Chown(filepath.Join(root, name), 4711, -1); err != nil {
				t.Fatal(err)
			}
		}
		err = ownership.Check(filepath.Join(root, "data"))
	}
	wrong := new(ownership.Error)
	if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Writer, "user ") || wrong.Folder != filepath.Join(root, "data") {
		t.Errorf("the error is %v", err)
	}
}

// The owner of a link decides where it leads, and the folders that it leads through
// count as those that are named.
func TestLinks(t *testing.T) {
	root := folders(t, "0755 own", "0777 shared", "0700 shared/data", "0700 own/data")
	link := func(to, name string) string {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, test := range []struct {
		dir  string
		open bool
	}{
		{link(filepath.Join(root, "own"), "absolute") + "/data", false},
		{link("../own/data", "own/relative"), false},
		{link("../own/data", "shared/planted"), true},
		{link("shared/data", "out"), true},
		{link(filepath.Join(root, "shared"), "own/out") + "/data", true},
		{link("self", "self"), false}, // to use it will fail
	} {
		if err := ownership.Check(test.dir); (err != nil) != test.open {
			t.Errorf("%s: %v, want an error: %v", test.dir, err, test.open)
		}
	}
}

// Where others can write the home folder, they have the account; and a home folder
// on a share can belong to whoever runs the server. Below it the rules hold.
func TestHome(t *testing.T) {
	root := folders(t, "0777 home", "0777 home/user", "0755 home/user/.local", "0777 home/user/shared")
	home := filepath.Join(root, "home", "user")
	t.Setenv("HOME", home)
	for dir, open := range map[string]bool{".": false, ".local": false, ".local/share": false, ".cache": false, "shared": true, "shared/data": true} {
		if err := ownership.Check(filepath.Join(home, dir)); (err != nil) != open {
			t.Errorf("%s: %v, want an error: %v", dir, err, open)
		}
	}
	if err := os.Symlink(filepath.Join(root, "home"), filepath.Join(home, "out")); err != nil {
		t.Fatal(err)
	}
	if ownership.Check(filepath.Join(home, "out", "else")) == nil {
		t.Error("a link that leads out of the home folder is not followed")
	}
}

func TestMake(t *testing.T) {
	root := folders(t, "1777 tmp", "0777 shared")
	dir := filepath.Join(root, "tmp", "a", "b")
	for range 2 { // the second time it is there
		if err := ownership.Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made %v, %v", info, err)
	}
	if ownership.Make(filepath.Join(root, "shared", "a")) == nil {
		t.Error("made a folder where others can replace it")
	}
	if _, err := os.Lstat(filepath.Join(root, "shared", "a")); err == nil {
		t.Error("a folder was made before it was refused")
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if ownership.Make(filepath.Join(root, "file", "a")) == nil {
		t.Error("made a folder in a file")
	}
}
