//go:build !linux

package runner

import (
	"errors"
	"os/exec"
	"time"
)

// Measure refuses to run where these would be called.

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func programCPU(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

func monotonic() int64 { return time.Now().UnixNano() }
