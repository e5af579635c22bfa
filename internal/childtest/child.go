// Package childtest starts programs that tests talk to.
package childtest

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// A Child is a program that has printed its first line, by which it says that it is ready.
type Child struct {
	*exec.Cmd
	First string         // that line, without its end
	In    io.WriteCloser // its standard input
	Out   *bufio.Reader  // what follows the line
}

// Start starts a program and waits for its first line. The program does not outlive the test.
func Start(t *testing.T, cmd *exec.Cmd) *Child {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()         //nolint:errcheck // the program may have ended, and been waited for
		cmd.Process.Kill() //nolint:errcheck // likewise
		cmd.Wait()         //nolint:errcheck // likewise
	})
	c := &Child{Cmd: cmd, In: in, Out: bufio.NewReader(out)}
	line, err := c.Out.ReadString('\n')
	if err != nil {
		t.Fatalf("%s ended when it had printed %q: %v", cmd.Path, line, err)
	}
	c.First = strings.TrimSuffix(line, "\n")
	return c
}
