//go:build !linux

package rapl

import "os"

func openFile(path string) (file, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}
