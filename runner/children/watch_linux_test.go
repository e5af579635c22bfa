package children

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// role is the environment variable that makes the test binary one of the processes below.
const role = "CHILDREN_TEST_ROLE"

// The roles of the watched process and of its descendants.
const (
	waits        = "waits"        // starts a burner and waits for it
	ignores      = "ignores"      // starts a burner and ignores its end
	leaves       = "leaves"       // starts an intermediate and waits for it
	intermediate = "intermediate" // starts a burner, and ends without it
	burner       = "burner"       // computes for burnNS, and again for each line that it reads
)

// Descriptors that all processes except the burner inherit.
const (
	rootEnds         = 3 // the watched process ends when this pipe is closed
	intermediateEnds = 4 // the intermediate ends when this pipe is closed
	output           = 5 // the output of the burner
)

const burnNS = 100_000_000

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case burner:
		err = burn()
	case intermediate:
		if err = start(burner).Process.Release(); err == nil {
			_, err = io.Copy(io.Discard, os.NewFile(intermediateEnds, "end"))
		}
	default:
		err = watched()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func watched() error {
	var err error
	switch os.Getenv(role) {
	case waits:
		err = start(burner).Wait()
	case ignores:
		signal.Ignore(syscall.SIGCHLD)
		err = start(burner).Process.Release()
	case leaves:
		err = start(intermediate).Wait()
	}
	fmt.Println("went on")
	if _, more := io.Copy(io.Discard, os.NewFile(rootEnds, "end")); err == nil {
		err = more
	}
	return err
}

// start starts a process in another role, and passes the burner's output on to it.
func start(what string) *exec.Cmd {
	out := os.NewFile(output, "output")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+what)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	if what == burner {
		cmd.Stdout = out
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	} else {
		cmd.ExtraFiles = []*os.File{os.NewFile(rootEnds, "end"), os.NewFile(intermediateEnds, "end"), out}
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	out.Close()
	return cmd
}

// burn computes, and writes the CPU time that it has used so far.
func burn() error {
	in := bufio.NewReader(os.Stdin)
	for {
		begin, err := used()
		now := begin
		for err == nil && now-begin < burnNS {
			now, err = used()
		}
		if err != nil {
			return err
		}
		fmt.Println(now)
		if _, err := in.ReadString('\n'); err != nil {
			return nil //nolint:nilerr // the end of input ends it
		}
	}
}

func used() (int64, error) {
	var u unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano(), err
}

// A family is a watched process with a burner among its descendants.
type family struct {
	t                          *testing.T
	cmd                        *exec.Cmd
	in, rootEnds, intermediate io.WriteCloser
	out, own                   *bufio.Reader // of the burner, and of the watched process
}

func newFamily(t *testing.T, what string) *family {
	t.Helper()
	f := &family{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	f.cmd.Env = append(os.Environ(), role+"="+what)
	f.cmd.Stderr = os.Stderr
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		f.must(err)
		t.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	}
	rootR, rootW := pipe()
	middleR, middleW := pipe()
	outR, outW := pipe()
	inR, inW := pipe()
	ownR, ownW := pipe()
	f.cmd.Stdin, f.cmd.Stdout, f.cmd.ExtraFiles = inR, ownW, []*os.File{rootR, middleR, outW}
	f.in, f.rootEnds, f.intermediate, f.out, f.own = inW, rootW, middleW, bufio.NewReader(outR), bufio.NewReader(ownR)
	f.must(f.cmd.Start())
	f.must(outW.Close())
	return f
}

func (f *family) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// burned waits until the burner writes the CPU time that it used.
func (f *family) burned() int64 {
	f.t.Helper()
	text, err := f.out.ReadString('\n')
	f.must(err)
	ns, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	f.must(err)
	return ns
}

// compare fails unless the CPU time of all descendants is that of the burner, or more by what an
// intermediate takes to start and to end, which is less than what the burner takes to start, to
// compute and to end. Whoever counts the burner twice finds more.
func (f *family) compare(when string, got, burned int64) {
	f.t.Helper()
	if got < burned || got >= 2*burned {
		f.t.Errorf("%s: descendants used %v ms, the burner alone %v ms", when, float64(got)/ms, float64(burned)/ms)
	}
}

// The CPU time of a descendant is known while it runs and after it has ended, whether it
// was waited for, was not waited for, or had another parent and a session of its own. The
// burner reports its own CPU time, so the speed of the machine does not matter.
func TestChildren(t *testing.T) {
	for _, what := range []string{waits, ignores, leaves} {
		t.Run(what, func(t *testing.T) {
			f := newFamily(t, what)
			w := New(f.cmd.Process.Pid)
			defer w.Close()
			burned := f.burned()
			w.poll()
			f.compare("while the burner runs", w.tree.totalNS, burned)
			f.must(f.intermediate.Close())
			if what == leaves {
				_, err := f.own.ReadString('\n') // the intermediate has ended
				f.must(err)
			}
			_, err := fmt.Fprintln(f.in)
			f.must(err)
			burned = f.burned()
			w.poll()
			f.compare("after the burner ran on", w.tree.totalNS, burned)
			f.must(f.in.Close())
			if _, err := f.out.ReadString('\n'); err != io.EOF {
				t.Fatalf("the child does not end: %v", err)
			}
			f.must(f.rootEnds.Close())
			f.must(unix.Waitid(unix.P_PID, f.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
			all, apart := w.Finish()
			f.compare("after all have ended", all, burned)
			if what != waits {
				f.compare("CPU time that nobody waited for", apart+ms, burned) // wait4 counts in microseconds, the CPU clock in nanoseconds
			} else if apart > 0 {
				t.Errorf("%v ms are apart, want 0: the child was waited for", float64(apart)/ms)
			}
			if p := w.Programs(0); len(p) == 0 || p[0].Name == "" || !strings.HasPrefix(filepath.Base(os.Args[0]), p[0].Name) {
				t.Errorf("programs are %+v, want the test binary first", p)
			}
			f.must(f.cmd.Wait())
		})
	}
}

// If the kernel does not say which process was created last, all processes are read.
func TestWatchWithoutTheLastPID(t *testing.T) {
	f := newFamily(t, waits)
	w := New(f.cmd.Process.Pid)
	w.trusted = false
	burned := f.burned()
	all, _, _ := w.Poll()
	f.compare("while the burner runs", all, burned)
	f.must(w.Close())
	f.must(f.in.Close())
	f.must(f.rootEnds.Close())
	f.must(f.cmd.Wait())
}

// The more processes a poll reads, the longer is the pause after it. The pause depends on
// the number of reads, and not on their duration, which means nothing on a busy machine.
func TestPauseDependsOnTheNumberOfReads(t *testing.T) {
	w := newWatch(1<<30, t.TempDir(), func(int) int64 { return 0 }) // an empty procfs
	before := time.Now()
	w.Poll()
	if rest := w.due.Sub(before); w.reads != 1 || rest < pausePerRead || rest > pausePerRead+time.Since(before) {
		t.Errorf("after %d reads the next poll is due in %v", w.reads, rest)
	}
	w.due = before.Add(time.Hour)
	if _, _, ok := w.Poll(); ok || w.reads != 1 {
		t.Error("a poll was made before it was due")
	}
}

// The kernel counts a new process before procfs shows it. A process that was not there
// yet is read again at the next poll.
func TestProcessThatIsCountedBeforeProcfsHasIt(t *testing.T) {
	const root, child = 100, 101
	proc := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(proc, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stat := func(pid, parent int, startedAt int) {
		t.Helper()
		write(fmt.Sprintf("%d/stat", pid), fmt.Sprintf("%d (x) S %d 100 100 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0\n", pid, parent, startedAt))
	}
	stat(root, 1, 1)
	write("loadavg", fmt.Sprintf("0 0 0 1/2 %d\n", root))
	w := newWatch(root, proc, func(pid int) int64 { return int64(pid) * ms })
	w.poll()
	write("loadavg", fmt.Sprintf("0 0 0 1/2 %d\n", child))
	w.poll()
	stat(child, root, 2)
	w.poll()
	if got, want := w.tree.totalNS, int64(child)*ms; got != want {
		t.Errorf("descendants used %d ns, want %d", got, want)
	}
	w.poll()
	if len(w.pending) > 0 {
		t.Errorf("%v are still pending", w.pending)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
