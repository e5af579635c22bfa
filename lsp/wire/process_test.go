package wire

import (
	"context"
	"os/exec"
	"testing"
	"testing/synctest"
)

// sleepingProcess starts a process in the role of the editor.
func sleepingProcess(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { killProcess(cmd) })
	return cmd
}

func killProcess(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may be gone
	_ = cmd.Wait()         // it was killed
}

// On systems that do not report the end of a process, the process is polled.
func TestPollingWaiter(t *testing.T) {
	alive, dies := sleepingProcess(t), sleepingProcess(t)
	synctest.Test(t, func(t *testing.T) {
		ended := pollingWaiter(dies.Process.Pid)
		killProcess(dies)
		if !ended(t.Context()) {
			t.Error("the end of the process was not seen")
		}
		if pollingWaiter(dies.Process.Pid) != nil {
			t.Error("a missing process is watched")
		}
		stays := pollingWaiter(alive.Process.Pid)
		ctx, cancel := context.WithTimeout(t.Context(), 20*pollInterval)
		defer cancel()
		if stays(ctx) {
			t.Error("a running process is reported as ended")
		}
	})
}

// The end of a process is noticed during the wait, not only before it.
func TestWaiterSeesTheEnd(t *testing.T) {
	dies := sleepingProcess(t)
	ended := waiter(dies.Process.Pid)
	seen := make(chan bool, 1)
	go func() { seen <- ended(t.Context()) }()
	killProcess(dies)
	if !<-seen {
		t.Error("the end of the process was not seen")
	}
}
