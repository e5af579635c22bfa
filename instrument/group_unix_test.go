//go:build unix

package instrument

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command start in a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
