//go:build !linux

package sampler

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// Measuring works on Linux only; on other systems the package can be built.

var processStart = time.Now()

func now() int64 { return int64(time.Since(processStart)) }

func elapsed(ns int64) time.Duration { return time.Duration(ns) }

func sleepUntil(ns int64) { time.Sleep(elapsed(ns - now())) }

// OwnCPU is the CPU time of this process so far, in ns; 0 where that is not known.
func OwnCPU() int64 { return 0 }

func ProcessCPU(int) (ns int64, ok bool) { return 0, false }

func raisePriority() string { return "normal" }

func privileged() bool { return false }

func diesWithParent(*exec.Cmd) {}

func anonymousFile(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func seal(*os.File) {}

func mapped(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }
