//go:build unix

package hwmon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/unprivileged"
	"spell-lsp/runner/meter"
)

const otherUser = "HWMON_TEST_OPEN"

// The test binary starts itself again as another user, who opens the meter: file modes do not restrict root.
func TestMain(m *testing.M) {
	if root := os.Getenv(otherUser); root != "" {
		_, err := Open(meter.Options{SysRoot: root})
		var denied *PermissionError
		fmt.Printf("error %v\ndenied %t\nremedy %s\n", err, errors.As(err, &denied) && errors.Is(err, fs.ErrPermission), remedy(err, "amd64"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Why: since the PLATYPUS attack only root may read amd_energy's counters. Other users must be told which file it is,
// what opens it and what that exposes.
func TestUnreadableSensor(t *testing.T) {
	dir := unprivileged.Dir(t)
	chip := filepath.Join(dir, "sys", "class", "hwmon", "hwmon0")
	if err := os.MkdirAll(chip, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"name": "amd_energy", "energy9_label": "Esocket0", "energy9_input": "1"} {
		if err := os.WriteFile(filepath.Join(chip, name), []byte(content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(chip, "energy9_input"), 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(unprivileged.CopyOfSelf(t, dir, "self"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), otherUser+"="+filepath.Join(dir, "sys"))
	unprivileged.Restrict(cmd)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("opening the meter in another process: %v", err)
	}
	for _, want := range []string{"error ", chip + "/energy9_input", "denied true", "sudo chmod a+r '" + chip + "/energy9_input'", "PLATYPUS", "CVE-2020-12912"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output does not contain %q:\n%s", want, out)
		}
	}
}
