//go:build unix

package steady

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/unprivileged"
)

// asOther is the environment variable with the machine that this test binary tries to change as
// another user.
const asOther = "STEADY_AS_OTHER"

// Why: somebody who is not root must not change the machine, nor be left with half a change, and
// must learn what to run. The file with the values may also be one that only root can read.
func TestOfAnotherUser(t *testing.T) {
	if root := os.Getenv(asOther); root != "" {
		m := On(root)
		_, errSet := m.Set()
		_, errUndo := m.Undo()
		for flag, err := range map[string]error{"--fix=steady": errSet, "--undo": errUndo} {
			if rights := (*RightsError)(nil); !errors.As(err, &rights) || !strings.Contains(err.Error(), "doctor "+flag) || strings.HasSuffix(err.Error(), "or:\n  ") {
				t.Errorf("%s: %v", flag, err)
			}
		}
		return
	}
	for _, mode := range []os.FileMode{0o444, 0o400} {
		dir := unprivileged.Dir(t)
		m := On(filepath.Join(dir, "machine"))
		for file, content := range map[string]string{
			governor0: "schedutil", governor1: "performance", bootFile: "a1b2",
			stateFile: `{"boot_id": "a1b2", "values": [{"file": "` + governor1 + `", "was": "powersave", "set": "performance"}]}`,
		} {
			path := m.path(file)
			perm := os.FileMode(0o444)
			if file == stateFile {
				perm = mode
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content+"\n"), 0o600), os.Chmod(path, perm)); err != nil {
				t.Fatal(err)
			}
		}
		if os.Geteuid() != 0 {
			if mode == 0o400 { // the owner can always read it
				continue
			}
			if err := os.Chmod(filepath.Dir(m.path(stateFile)), 0o555); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), unprivileged.CopyOfSelf(t, dir, "self"), "-test.run=^TestOfAnotherUser$")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asOther+"="+m.root)
		unprivileged.Restrict(cmd)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("mode %o: %v\n%s", mode, err, out)
		}
		for file, want := range map[string]string{governor0: "schedutil", governor1: "performance"} {
			if got, err := m.value(file); got != want || err != nil {
				t.Errorf("mode %o: %s is %q, %v", mode, file, got, err)
			}
		}
	}
}
