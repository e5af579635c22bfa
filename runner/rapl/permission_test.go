//go:build unix

package rapl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/unprivileged"
)

// openUnprivileged opens the meter in another process and returns its output. File modes
// do not restrict root: if the tests run as root, that process runs as nobody.
func openUnprivileged(t *testing.T, dir, root string) string {
	t.Helper()
	cmd := again(t, "open", root)
	cmd.Path, cmd.Dir = unprivileged.CopyOfSelf(t, dir, "self"), dir
	unprivileged.Restrict(cmd)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("opening the meter in another process: %v", err)
	}
	return string(out)
}

// Since the PLATYPUS attack only root may read energy_uj. For other users the error names
// the file, its mode, its owner and the remedy. If only the memory is unreadable, the
// packages are measured.
func TestUnreadableCounters(t *testing.T) {
	tests := []struct {
		why        string
		unreadable []string // zones
		says       []string
	}{
		{"all zones, as is the default of Linux", []string{"package-0", "package-0/dram", "package-0/core"}, []string{
			"energy_uj may not be read (mode 0000, owner ", "denied true", "remedy let this user read the file: chmod a+r '/", "intel-rapl:0/energy_uj'",
		}},
		{"the memory", []string{"package-0/dram"}, []string{
			"domains [cpu]", "the memory's energy is not measured", "intel-rapl:0:1/energy_uj may not be read (mode 0000",
		}},
		{"the cores, which are not used", []string{"package-0/core"}, []string{"domains [cpu dram]", "warnings []"}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			dir := unprivileged.Dir(t)
			sim, err := powercapsim.New(powercapsim.Params{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer sim.Stop()
			for _, zone := range tt.unreadable {
				if err := sim.Fault(zone, powercapsim.Unreadable); err != nil {
					t.Fatal(err)
				}
			}
			out := openUnprivileged(t, dir, sim.Root())
			for _, want := range tt.says {
				if !strings.Contains(out, want) {
					t.Errorf("the output does not contain %q:\n%s", want, out)
				}
			}
		})
	}
}

// If the class folder may not be entered, the error and the remedy name the folder.
func TestUnreadableClassFolder(t *testing.T) {
	dir := unprivileged.Dir(t)
	sim, err := powercapsim.New(powercapsim.Params{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Stop()
	if err := os.Chmod(sim.Root(), 0); err != nil {
		t.Fatal(err)
	}
	out := openUnprivileged(t, dir, sim.Root())
	for _, want := range []string{sim.Root() + " may not be read (mode 0000", "chmod a+rx '" + sim.Root() + "'"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not contain %q:\n%s", want, out)
		}
	}
	if err := os.Chmod(sim.Root(), 0o755); err != nil {
		t.Fatal(err)
	}
}

// For the counters of the real machine, the remedy lists what an administrator can do,
// and names the risk: PLATYPUS.
func TestRemedyForSystemCounters(t *testing.T) {
	denied := &PermissionError{Root: DefaultRoot, Path: DefaultRoot + "/intel-rapl:0/energy_uj", Mode: 0o400, Owner: "root:root", Err: fs.ErrPermission}
	if want := "/sys/class/powercap/intel-rapl:0/energy_uj may not be read (mode 0400, owner root:root): permission denied"; denied.Error() != want {
		t.Errorf("error %q, want %q", denied, want)
	}
	remedy := Remedy(fmt.Errorf("opening: %w", denied))
	for _, want := range []string{"sudo chmod a+r ", "/etc/udev/rules.d/", "/etc/tmpfiles.d/", "CVE-2020-8694", "PLATYPUS",
		`sudo install -D -m 0755 "$(command -v spell-lsp)" /usr/local/libexec/spell-lsp-sampler && sudo setcap cap_dac_read_search,cap_perfmon+ep /usr/local/libexec/spell-lsp-sampler`,
		`RUN+="/bin/chmod a+r %S%p/energy_uj"`, "0440 root adm", "doctor --fix=udev", "doctor --fix=tmpfiles"} {
		if !strings.Contains(remedy, want) {
			t.Errorf("the remedy does not contain %q:\n%s", want, remedy)
		}
	}
	if got := Remedy(errors.New("input/output error")); got != "" {
		t.Errorf("an input/output error has the remedy %q, want none", got)
	}
}
