//go:build !linux

package perf

import "errors"

// openEvent has no kernel here that it could ask.
func openEvent(uint32, uint64, int) (event, error) {
	return nil, errors.ErrUnsupported
}
