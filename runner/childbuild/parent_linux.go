package childbuild

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithParent makes the command die with this process.
func endWithParent(cmd *exec.Cmd) {
	runtime.LockOSThread() // the kernel kills it when the thread ends that started it
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
