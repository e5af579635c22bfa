//go:build !linux

package perf

import "errors"

// openEvent fails: only Linux has perf events.
func openEvent(uint32, uint64, int) (event, error) {
	return nil, errors.ErrUnsupported
}
