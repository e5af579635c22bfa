//go:build !linux

package execution

import (
	"errors"
	"os"
)

// socketPair is implemented for Linux only.
func socketPair() (program, own *os.File, err error) { return nil, nil, errors.ErrUnsupported }
