package runner

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"spell-lsp/internal/childtest"
)

// What the peer receives, and sends.
const (
	sentBytes    = 9_000_001
	drainedBytes = 20_000_003
)

// peer is the first argument with which the test binary is the other end of the connections of
// sender, at the address that is the second. It prints the address, then how much it received over
// each connection.
const peer = "peer"

func peerMain() {
	if err := servePeer(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func servePeer(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, c)
		fmt.Println(n)
		if err == nil {
			_, err = c.Write(make([]byte, drainedBytes))
		}
		if err == nil {
			err = c.Close()
		}
		if err != nil {
			return err
		}
	}
}

// startPeer starts a peer by a command. end ends it, and checks what it received.
func startPeer(t *testing.T, command ...string) (address string, end func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	c := childtest.Start(t, cmd)
	return c.First, func() {
		t.Helper()
		c.Process.Kill()
		lines, connections := bufio.NewScanner(c.Out), 0
		for ; lines.Scan(); connections++ {
			if lines.Text() != strconv.Itoa(sentBytes) {
				t.Errorf("the peer received %s bytes, want %d", lines.Text(), sentBytes)
			}
		}
		if connections != 2 {
			t.Errorf("the peer had %d connections, want one in each round", connections)
		}
	}
}
