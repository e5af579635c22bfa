package powercapsim

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// A program of another module can be built with the copy of package burn, without
// this module and without the network.
func TestBurnIsAModuleOfItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "burn")
	if err := WriteBurn(dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir, cmd.Env = dir, append(cmd.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if err := WriteBurn(dir); err == nil {
		t.Error("files that are there are written over")
	}
}
