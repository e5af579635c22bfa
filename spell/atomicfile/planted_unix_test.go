//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// In a folder like /tmp another user can put a link in the place of the file that somebody
// is about to write, and have the file overwritten to which it leads.
func TestNothingIsWrittenWhereAnotherUserPlantedIt(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	for what, plant := range map[string]func(name string) (written string, err error){
		"a link": func(name string) (string, error) { return name, os.Symlink(victim, name) },
		"a link to a folder": func(name string) (string, error) {
			return filepath.Join(name, "victim"), os.Symlink(filepath.Dir(victim), name)
		},
		"a file":       func(name string) (string, error) { return name, os.WriteFile(name, nil, 0o666) },
		"a named pipe": func(name string) (string, error) { return name, syscall.Mkfifo(name, 0o666) },
	} {
		t.Run(what, func(t *testing.T) {
			everybodys := filepath.Join(t.TempDir(), "tmp")
			written, err := plant(filepath.Join(mkdir(t, everybodys, os.ModeSticky|0o777), "out"))
			if err = errors.Join(err, os.WriteFile(victim, []byte("precious"), 0o600)); err != nil {
				t.Fatal(err)
			}
			defer func(was func() int) { userID = was }(userID)
			me := os.Geteuid()
			userID = func() int { return me + 1 } // what was planted is another user's then
			// The folder is his too, so that its owner vouches for nothing.
			if err := os.Lchown(everybodys, me+2, -1); err != nil {
				t.Skip("only root can give a folder to another user")
			}
			want := fmt.Sprintf("belongs to user %d, who made it in a folder of everybody", me)
			if _, err := Find(written); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want one with %q", err, want)
			}
			if text, err := os.ReadFile(victim); string(text) != "precious" || err != nil {
				t.Errorf("the victim's file has %q, %v", text, err)
			}
		})
	}
}

// One's own links there are followed, and those of others in folders of theirs.
func TestOwnLinkInAFolderOfEverybody(t *testing.T) {
	dir := mkdir(t, filepath.Join(t.TempDir(), "tmp"), os.ModeSticky|0o777)
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	target, err := Find(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Write(func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); string(text) != "text" || err != nil {
		t.Errorf("the file has %q, %v", text, err)
	}
}

func mkdir(t *testing.T, dir string, mode os.FileMode) string {
	t.Helper()
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)); err != nil {
		t.Fatal(err)
	}
	return dir
}
