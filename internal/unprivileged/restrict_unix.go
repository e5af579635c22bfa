//go:build unix

package unprivileged

import (
	"os"
	"os/exec"
	"syscall"
)

// Restrict makes cmd run as nobody if this process is root's. The group stays root's, because
// some machines let only root and its group enter the folder /.
func Restrict(cmd *exec.Cmd) {
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: uint32(os.Getegid())}}
	}
}
