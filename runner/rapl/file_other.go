//go:build !linux

package rapl

import "spell-lsp/spell/regularfile"

func openFile(path string) (file, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	return regularfile.Open(path)
}
