package sshtarget

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"spell-lsp/internal/childtest"
)

// line is the name of this side's end of the line: one for each process that tests.
func line() string { return fmt.Sprintf("spell%d", os.Getpid()) }

// connect lays a line to the target (veth(4)), and starts an sshd that listens at its other end. The addresses are
// among those for tests of networks (RFC 2544), and each process has others.
func (m *Target) connect(t *testing.T, o Options) {
	t.Helper()
	n := os.Getpid() % (1 << 15) * 4
	at := func(i int) string { return fmt.Sprintf("198.%d.%d.%d", 18+n>>16, n>>8&255, n&255+i) }
	here, there := line(), "lab0"
	out, err := exec.CommandContext(t.Context(), "ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", strconv.Itoa(m.inner)).CombinedOutput()
	if err != nil {
		t.Skipf("no network can be made here: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("ip", "link", "del", here).Run() }) //nolint:errcheck,noctx // it ends with the target, too
	for _, cmd := range []*exec.Cmd{
		m.within("ip", "addr", "add", at(2)+"/30", "dev", there),
		m.within("ip", "link", "set", there, "up"),
		exec.CommandContext(t.Context(), "ip", "addr", "add", at(1)+"/30", "dev", here),
		exec.CommandContext(t.Context(), "ip", "link", "set", here, "up"),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", cmd.Args, err, out)
		}
	}
	m.pair(t, o, at(2), "22")
	// At this level it says when it listens.
	server := m.within("sh", "-c", "exec "+sshd+" -D -e -f /target/sshd_config -o LogLevel=INFO -o ListenAddress="+at(2)+" 2>&1")
	said := childtest.Start(t, server).Out
	go io.Copy(io.Discard, said) //nolint:errcheck // it ends with the server
	m.Here = at(1)
}

// TakeDown takes the line down: neither side is told, and nothing passes any more.
func (m *Target) TakeDown(t *testing.T) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "ip", "link", "set", line(), "down").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
