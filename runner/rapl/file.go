package rapl

import (
	"errors"
	"fmt"
	"os"
)

var errNotRegular = errors.New("is not a regular file")

// regular refuses everything but regular files, before they are opened: opening a pipe
// would block.
func regular(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s %w", path, errNotRegular)
	}
	return nil
}
