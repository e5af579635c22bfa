package burn

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func create(t *testing.T) (*Accounts, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "accounts")
	a, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	return a, path
}

// burning names the environment variable that turns the test binary into a program
// that books.
const burning = "BURN_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(burning) == "" {
		os.Exit(m.Run())
	}
	end := RunTest(2)
	for range 3 {
		b := Enter(7)
		CPU(7, 20, 3*time.Millisecond)
		b.Exit()
	}
	end()
}

// Another process reads what a program booked: the requested time, at the given
// power, under its function's number and nowhere else.
func TestProgramBooksWhatItBurns(t *testing.T) {
	a, path := create(t)
	zone := t.TempDir()
	for name, text := range map[string]string{"energy_uj": "00000000000000000123\n", "max_energy_range_uj": "5000000\n"} {
		if err := os.WriteFile(filepath.Join(zone, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), burning+"=1", Variable+"="+path, BracketVariable+"="+zone)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f := &a.Functions[7]
	const least, turn = 9_000_000, uint64(shared) // ns of three calls, and the longest turn that is booked
	ns := f.NS.Load()
	if ns < least || ns > least+3*turn {
		t.Errorf("the function ran for %d ns, want 3 times 3 ms and at most a turn more each", ns)
	}
	if used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); ns > uint64(used+20*time.Millisecond) {
		t.Errorf("the function ran for %d ns, more than its process (%v, to some ticks of the kernel)", ns, used)
	}
	if got, want := f.PJ.Load(), ns*20_000; got != want || a.PJ() != want {
		t.Errorf("%d pJ are booked, %d in all, want %d for %d ns at 20 W", got, a.PJ(), want, ns)
	}
	if calls, running := f.Calls.Load(), f.Running.Load(); calls != 3 || running != 0 {
		t.Errorf("%d calls, %d running at the end, want 3 and none", calls, running)
	}
	if uj, wall := f.BracketUJ.Load(), f.BracketNS.Load(); uj != 0 || wall < ns {
		t.Errorf("between entry and exit were %d µJ and %d ns, want none of a counter that stands still and %d ns or more", uj, wall, ns)
	}
	p := &a.Processes[0]
	if pid, booked, mw := p.PID.Load(), p.BookedNS.Load(), p.MilliWatts.Load(); pid != int64(cmd.Process.Pid) || booked != ns || mw != 10_000 {
		t.Errorf("the process is entered as %d, %d ns booked, %d mW; want %d, %d, 10000", pid, booked, mw, cmd.Process.Pid, ns)
	}
	test := &a.Tests[2]
	if runs, pj, wall := test.Runs.Load(), test.PJ.Load(), test.NS.Load(); runs != 1 || pj != ns*20_000 || wall < ns {
		t.Errorf("the test: %d runs, %d pJ, %d ns; want one with all that was booked", runs, pj, wall)
	}
}

// A thread without a processor uses no power, however short the interruption. What interrupts use on the
// thread is booked, and what another goroutine uses on it is not.
func TestWhatIsBookedOfATurn(t *testing.T) {
	const us = time.Microsecond
	for _, test := range []struct {
		name            string
		turn, cpu, want time.Duration
	}{
		{"not interrupted", 10 * us, 10 * us, 10 * us},
		{"shortly interrupted", 40 * us, 10 * us, 10 * us},
		{"interrupted for long", 10_000 * us, 10 * us, 10 * us},
		{"interrupted by the kernel, whose time is the thread's", 400 * us, 390 * us, 390 * us},
		{"interrupted for as long as that is not a goroutine's turn", 4_900 * us, 4_900 * us, 4_900 * us},
		{"another goroutine may have had the thread", 5_000 * us, 5_000 * us, 50 * us},
		{"another goroutine had the thread", 10_000 * us, 10_000 * us, 50 * us},
		{"on another thread now, whose clock is behind", 10 * us, -500 * us, 10 * us},
		{"on another thread now, whose clock is ahead", 10 * us, 500 * us, 10 * us},
		{"the same after an interruption", 10_000 * us, 20_000 * us, 0},
		{"no clock", 10 * us, 0, 10 * us},
	} {
		if got := new(Burning).ran(test.turn, test.cpu); got != test.want {
			t.Errorf("%s: %v of %v are booked, want %v", test.name, got, test.turn, test.want)
		}
	}
}

// Why: the collector's time belongs to no function, also where a function that allocates has to help it.
func TestHelpingTheCollectorIsNotBooked(t *testing.T) {
	const us = time.Microsecond
	b := Burning{allocates: true}
	for _, test := range []struct{ turn, cpu, want time.Duration }{
		{10 * us, 10 * us, 10 * us}, {400 * us, 390 * us, 50 * us}, {10_000 * us, 10_000 * us, 50 * us},
	} {
		if got := b.ran(test.turn, test.cpu); got != test.want {
			t.Errorf("%v of CPU time in %v: %v are booked, want %v", test.cpu, test.turn, got, test.want)
		}
	}
}

// A thread that one goroutine has to itself: a long turn is booked as far as the thread ran.
func TestLongTurnsOfAnOwnThreadAreBooked(t *testing.T) {
	const us = time.Microsecond
	b := Burning{ownThread: true}
	for _, test := range []struct {
		name            string
		turn, cpu, want time.Duration
	}{
		{"ran throughout", 10_000 * us, 10_000 * us, 10_000 * us},
		{"interrupted for long", 10_000 * us, 70 * us, 70 * us},
		{"no clock, short", 10 * us, 0, 10 * us},
		{"no clock, long", 10_000 * us, 0, 0},
	} {
		if got := b.ran(test.turn, test.cpu); got != test.want {
			t.Errorf("%s: %v of %v are booked, want %v", test.name, got, test.turn, test.want)
		}
	}
}

// The increase of a counter does not depend on whether it wrapped between entry and
// exit.
func TestBracketAcrossAWrap(t *testing.T) {
	for _, tt := range []struct {
		entry, exit string
		want        uint64
	}{{"100", "250", 150}, {"900", "50", 150}, {"7", "7", 0}} {
		file := filepath.Join(t.TempDir(), "energy_uj")
		if err := os.WriteFile(file, []byte(tt.exit+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		c := counter{f, 1000}
		var entry uint64
		for _, digit := range tt.entry {
			entry = 10*entry + uint64(digit-'0')
		}
		if got := c.gained(entry); got != tt.want {
			t.Errorf("from %s to %s: gained %d, want %d", tt.entry, tt.exit, got, tt.want)
		}
		f.Close()
	}
}

// Open refuses a file that is not an accounts file.
func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"short": "x", "zeros": strings.Repeat("\x00", size)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error is %v, want one that names the file", name, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "missing")); err == nil {
		t.Error("a missing file is no error")
	}
}

// When all entries are taken, another process is refused and overwrites none.
func TestRoomForProcesses(t *testing.T) {
	a, _ := create(t)
	for i := range MaxProcesses {
		if _, err := a.Register(i+1, 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Register(1000, 10); err == nil {
		t.Error("one more process than there is room for is no error")
	}
	a.Processes[5].PID.Store(0)
	if p, err := a.Register(1000, 10); err != nil || p != &a.Processes[5] {
		t.Errorf("an entry that is free again is not taken: %v", err)
	}
}
