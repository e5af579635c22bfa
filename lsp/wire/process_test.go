package wire

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// sleeper starts a process that stands for an editor's.
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

// Where the system does not tell of the end of a process, it is looked for.
func TestPolledProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	alive, dies := sleepingProcess(t), sleepingProcess(t)
	ended := polled(dies.Process.Pid, time.Millisecond)
	killProcess(dies)
	if !ended(ctx) {
		t.Error("the end of the process was not seen")
	}
	if polled(dies.Process.Pid, time.Millisecond) != nil {
		t.Error("a process is watched that is not there")
	}
	stays := polled(alive.Process.Pid, time.Millisecond)
	time.AfterFunc(20*time.Millisecond, cancel)
	if stays(ctx) {
		t.Error("a process that is there has ended")
	}
}
