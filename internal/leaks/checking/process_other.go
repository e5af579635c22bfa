//go:build !linux

package checking

import (
	"os"
	"os/exec"
)

// Elsewhere there are neither process groups nor limits of memory here: the benchmark is
// made for Linux.

// Group does nothing.
func Group(*exec.Cmd) {}

// KillGroup does nothing.
func KillGroup(*os.Process) {}

func confine(*os.Process) {}
