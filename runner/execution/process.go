package execution

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// RunCommand runs a command in a process group of its own. The group is killed when the command
// or its context ends, or this process does.
func RunCommand(cmd *exec.Cmd) error {
	ownGroup(cmd)
	return run(cmd, func() {}, func() {})
}

// run starts the command, waits for it, and kills what is left of its group. ended is called
// when the command has ended and is still a zombie, so that its CPU time can be read.
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

// stopPatience is how long a program may stay stopped, as by SIGSTOP: a process that it started
// may continue it.
var stopPatience = 5 * time.Second
