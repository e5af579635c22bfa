package execution

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// RunCommand runs a command of the toolchain in a process group of its own, which ends with
// it, with the command's context and with this process.
func RunCommand(cmd *exec.Cmd) error {
	ownGroup(cmd)
	return run(cmd, func() {}, func() {})
}

// run starts the command and waits for it and all of its group to end. When it
// has ended, and what it used can still be read, ended is called.
func run(cmd *exec.Cmd, started, ended func()) error {
	// The kernel kills the child when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return err
	}
	started()
	stopped := awaitExit(cmd.Process.Pid, stopPatience, func() { killGroup(cmd) }) //nolint:errcheck // it may have ended
	ended()
	err := cmd.Wait()
	killGroup(cmd) //nolint:errcheck // in most cases there is nothing left to kill
	if stopped != "" {
		return errors.New(stopped)
	}
	return err
}

// stopPatience is how long a program may stand still that was stopped, as by
// SIGSTOP: a process that it started may let it go on.
var stopPatience = 5 * time.Second
