//go:build unix

package calibration

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Root's umask is often 077. All users can read the calibration that root keeps nevertheless; folders that
// were there before keep their permissions.
func TestKeepForAllUnderAStrictUmask(t *testing.T) {
	h := newHome(t)
	etc := filepath.Join(h.root, "etc")
	if err := os.Mkdir(etc, 0o700); err != nil {
		t.Fatal(err)
	}
	defer syscall.Umask(syscall.Umask(0o077)) // of the process: no test here runs in parallel
	file := h.keep(example(), true)
	for name, want := range map[string]os.FileMode{etc: 0o700, filepath.Join(etc, "spell-lsp"): 0o755, filepath.Join(etc, folder): 0o755, file: 0o644} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info, err, want)
		}
	}
	h.keep(example(), true) // once more, into folders that are there
}

// Where a file is in the way of the folder, keeping says so.
func TestKeepBelowAFile(t *testing.T) {
	h := newHome(t)
	h.write("etc/spell-lsp", "")
	if _, err := h.Keep(example(), true); err == nil || !strings.Contains(err.Error(), "keeping the calibration: mkdir "+filepath.Join(h.root, "etc", folder)) {
		t.Errorf("error %v", err)
	}
}
