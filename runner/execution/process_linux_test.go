package execution

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ended waits for a shell command as for a test program.
func ended(t *testing.T, script string, patience time.Duration) (stopped string, err error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped = awaitExit(cmd.Process.Pid, patience, func() { killGroup(cmd) })
	return stopped, cmd.Wait()
}

// A program that stops itself is killed: waiting would take until its time limit, in each round.
func TestStoppedProgramsAreKilled(t *testing.T) {
	for _, signal := range []string{"STOP", "TSTP"} {
		stopped, err := ended(t, "kill -"+signal+" $$; exit 7", 0)
		if !strings.Contains(stopped, "stopped by SIG"+signal) || err == nil || err.Error() != "signal: killed" {
			t.Errorf("after SIG%s: %q, %v", signal, stopped, err)
		}
	}
}

// A stopped program that is continued goes on.
func TestStoppedProgramsMayGoOn(t *testing.T) {
	stopped, err := ended(t, "(while ! grep -q '^State:.T' /proc/$$/status; do :; done; kill -CONT $$) & kill -STOP $$; exit 7", time.Hour)
	if stopped != "" || err == nil || err.Error() != "exit status 7" {
		t.Errorf("%q, %v; want exit status 7", stopped, err)
	}
}

// Other children of the thread, which may end before the program, are left to those who wait for
// them.
func TestOtherChildrenAreLeftAlone(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	other := exec.CommandContext(t.Context(), "true")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, other.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if stopped, err := ended(t, "exit 7", time.Hour); stopped != "" || err == nil || err.Error() != "exit status 7" {
		t.Errorf("%q, %v; want exit status 7", stopped, err)
	}
	if err := other.Wait(); err != nil {
		t.Errorf("the other child: %v", err)
	}
}
