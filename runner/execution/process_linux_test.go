package execution

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ended runs a shell script and waits for it as for a test program.
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

// A program that stops itself is killed. Otherwise each round would wait until its time limit.
func TestStoppedProgramsAreKilled(t *testing.T) {
	for _, signal := range []string{"STOP", "TSTP"} {
		stopped, err := ended(t, "kill -"+signal+" $$; exit 7", 0)
		if !strings.Contains(stopped, "stopped by SIG"+signal) || err == nil || err.Error() != "signal: killed" {
			t.Errorf("after SIG%s: %q, %v; want the program killed because it stopped", signal, stopped, err)
		}
	}
}

// A stopped program that is continued in time runs to its end.
func TestContinuedProgramsAreNotKilled(t *testing.T) {
	stopped, err := ended(t, "(while ! grep -q '^State:.T' /proc/$$/status; do :; done; kill -CONT $$) & kill -STOP $$; exit 7", time.Hour)
	if stopped != "" || err == nil || err.Error() != "exit status 7" {
		t.Errorf("%q, %v; want exit status 7", stopped, err)
	}
}

// Another child of the thread ends before the program. It stays a zombie for the code that waits for
// it.
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
