//go:build !linux

package supervisor

import (
	"context"
	"errors"
)

var errLinux = errors.New("measuring for another machine needs Linux on this one")

// Run is the supervisor's process. On this system it returns an error.
func Run(context.Context, Params) error { return errLinux }

// Work is the worker's process. On this system it returns an error.
func Work(context.Context, Worker) error { return errLinux }
