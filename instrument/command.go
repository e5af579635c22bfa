package instrument

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"spell-lsp/spell/capture"
)

// goCommand runs the go command in a folder and returns its standard output.
// The error has what it said, if that was not written to stderr, which may be
// nil.
func (p *preparation) goCommand(ctx context.Context, dir string, stderr io.Writer, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	if err := p.build.Toolchain.Use(cmd, dir, p.Temp); err != nil {
		return "", fmt.Errorf("running go %s: %w", args[0], err)
	}
	var stdout capture.Answer
	var said capture.Output
	cmd.Stdout, cmd.Stderr = &stdout, &said
	if stderr != nil {
		cmd.Stderr = stderr
	}
	run := p.Run
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

// buildFlags choose what is built, and keep the go command from asking git about the
// repository of the module, whose configuration can name programs.
func (p *Params) buildFlags() []string {
	flags := []string{"-buildvcs=false"}
	if len(p.Tags) > 0 {
		flags = append(flags, "-tags="+strings.Join(p.Tags, ","))
	}
	return flags
}
