package probe

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Whatever way there is to make one, a file without a name can be written and read,
// and is nowhere to be seen.
func TestFilesWithoutAName(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for name, open := range map[string]func() (*os.File, error){"nameless": nameless, "in memory": inMemory, "on disk": onDisk, "removed": removed} {
		file, err := open()
		if name == "on disk" && errors.Is(err, errors.ErrUnsupported) {
			continue // this file system does not know how to
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := make([]byte, 4)
		if _, err := file.WriteAt([]byte("text"), 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := file.ReadAt(got, 0); err != nil || string(got) != "text" {
			t.Errorf("%s: read %q, %v", name, got, err)
		}
		if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
			t.Errorf("%s: there is %s", name, left)
		}
		file.Close()
	}
	t.Setenv("TMPDIR", filepath.Join(temp, "none"))
	if _, err := removed(); err == nil {
		t.Error("made a file in a folder that is not there")
	}
}
