package meters

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
)

func fixNamed(t *testing.T, name string) meter.Fix {
	t.Helper()
	f, err := FixNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ShowFix shows every line that WriteFix writes, how the fix takes effect, and the risk.
func TestFixes(t *testing.T) {
	var all []string
	for _, f := range Fixes() {
		all = append(all, f.Name)
		if len(f.Activate) == 0 {
			t.Errorf("%s does not say how it takes effect", f.Name)
		}
		root := t.TempDir()
		path, err := WriteFix(root, f)
		if err != nil || path != filepath.Join(root, f.Path) {
			t.Fatalf("%s: %s, %v", f.Name, path, err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: mode %v, %v; want 0644", f.Name, info.Mode(), err)
		}
		var b bytes.Buffer
		if err := ShowFix(&b, f); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			if !strings.Contains(b.String(), "    "+line) {
				t.Errorf("%s writes %q and does not show it:\n%s", f.Name, line, b.String())
			}
		}
		for _, want := range append([]string{f.Path, "PLATYPUS", "CVE-2020-8694", "every"}, f.Activate...) {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s does not show %q:\n%s", f.Name, want, b.String())
			}
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("%s leaves %v behind", f.Name, files)
		}
	}
	if diff := cmp.Diff([]string{"udev", "tmpfiles", "sysctl"}, all); diff != "" {
		t.Errorf("fixes (-want +got):\n%s", diff)
	}
	if _, err := FixNamed("sudo"); err == nil || !strings.Contains(err.Error(), `no fix "sudo": must be one of udev, tmpfiles, sysctl`) {
		t.Errorf("an unknown fix: %v", err)
	}
}

func TestFixContent(t *testing.T) {
	want := `# Written by spell-lsp doctor --fix=udev. To undo it, delete this file and restart the machine.
ACTION=="add|change", SUBSYSTEM=="powercap", KERNEL=="intel-rapl*:*", RUN+="/bin/chmod a+r %S%p/energy_uj"
`
	if diff := cmp.Diff(want, fixContent(fixNamed(t, "udev"))); diff != "" {
		t.Errorf("udev rule (-want +got):\n%s", diff)
	}
}

// WriteFix replaces a file that it wrote itself. Another file, a link or a folder in its
// place stays as it is.
func TestWriteFixReplacesOnlyItsOwnFile(t *testing.T) {
	f := fixNamed(t, "udev")
	root := t.TempDir()
	if _, err := WriteFix(root, f); err != nil {
		t.Fatal(err)
	}
	changed := f
	changed.Content = "# changed\n"
	path, err := WriteFix(root, changed)
	if err != nil {
		t.Fatalf("its own file: %v", err)
	}
	if content, _ := os.ReadFile(path); !strings.HasSuffix(string(content), "# changed\n") {
		t.Errorf("its own file was not written again: %q", content)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for why, place := range map[string]func() error{
		"was not written by spell-lsp": func() error { return os.WriteFile(path, []byte("# mine\n"), 0o600) },
		"is not a regular file":        func() error { return os.Symlink(elsewhere, path) },
		"file":                         func() error { return os.Mkdir(path, 0o750) },
	} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := place(); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(path)
		_, err := WriteFix(root, f)
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
		after, _ := os.Lstat(path)
		if before.Mode() != after.Mode() || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
			t.Errorf("%s: the file was changed", why)
		}
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a link was followed")
	}
}

// For a user without write permission, the error ends in the command to run.
func TestFixWithoutRights(t *testing.T) {
	err := error(&RightsError{"udev", "/etc/udev/rules.d/70-rapl-energy.rules", os.ErrPermission})
	if !errors.Is(err, os.ErrPermission) || !strings.HasSuffix(err.Error(), "\n  sudo \"$(command -v spell-lsp)\" doctor --fix=udev") {
		t.Errorf("error %v", err)
	}
	if os.Geteuid() == 0 { // file modes do not restrict root
		return
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err = WriteFix(root, fixNamed(t, "sysctl"))
	var rights *RightsError
	if !errors.As(err, &rights) {
		t.Errorf("a folder that may not be written: %v", err)
	}
}
