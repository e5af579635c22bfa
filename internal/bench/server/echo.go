package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// An echo is a process that returns its input at once. Its round trip is the part of
// every response time that the machine causes, and grows when other processes use the
// processors.
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

// time is the round trip time of a message with the size of a request.
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
	e.in.Close() //nolint:errcheck // the process ends either way
	e.cmd.Wait() //nolint:errcheck // its exit status does not matter
}
