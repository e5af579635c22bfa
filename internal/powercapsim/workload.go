package powercapsim

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
)

//go:embed burn/accounts.go burn/bracket.go burn/burn.go burn/clock_linux.go burn/clock_other.go burn/cpu.go burn/cpu_linux_amd64.go burn/cpu_other.go burn/map_other.go burn/map_unix.go burn/physics.go
var burnSource embed.FS

// BurnModule is the path of the module that WriteBurn writes.
const BurnModule = "example.com/burn"

// WriteBurn writes a copy of package burn, as the module BurnModule, to a folder
// that does not exist yet. Programs of other modules use it through a replace
// directive in their go.mod.
func WriteBurn(dir string) error {
	source, err := fs.Sub(burnSource, "burn")
	if err == nil {
		err = os.CopyFS(dir, source)
	}
	if err == nil {
		err = os.WriteFile(dir+"/go.mod", []byte("module "+BurnModule+"\n\ngo 1.26\n"), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing package burn: %w", err)
	}
	return nil
}
