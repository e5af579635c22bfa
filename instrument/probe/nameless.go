package probe

import (
	"fmt"
	"math/rand/v2"
	"os"
)

// removed makes a file that has been removed already, in a folder that others may
// write: it never follows a link, and removes nothing outside of that folder.
func removed() (*os.File, error) {
	temp, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer temp.Close()
	name := fmt.Sprintf("spell-lsp-%016x", rand.Uint64())
	file, err := temp.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return file, temp.Remove(name)
}
