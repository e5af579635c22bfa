package main

import (
	"context"
	"errors"
	"strings"

	"spell-lsp/instrument/gobuild"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/lsp"
	"spell-lsp/runner"
	"spell-lsp/runner/bisect"
	"spell-lsp/runner/calibration"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/remote"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/runner/remote/ssh"
	"spell-lsp/runner/socket"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/input"
)

// The exit codes, which scripts rely on.
const (
	exitDone        = 0
	exitNoShutdown  = 1 // the client of the server said exit without shutdown
	exitBroken      = 1 // a rule of --fail-on is broken
	exitNotSure     = 1 // bisect found no single commit
	exitUnproved    = 1 // doctor --validate found the joules to be wrong, or doubtful
	exitInput       = 2 // bad usage or input
	exitNothing     = 3 // nothing could be measured
	exitInterrupted = 130
)

// message is what a user reads of an error.
func message(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, input.ErrUnknownFormat):
		return err.Error() + " (analyze takes --input)"
	default:
		return err.Error()
	}
	all, ok := err.(interface{ Unwrap() []error }) // what came with the interrupt is stderr too
	if !ok {
		return "interrupted"
	}
	var parts []string
	for _, part := range all.Unwrap() {
		parts = append(parts, message(part))
	}
	return strings.Join(parts, "\n")
}

func exitCode(err error) int {
	var (
		load    *gocmd.LoadError
		build   *runner.BuildError
		meter   *meters.OpenError
		fault   *runner.MeterError
		samples *runner.SamplingError
		rules   *gate.Failure
		side    *bisect.ReferenceError
		built   *gobuild.ExitError
		link    *ssh.Error
		cluster *slurm.Error
		proof   validationError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, lsp.ErrExit):
		return exitNoShutdown
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &built):
		return built.Code
	case errors.As(err, &rules):
		return exitBroken
	case errors.As(err, &proof) && proof.verdict.Figures():
		return exitUnproved
	case errors.As(err, &proof):
		return exitNothing
	case errors.Is(err, errNoCommit):
		return exitNotSure
	case errors.As(err, &link) && link.Cause != ssh.BadHost, errors.As(err, &cluster), errors.As(err, &side), errors.As(err, &load), errors.As(err, &build), errors.As(err, &meter), errors.As(err, &fault), errors.As(err, &samples),
		errors.Is(err, calibration.ErrRefused), errors.Is(err, socket.ErrMeter), errors.Is(err, remote.ErrFull), errors.Is(err, runner.ErrNoTime), errors.Is(err, runner.ErrScenario), errors.Is(err, runner.ErrNoTest), errors.Is(err, runner.ErrUnreached):
		return exitNothing
	}
	return exitInput
}
