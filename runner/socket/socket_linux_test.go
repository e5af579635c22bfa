package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/unprivileged"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
)

// asks has a copy of this program, started by a test as another user, ask a socket.
const asks = "SPELL_TEST_ASKS"

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	if name := os.Getenv(asks); name != "" {
		answer, err := connect(name)
		fmt.Println(string(answer), err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func connect(name string) ([]byte, error) {
	c, err := net.Dial("unix", name)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return io.ReadAll(c)
}

func ask(t *testing.T, name string) (r reading) {
	t.Helper()
	answer, err := connect(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, &r); err != nil || r.Error != "" {
		t.Fatalf("it answers %q (%v)", answer, err)
	}
	return r
}

// short is a folder whose path a socket can have.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// simulated is a machine of 50 W.
func simulated(t *testing.T) meter.Options {
	t.Helper()
	sim, err := powercapsim.New(powercapsim.Params{Dir: t.TempDir(), Zones: []powercapsim.Zone{{Name: "package-0", Watts: 50}}})
	if err != nil {
		t.Fatal(err)
	}
	sim.Start(t.Context())
	t.Cleanup(func() {
		if err := sim.Stop(); err != nil {
			t.Error(err)
		}
	})
	return meter.Options{PowercapRoot: sim.Root()}
}

// serving serves a simulated meter until stop is called, which returns the error of Serve.
func serving(t *testing.T, path string) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	p := Params{Meter: "rapl", Options: simulated(t), Path: path, Ready: func(meter.Info, bool) { close(ready) }}
	go func() { ended <- Serve(ctx, p) }()
	t.Cleanup(cancel)
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	return func() error { cancel(); return <-ended }
}

// Two services ask at once, again and again: both hear of the same machine, each of its own CPU
// time, and the energy is that of 50 W for as long as has passed.
func TestReadings(t *testing.T) {
	path := filepath.Join(short(t), "spell-lsp", "meter.sock")
	stop := serving(t, path)
	a := ask(t, path)
	other := make(chan reading)
	go func() {
		var r reading
		for range 50 {
			answer, _ := connect(path)
			json.Unmarshal(answer, &r)
		}
		other <- r
	}()
	for range 50 {
		ask(t, path)
	}
	second, b := <-other, ask(t, path)
	if a.Meter != "rapl" || a.Source != "measured" || a.StartedNS == 0 || b.StartedNS != a.StartedNS || second.StartedNS != a.StartedNS || b.Faults != 0 {
		t.Errorf("readings are %+v, %+v and %+v", a, second, b)
	}
	// When an update was seen is known less well on a busy machine: the more time, the less it matters.
	for seconds := 0.0; ; b = ask(t, path) {
		joules := b.Joules["cpu"] - a.Joules["cpu"]
		if seconds = float64(b.TimeNS-a.TimeNS) / 1e9; seconds > 0.1 && math.Abs(joules/seconds-50) < 1 {
			break
		}
		if seconds > 60 {
			t.Fatalf("%g J in %g s, want 50 W", joules, seconds)
		}
	}
	if used, ok := sampler.ProcessCPU(os.Getpid()); a.CPU <= 0 || b.CPU < a.CPU || !ok || used < b.CPU {
		t.Errorf("CPU time of this process is %d, then %d, and is %d now", a.CPU, b.CPU, used)
	}
	if err := stop(); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is left")
	}
}

// Clients that hang, send what nobody asked for, or are gone before they are answered: the next
// one is answered all the same.
func TestBadClients(t *testing.T) {
	path := filepath.Join(short(t), "meter.sock")
	serving(t, path)
	for i := range 100 {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 0:
			c.Close()
		case 1:
			defer c.Close() // it never reads
		default:
			defer c.Close()
			c.Write(make([]byte, 1000))
		}
	}
	ask(t, path)
}

func TestPermissions(t *testing.T) {
	dir := filepath.Join(short(t), "run", "spell-lsp")
	path := filepath.Join(dir, "meter.sock")
	serving(t, path)
	for name, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, path: 0o600 | os.ModeSocket} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
}

// Another user cannot open the socket. Where somebody has opened it to all, he gets no reading.
func TestAnotherUserGetsNothing(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir := unprivileged.Dir(t)
	path := filepath.Join(dir, "meter.sock")
	serving(t, path)
	copied := unprivileged.CopyOfSelf(t, dir, "stranger")
	stranger := func() string {
		cmd := exec.CommandContext(t.Context(), copied)
		cmd.Env = append(os.Environ(), asks+"="+path)
		unprivileged.Restrict(cmd)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if said := stranger(); !strings.Contains(said, "permission denied") {
		t.Errorf("a stranger gets %s", said)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if said := stranger(); !strings.Contains(said, "it serves user 0, and user 65534 asks") || strings.Contains(said, "joules") {
		t.Errorf("a stranger at an open socket gets %s", said)
	}
}

func TestOneServesASocket(t *testing.T) {
	path := filepath.Join(short(t), "meter.sock")
	stop := serving(t, path)
	err := Serve(t.Context(), Params{Path: path})
	if !errors.Is(err, ErrRuns) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second one: %v", err)
	}
	ask(t, path) // the first one goes on
	if err := stop(); err != nil {
		t.Error(err)
	}
	serving(t, path)
	ask(t, path)
}

// A process that was killed leaves its socket, which the next one replaces. What is no socket is
// somebody's file.
func TestWhatIsInTheWay(t *testing.T) {
	stale := filepath.Join(short(t), "meter.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	serving(t, stale)
	ask(t, stale)

	file := filepath.Join(short(t), "meter.sock")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := listen(file); err == nil || !strings.Contains(err.Error(), "is no socket: remove it") {
		t.Errorf("a file: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "mine" {
		t.Error("the file was replaced")
	}
	if _, err := listen("/" + strings.Repeat("long/", 30)); err == nil || !strings.Contains(err.Error(), "name a shorter one in SPELL_LSP_SOCKET") {
		t.Errorf("a long path: %v", err)
	}
	open := filepath.Join(short(t), "shared")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	os.Chmod(open, 0o777)
	if _, err := claim(filepath.Join(open, "meter.sock")); err == nil || !strings.Contains(err.Error(), "other users can change what is in") {
		t.Errorf("a folder of all: %v", err)
	}
}

// Where nothing is known about the processor there are no joules: it says so at once, and not each
// service later.
func TestNoEnergy(t *testing.T) {
	proc := t.TempDir()
	if err := os.WriteFile(filepath.Join(proc, "cpuinfo"), []byte("processor\t: 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Params{Meter: "model", Options: meter.Options{ProcRoot: proc}, Path: filepath.Join(short(t), "meter.sock")}
	if err := Serve(t.Context(), p); !errors.Is(err, ErrMeter) {
		t.Errorf("the error is %v", err)
	}
}

// The sampler may be killed. The services then hear that nobody listens, and not old figures.
func TestSamplerThatEnds(t *testing.T) {
	ended := make(chan error, 1)
	path := filepath.Join(short(t), "meter.sock")
	s, err := sampler.Open("rapl", simulated(t))
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(s.Info())
	if err := m.watch(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	l, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	defer s.Close()
	go func() { ended <- serve(t.Context(), l, s, m) }()
	p, err := os.FindProcess(s.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrMeter) {
		t.Errorf("the error is %v", err)
	}
}

func TestPath(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/home/u/.cache")
	for _, test := range []struct{ variable, session, want string }{
		{"/srv/meter", "/run/user/7", "/srv/meter"},
		{"", "/run/user/7", "/run/user/7/spell-lsp/meter.sock"},
		{"", "", "/home/u/.cache/spell-lsp/meter.sock"},
		{"", "relative", "/home/u/.cache/spell-lsp/meter.sock"},
	} {
		t.Setenv(Variable, test.variable)
		t.Setenv("XDG_RUNTIME_DIR", test.session)
		if got, err := Path(); err != nil || got != test.want {
			t.Errorf("%+v: %s, %v", test, got, err)
		}
	}
}

// Why: a service divides what the meter says among its functions, and the host's share of a virtual
// machine says nothing of these.
func TestHostsShareIsRefused(t *testing.T) {
	o := simulated(t)
	proc := t.TempDir()
	if err := os.WriteFile(filepath.Join(proc, "cpuinfo"), []byte("flags\t: hypervisor\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.ProcRoot, o.SysRoot = proc, filepath.Dir(filepath.Dir(o.PowercapRoot))
	p := Params{Meter: "rapl", Options: o, Path: filepath.Join(short(t), "meter.sock")}
	if err := Serve(t.Context(), p); !errors.Is(err, ErrMeter) || !strings.Contains(err.Error(), "host's share") {
		t.Errorf("the error is %v", err)
	}
}
