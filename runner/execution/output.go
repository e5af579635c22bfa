package execution

import (
	"bytes"
	"context"

	"spell-lsp/spell/capture"
)

// Output executes a test program that is not measured, and returns what it printed, however it ended: the lines that
// begin with mark, and behind them the others, of which much is shortened. The error is that of ctx, or says why
// the program did not start.
func Output(ctx context.Context, p Program, o Options, mark string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout+graceTime)
	defer cancel()
	cmd := testCommand(limited, p, o)
	out := &markedOutput{mark: []byte(mark)}
	cmd.Stdout, cmd.Stderr = out, out
	err := RunCommand(cmd)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if cmd.ProcessState == nil {
		return "", notStarted(p, err)
	}
	return out.String(), nil
}

const (
	maxMarked = 1 << 20 // bytes of marked lines
	maxLine   = 1 << 16 // bytes of one
)

// A markedOutput keeps the lines that begin with a mark apart from the others, as these may be many.
type markedOutput struct {
	mark         []byte
	line, marked []byte
	others       capture.Output
}

func (m *markedOutput) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		m.line, rest = append(m.line, rest[:end]...), rest[end:]
		if m.line[len(m.line)-1] == '\n' || len(m.line) > maxLine {
			m.endLine()
		}
	}
	return len(text), nil
}

func (m *markedOutput) endLine() {
	if bytes.HasPrefix(m.line, m.mark) && len(m.marked)+len(m.line) <= maxMarked {
		m.marked = append(m.marked, m.line...)
	} else {
		m.others.Write(m.line) //nolint:errcheck // never fails
	}
	m.line = m.line[:0]
}

func (m *markedOutput) String() string {
	if len(m.line) > 0 {
		m.endLine()
	}
	return string(m.marked) + m.others.String()
}
