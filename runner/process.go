package runner

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/capture"
)

// An execution is one run of a test program.
type execution struct {
	output   string // the beginning, the end, and the panic that ended it
	status   string // "exit status 2", "signal: killed"; "" for success
	timedOut bool
	line     timeline
	began    int64   // before it was started, CLOCK_MONOTONIC, ns
	cpuNS    float64 // its CPU time, with that of the children that it waited for
}

// graceTime is what a program gets after its own time limit to end itself.
const graceTime = 5 * time.Second

// execute runs a test program in its package's folder, as go test does and with
// more arguments, while the meter is sampled.
func (m *measurement) execute(ctx context.Context, p program, file *probe.File, more []string) (*execution, error) {
	limited, cancel := context.WithTimeout(ctx, m.Timeout+graceTime)
	defer cancel()
	args := []string{"-test.paniconexit0", "-test.timeout=" + m.Timeout.String(), "-test.parallel=1", "-test.run=" + m.Run}
	if m.Bench != "" {
		args = append(args, "-test.bench="+m.Bench)
	}
	if m.build.Fallback != "" {
		args = append(args, "-test.cpuprofile="+m.profileFile())
	}
	args = append(args, more...) // of one flag twice the last counts
	const firstExtra = 3         // exec.Cmd.ExtraFiles
	variable, inherited := file.ForProgram(firstExtra)
	cmd := exec.CommandContext(limited, p.file, args...)
	cmd.ExtraFiles = inherited
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "PWD="+p.Dir, "PATH="+filepath.Join(m.build.GOROOT, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), variable)
	var out capture.Output
	cmd.Stdout, cmd.Stderr = &out, &out
	ownGroup(cmd)
	w := m.startWatch(file)
	began := monotonic()
	err := run(cmd, func() { w.began(cmd.Process.Pid) }, w.ended)
	e := &execution{line: w.stop(), began: began}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.Process == nil {
		return nil, notStarted(p, noexec(filepath.Dir(p.file)), err)
	}
	e.output, e.timedOut = out.String(), limited.Err() != nil
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		e.status = err.Error()
	}
	e.cpuNS = e.line.programNS()
	if s := cmd.ProcessState; s != nil {
		e.cpuNS = max(e.cpuNS, float64(s.UserTime()+s.SystemTime()))
	}
	return e, e.line.fault
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
