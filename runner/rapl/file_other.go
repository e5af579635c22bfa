//go:build !linux

package rapl

import "spell-lsp/spell/regularfile"

func openFile(path string) (file, error) {
	return regularfile.Open(path)
}
