package checking

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// maxMemory is the address space of a process, in bytes.
const maxMemory = 8 << 30

// Group makes a command that was not started a process group of its own, which is killed when
// the command's context is done.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
}

// KillGroup kills what a process left running.
func KillGroup(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) }

// confine limits the memory of a process and of those that it will start.
func confine(p *os.Process) {
	_ = unix.Prlimit(p.Pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: maxMemory, Max: maxMemory}, nil)
}
