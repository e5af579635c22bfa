//go:build unix

package sampler

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/internal/childtest"
)

// The sampler ends even if its parent is killed.
func TestSamplerEndsWithItsParent(t *testing.T) {
	c := childtest.Start(t, exec.Command(os.Args[0], parent, machine(t).Root()))
	pid, err := strconv.Atoi(c.First)
	if err != nil {
		t.Fatalf("the parent printed %q", c.First)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for running(pid) { // until go test's time limit
		time.Sleep(time.Millisecond)
	}
}

// running reports whether a process exists and is no zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}
