//go:build !linux || !(amd64 || arm64)

package stacks

import (
	"errors"
	"fmt"
	"time"
)

// A Sampler samples a process.
type Sampler struct{}

// Open fails: only Linux has perf events.
func Open(pid int, _ Options) (*Sampler, error) {
	return nil, fmt.Errorf("sampling process %d: %w", pid, errors.ErrUnsupported)
}

// Read does nothing.
func (*Sampler) Read(func(*Sample)) (alive bool) { return false }

// Pause is none.
func (*Sampler) Pause() time.Duration { return 0 }

// Stats are none.
func (*Sampler) Stats() Stats { return Stats{} }

// Close does nothing.
func (*Sampler) Close() error { return nil }

// Remedy knows none.
func Remedy(error) string { return "" }
