package probe

import "os"

// removed makes a file that has been removed already.
func removed() (*os.File, error) {
	file, err := os.CreateTemp("", "spell-lsp-")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}
