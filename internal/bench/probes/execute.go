package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// programTimeout is the time limit of a test program, the default of go test.
const programTimeout = 10 * time.Minute

// An execution is one run of a program.
type execution struct {
	output string
	status string        // "ok", or "exit status 2", "signal: killed"
	cpu    time.Duration // user and system time of the program and its children
}

// An invocation says how a program is run.
type invocation struct {
	file, dir string
	args      []string
	env       []string   // added to the environment
	inherited []*os.File // files
	sampled   bool       // its stacks are sampled
}

// execute runs a program. Its output goes to a file, so that no reader takes CPU time
// while the program runs.
func (b *bench) execute(ctx context.Context, r invocation) (*execution, error) {
	limited, cancel := context.WithTimeout(ctx, programTimeout+10*time.Second)
	defer cancel()
	out, err := os.CreateTemp(b.scratch, "output-*")
	if err != nil {
		return nil, fmt.Errorf("creating a file for a program's output: %w", err)
	}
	defer os.Remove(out.Name()) //nolint:errcheck // the whole folder will be removed
	defer out.Close()
	temp, err := b.folder("tmp")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(limited, r.file, r.args...)
	cmd.ExtraFiles = r.inherited
	cmd.Dir = r.dir
	cmd.Env = append(append(os.Environ(), "PWD="+r.dir, "TMPDIR="+temp), r.env...)
	cmd.Stdout, cmd.Stderr = out, out
	err = r.await(cmd)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return nil, fmt.Errorf("running %s: %w", r.file, errors.Join(err, ctx.Err()))
	}
	e := &execution{status: "ok", cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if err != nil {
		e.status = err.Error()
	}
	if _, err = out.Seek(0, io.SeekStart); err == nil {
		var text []byte
		text, err = io.ReadAll(out)
		e.output = string(text)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a program's output: %w", err)
	}
	return e, nil
}

// await starts a program and waits for its end.
func (r invocation) await(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	if !r.sampled {
		return cmd.Wait()
	}
	end, err := sample(cmd.Process.Pid)
	exit := cmd.Wait()
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	return exit
}
