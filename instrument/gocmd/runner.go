package gocmd

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"spell-lsp/spell/capture"
)

// A Runner runs the go command of a toolchain for questions.
type Runner struct {
	*Toolchain
	Temp string                // a folder for what it writes
	Run  func(*exec.Cmd) error // runs a command, and all that it starts, to its end; nil is (*exec.Cmd).Run
}

// Output runs the go command in a folder and returns its standard output. The error has
// what it said, if that was not written to stderr, which may be nil.
func (r Runner) Output(ctx context.Context, dir string, stderr io.Writer, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	if err := r.Use(cmd, dir, r.Temp); err != nil {
		return "", fmt.Errorf("running go %s: %w", args[0], err)
	}
	var stdout capture.Answer
	var said capture.Output
	cmd.Stdout, cmd.Stderr = &stdout, &said
	if stderr != nil {
		cmd.Stderr = stderr
	}
	run := r.Run
	if run == nil {
		run = (*exec.Cmd).Run
	}
	err := run(cmd)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("running go %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(stdout.Bytes()), nil
}
