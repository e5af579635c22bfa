//go:build unix

package sampler

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sampler may have a privilege, and runs as the user who measures. A copy that another
// user may have planted is not started. The reason says who can write to it, and what to do.
func TestPlantedCopyIsNotStarted(t *testing.T) {
	const other = 4711 // another user and group
	for name, c := range map[string]struct {
		plant   func(file string) error
		asRoot  bool   // only root can plant it
		refused string // "" if it is started
	}{
		"owned by the owner of the program": {func(string) error { return nil }, false, ""},
		"writable by a group":               {func(file string) error { return os.Chmod(file, 0o775) }, false, "others can write to it"},
		"writable by all":                   {func(file string) error { return os.Chmod(file, 0o757) }, false, "others can write to it"},
		"in a folder that all can write": {func(file string) error {
			return os.Chmod(filepath.Dir(file), 0o777)
		}, false, "everybody can write"},
		"in a folder that a group can write": {func(file string) error {
			return errors.Join(os.Chown(filepath.Dir(file), 0, other), os.Chmod(filepath.Dir(file), 0o775))
		}, true, "group 4711 can write"},
		"in a folder of another user": {func(file string) error { return os.Chown(filepath.Dir(file), other, other) }, true, "user 4711 can write"},
		"below a folder that all can write": {func(file string) error {
			return os.Chmod(filepath.Dir(filepath.Dir(file)), 0o777)
		}, false, "everybody can write"},
		"in a folder that all can write, with the sticky bit": {func(file string) error {
			return os.Chmod(filepath.Dir(file), os.ModeSticky|0o777)
		}, false, "everybody can write"},
		"owned by another user": {func(file string) error { return os.Chown(file, other, other) }, true, "it belongs to user 4711"},
		"another user's link to a file of root": {func(file string) error {
			if err := os.Rename(file, file+"-of-root"); err != nil {
				return err
			}
			if err := os.Symlink(file+"-of-root", file); err != nil {
				return err
			}
			return os.Lchown(file, other, other)
		}, true, "it belongs to user 4711"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.asRoot && os.Getuid() != 0 {
				t.Skip("only root can give a file to another user")
			}
			dir := t.TempDir()
			program, file := filepath.Join(dir, "spell-lsp"), filepath.Join(dir, "bin", Name)
			if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, f := range []string{program, file} {
				if err := os.WriteFile(f, nil, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.plant(file); err != nil {
				t.Fatal(err)
			}
			copied, refused := installedIn(program, t.TempDir(), filepath.Dir(file))
			switch {
			case c.refused == "" && (copied != file || refused != nil):
				t.Errorf("the copy is not started: %v", refused)
			case c.refused != "" && (copied != "" || refused == nil):
				t.Error("the copy is started")
			case c.refused != "" && (!strings.Contains(refused.Why, c.refused) || !strings.Contains(refused.Why, file) || !strings.Contains(refused.Remedy, "remove it")):
				t.Errorf("the reason is %q, the remedy %q", refused.Why, refused.Remedy)
			}
		})
	}
}

// If one copy may not be started, the next one is.
func TestCopyBehindAPlantedOne(t *testing.T) {
	planted, good := t.TempDir(), t.TempDir()
	for dir, mode := range map[string]os.FileMode{planted: 0o777, good: 0o755} {
		if err := os.WriteFile(filepath.Join(dir, Name), nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, Name), mode); err != nil {
			t.Fatal(err)
		}
	}
	copied, refused := installedIn(os.Args[0], planted, good)
	if copied != filepath.Join(good, Name) || refused == nil {
		t.Errorf("%q is started, and refused is %v; want the second copy, and why the first was refused", copied, refused)
	}
}
