package ssh

import (
	"os/exec"
	"syscall"
)

// withoutTerminal starts ssh without a console: neither it nor the ssh of a jump host, which knows
// nothing of BatchMode, can ask there, and Ctrl-C does not end it before its work is ended in order.
func withoutTerminal(cmd *exec.Cmd) {
	const noWindow = 0x0800_0000 // CREATE_NO_WINDOW
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: noWindow | syscall.CREATE_NEW_PROCESS_GROUP}
	cmd.Env = append(cmd.Environ(), "SSH_ASKPASS_REQUIRE=never")
}
