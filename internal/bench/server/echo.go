package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// An echo is a process that returns its input at once. Its round trip is the part of every
// answer that the machine causes, and grows when others use the processors.
type echo struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

func startEcho(ctx context.Context) (*echo, error) {
	e := &echo{cmd: exec.CommandContext(ctx, "cat")}
	var err error
	if e.in, err = e.cmd.StdinPipe(); err == nil {
		e.out, err = e.cmd.StdoutPipe()
	}
	if err == nil {
		err = e.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting cat: %w", err)
	}
	return e, nil
}

// time says something of the size of a request and returns how long it took to
// come back.
func (e *echo) time() (time.Duration, error) {
	var text [200]byte
	begun := time.Now()
	_, err := e.in.Write(text[:])
	if err == nil {
		_, err = io.ReadFull(e.out, text[:])
	}
	if err != nil {
		return 0, fmt.Errorf("speaking to cat: %w", err)
	}
	return time.Since(begun), nil
}

func (e *echo) stop() {
	e.in.Close() //nolint:errcheck // it ends either way
	e.cmd.Wait() //nolint:errcheck // how does not matter
}
