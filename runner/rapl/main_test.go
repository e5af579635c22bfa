package rapl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
	"spell-lsp/spell/wording"
)

// Tests start the test binary again, as a simulator or as another user who opens the
// meter.
func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "simulate":
		os.Exit(powercapsim.Main(os.Args[1:]))
	case "open":
		os.Exit(openAndPrint(os.Args[1]))
	}
	os.Exit(m.Run())
}

const roleVariable = "RAPL_TEST_ROLE"

// again returns the command that starts the test binary in another role.
func again(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// openAndPrint opens the meter and prints the result.
func openAndPrint(root string) int {
	m, err := Open(meter.Options{PowercapRoot: root})
	if err != nil {
		var denied *PermissionError
		fmt.Printf("error %v\ndenied %t\nremedy %s\n", err, errors.As(err, &denied) && errors.Is(err, fs.ErrPermission), Remedy(err))
		return 0
	}
	fmt.Printf("domains %v\nwarnings %q\n", m.Info().Domains, wording.Texts(m.Info().Notes))
	return 0
}
