package sampler

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"spell-lsp/internal/unprivileged"
)

// outputOf starts a program as an unprivileged user, with an argument that means nothing to
// the sampler, and returns its output.
func outputOf(t *testing.T, file, argv0 string) string {
	t.Helper()
	cmd := exec.Command(file, "-test.list=TestStat")
	cmd.Args[0] = argv0
	cmd.Dir = "/"
	unprivileged.Restrict(cmd)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

// A copy that may read every file is nothing but the sampler, whatever its name and
// arguments.
func TestPrivilegedProgramIsTheSamplerOnly(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file a capability")
	}
	file := unprivileged.CopyOfSelf(t, unprivileged.Dir(t), "other-name")
	if got := outputOf(t, file, "spell-lsp"); !strings.Contains(got, "TestStat") {
		t.Fatalf("without a privilege the output is %q, want a list of tests", got)
	}
	const version2, effective, readEverything = 0x02000000, 1, 1 << unix.CAP_DAC_READ_SEARCH
	var capability []byte
	for _, word := range []uint32{version2 | effective, readEverything, 0, 0, 0} {
		capability = binary.LittleEndian.AppendUint32(capability, word)
	}
	if err := unix.Setxattr(file, "security.capability", capability, 0); err != nil {
		t.Skipf("this file system keeps no capabilities: %v", err)
	}
	for _, argv0 := range []string{"spell-lsp", file, ""} {
		if got := outputOf(t, file, argv0); !strings.Contains(got, "which starts it") && !strings.Contains(got, "reading its settings") {
			t.Errorf("called %q, its output is %q, want the output of the sampler", argv0, got)
		}
	}
}

// A copy with the sampler's name is nothing but the sampler, even without a privilege.
func TestInstalledCopyIsTheSamplerOnly(t *testing.T) {
	file := unprivileged.CopyOfSelf(t, unprivileged.Dir(t), Name)
	if got := outputOf(t, file, "spell-lsp"); !strings.Contains(got, "reading its settings") {
		t.Errorf("the output is %q, want the output of the sampler", got)
	}
}
