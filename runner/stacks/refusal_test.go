//go:build linux && (amd64 || arm64)

package stacks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"spell-lsp/internal/childtest"
	"spell-lsp/internal/unprivileged"
	"spell-lsp/runner/perfevent"
)

// roleEnv makes a copy of this test binary another process: what is in it says which.
const roleEnv = "SPELL_LSP_TEST_STACKS"

func TestMain(m *testing.M) {
	switch role, arg, _ := strings.Cut(os.Getenv(roleEnv), " "); role {
	case "":
		os.Exit(m.Run())
	case "threads":
		n, _ := strconv.Atoi(arg)
		haveThreads(n)
	case "open":
		pid, _ := strconv.Atoi(arg)
		openAndPrint(pid)
	}
}

// haveThreads has so many threads until the end of standard input.
func haveThreads(n int) {
	ready := make(chan bool)
	for range n {
		go func() {
			runtime.LockOSThread()
			ready <- true
			select {}
		}()
	}
	for range n {
		<-ready
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// openAndPrint opens a sampler and prints the error, its remedy and the number of open files.
func openAndPrint(pid int) {
	before := openFiles()
	s, err := Open(pid, Options{})
	if err == nil {
		fmt.Println("sampled")
		err = s.Close()
	}
	fmt.Printf("%v\n%s\n%d files left open\n", err, Remedy(err), openFiles()-before)
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// have starts a process with so many threads.
func have(t *testing.T, program string, threads int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=threads %d", roleEnv, threads))
	unprivileged.Restrict(cmd)
	return childtest.Start(t, cmd).Cmd
}

// opened is what a process without privileges prints that samples another one, with limits
// that are set by commands of a shell before.
func opened(t *testing.T, program string, pid int, limits string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", limits+` exec "$0"`, program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=open %d", roleEnv, pid))
	unprivileged.Restrict(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// What another user runs is not sampled. The error says whose it is.
func TestProcessOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	program := unprivileged.CopyOfSelf(t, unprivileged.Dir(t), "stacks.test")
	out := opened(t, program, os.Getpid(), "")
	for _, want := range []string{fmt.Sprintf("process %d is not this user's, but that of user 0", os.Getpid()), "run spell-lsp as the user of process", "0 files left open"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	own := have(t, program, 3)
	if out := opened(t, program, own.Process.Pid, ""); !strings.HasPrefix(out, "sampled\n<nil>\n") || !strings.Contains(out, "0 files left open") {
		t.Errorf("a process of the same user: %s", out)
	}
}

// A process with more threads than descriptors, or memory for rings, is not sampled in part.
func TestLimits(t *testing.T) {
	program := unprivileged.CopyOfSelf(t, unprivileged.Dir(t), "stacks.test")
	const threads = 60
	p := have(t, program, threads)
	out := opened(t, program, p.Process.Pid, "ulimit -n 40;")
	for _, want := range []string{"there are no more descriptors (RLIMIT_NOFILE): perf_event_open: too many open files", "ulimit -n 65536", "0 files left open"} {
		if !strings.Contains(out, want) {
			t.Errorf("few descriptors: it does not say %q:\n%s", want, out)
		}
	}
	// The kernel lets every user have 516 KiB for each processor, and the shell's limit.
	out = opened(t, program, p.Process.Pid, "ulimit -l 0;")
	if !strings.HasPrefix(out, "sampled\n<nil>\n") {
		t.Errorf("little memory, which smaller rings fit in: %s", out)
	}
	if runtime.NumCPU() > 4 {
		t.Skip("it would need too many threads to use up the memory for rings")
	}
	many := have(t, program, 100*runtime.NumCPU())
	out = opened(t, program, many.Process.Pid, "ulimit -l 0;")
	for _, want := range []string{"there are no more pages for their rings (kernel.perf_event_mlock_kb", "ulimit -l 65536", "sudo sysctl kernel.perf_event_mlock_kb=", "0 files left open"} {
		if !strings.Contains(out, want) {
			t.Errorf("little memory: it does not say %q:\n%s", want, out)
		}
	}
}

func TestProcessThatHasEnded(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "exit 0")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	zombie := exec.CommandContext(t.Context(), "/bin/sh", "-c", "exit 0")
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = zombie.Wait() }()
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, zombie.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{cmd.Process.Pid, zombie.Process.Pid, -1, 1 << 22} {
		_, err := Open(pid, Options{})
		if !errors.Is(err, ErrEnded) || !strings.Contains(err.Error(), fmt.Sprint("sampling process ", pid)) || Remedy(err) != "" {
			t.Errorf("process %d: %v, %q", pid, err, Remedy(err))
		}
	}
}

// What the kernel refuses, and what helps. Machines of Debian and Ubuntu refuse all by the
// setting, containers by a filter.
func TestRefusals(t *testing.T) {
	proc := t.TempDir()
	setting := filepath.Join(proc, "sys", "kernel", "perf_event_paranoid")
	if err := os.MkdirAll(filepath.Dir(setting), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		paranoid    string
		err         error
		says, helps string
	}{
		{"3", unix.EACCES, setting + " is 3; samples of the user's own processes need 2 or less", "sudo sysctl kernel.perf_event_paranoid=2"},
		{"2", unix.EPERM, "the system call is refused altogether, as in a container", "--cap-add PERFMON"},
		{"2", unix.EACCES, "process 1 is not this user's", "run spell-lsp as the user of process 1"},
		{"2", unix.ENFILE, "descriptors of the whole system", "fs.file-max"},
		{"2", unix.ENOSYS, "function not implemented", ""},
	} {
		if err := os.WriteFile(setting, []byte(tt.paranoid+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Sampler{proc: procfs(proc)}
		err := s.explain(task{1, 1}, fmt.Errorf("perf_event_open: %w", tt.err))
		if !strings.Contains(err.Error(), tt.says) || !errors.Is(err, tt.err) {
			t.Errorf("%v with %s: %v, want %q", tt.err, tt.paranoid, err, tt.says)
		}
		if got := Remedy(fmt.Errorf("sampling: %w", err)); !strings.Contains(got, tt.helps) || tt.helps == "" && got != "" {
			t.Errorf("%v with %s: remedy %q, want %q", tt.err, tt.paranoid, got, tt.helps)
		}
	}
	var denied *perfevent.PermissionError
	if errors.As((&Sampler{proc: procfs(proc)}).explain(task{1, 1}, syscall.ESRCH), &denied) {
		t.Error("the end of a process passes for a refusal")
	}
}
