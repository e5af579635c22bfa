//go:build !windows

package ssh

import (
	"os/exec"
	"syscall"
)

// withoutTerminal starts ssh in a session of its own: neither it nor the ssh of a jump host, which
// knows nothing of BatchMode, can ask at the terminal, and Ctrl-C there does not end it before its work
// is ended in order.
func withoutTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = append(cmd.Environ(), "SSH_ASKPASS_REQUIRE=never")
}
