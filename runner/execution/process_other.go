//go:build !linux

package execution

import (
	"os"
	"os/exec"
	"time"
)

// Measure refuses to run where these would be called.

func ownGroup(*exec.Cmd) {}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func machineNow(int64) Moment { return Moment{} }

func awaitExit(int, time.Duration, func()) string { return "" }

func threadNS() int64 { return 0 }

func monotonic() int64 { return time.Now().UnixNano() }
