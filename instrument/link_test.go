package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The probe may use no more of the stack than the linker allows, on each processor:
// what is too much on one would keep every program there from being built.
func TestLinksOnEachProcessor(t *testing.T) {
	root := unpack(t, filepath.Join("testdata", "time.txtar"))
	b := prepare(t, Params{Dir: root})
	for _, arch := range []string{"amd64", "arm64"} {
		if arch == runtime.GOARCH {
			continue // all other tests link for it
		}
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", b.Overlay, "-o", t.TempDir()+"/", "./...")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", arch, err, out)
		}
	}
}
