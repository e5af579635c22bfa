package execution

import (
	"context"

	"spell-lsp/spell/capture"
)

// Output executes a test program that is not measured, and returns what it printed, however it ended. The error is
// that of ctx, or says why the program did not start.
func Output(ctx context.Context, p Program, o Options) (string, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout+graceTime)
	defer cancel()
	cmd := testCommand(limited, p, o)
	var out capture.Output
	cmd.Stdout, cmd.Stderr = &out, &out
	err := RunCommand(cmd)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if cmd.ProcessState == nil {
		return "", notStarted(p, err)
	}
	return out.String(), nil
}
