package runner

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"spell-lsp/internal/childtest"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/internal/recordtest"
	"spell-lsp/runner/perfevent"
	"spell-lsp/runner/stacks"
	"spell-lsp/runner/target"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// refuseSampling has the kernel sample nothing, as in a container.
func refuseSampling(t *testing.T) {
	t.Helper()
	before := openStacks
	openStacks = func(int, stacks.Options) (*stacks.Sampler, error) {
		return nil, &perfevent.PermissionError{Filtered: true, Err: syscall.EPERM}
	}
	t.Cleanup(func() { openStacks = before })
}

// profiling starts a service that computes in Spin, called by package main, with pauses, and serves its
// profiles.
func profiling(t *testing.T) (dir string, process *target.Process) {
	t.Helper()
	dir = module(t, map[string]string{
		"m.go": "package m\n\nvar sink int\n\n//go:noinline\nfunc Spin() {\n\tfor i := range 1_000_000 {\n\t\tsink += i * sink\n\t}\n}\n",
		"cmd/serve/main.go": `package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"time"

	"example.com/m"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, nil)
	fmt.Println(l.Addr())
	for {
		for range 20 {
			m.Spin()
		}
		time.Sleep(10 * time.Millisecond)
	}
}
`,
	})
	program := filepath.Join(t.TempDir(), "serve")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "./cmd/serve")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := childtest.Start(t, exec.CommandContext(t.Context(), program))
	process, err := target.Of(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	process.Profile = target.ProfileURL("http://" + c.First)
	return dir, process
}

// A service that the kernel may not sample is measured by the CPU profiles that it serves, and the
// run says so.
func TestAttachToAServedProfile(t *testing.T) {
	refuseSampling(t)
	dir, process := profiling(t)
	root := simulate(t, powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 30}}})
	for _, meter := range []string{"model", "rapl"} {
		p := Params{Dir: dir, Meter: meter}
		p.Meters.PowercapRoot = root
		run, err := Attach(t.Context(), p, process, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		recordtest.Check(t, run)
		if run.Partial || run.Rounds != 2 || len(run.Components) == 0 || run.Components[0].ID != "example.com/m.Spin" || run.Components[0].TimeMS <= 0 || run.PeriodMS != 10 {
			t.Errorf("run is %+v, want two rounds in which Spin is first, by a sample in 10 ms", run)
		} else if meter == "model" && run.Components[0].EnergyJ["cpu"] <= 0 { // the counter draws the same whatever runs
			t.Errorf("Spin has no energy: %+v", run.Components[0])
		}
		hasNote(t, run, note.ProfileServedCode, "in a container")
	}
}

// The machine draws 5 W when idle, and 20 W more while the service computes; a process that computes
// beside it draws nothing. Both were running before, so nobody saw the idle machine. All the same
// Spin has 20 J for each second of its CPU time, whoever samples it.
func TestEnergyOfWhatRuns(t *testing.T) {
	const idle, watts = 5.0, 20.0
	for name, refuse := range map[string]func(*testing.T){"the kernel samples": func(*testing.T) {}, "it serves its profile": refuseSampling} {
		t.Run(name, func(t *testing.T) {
			refuse(t)
			dir, process := profiling(t)
			serving(t, "spin")
			accounts := filepath.Join(t.TempDir(), "accounts")
			p := Params{Dir: dir, Meter: "rapl"}
			p.Meters.PowercapRoot = simulate(t, powercapsim.Params{Accounts: accounts, Zones: []powercapsim.Zone{{Name: "package-0", Watts: idle, Load: 1}}})
			drawn, err := burn.Open(accounts)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := drawn.Register(process.PID, watts); err != nil {
				t.Fatal(err)
			}
			run, err := Attach(t.Context(), p, process, 3*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			recordtest.Check(t, run)
			spin := run.Components[0]
			if got, want := spin.EnergyJ[spell.CPU], watts*spin.TimeMS/1e3; spin.ID != "example.com/m.Spin" || math.Abs(got/want-1) > 0.2 {
				t.Errorf("%s has %g J in %g ms, want %g J", spin.ID, got, spin.TimeMS, want)
			}
		})
	}
}

// A service that serves one profile and refuses the next has not ended: the first round is kept, and the
// run says what failed.
func TestAttachToAProfileThatFails(t *testing.T) {
	refuseSampling(t)
	dir, process := profiling(t)
	service, err := url.Parse(process.Profile)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	once := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 {
			http.Error(w, "too many profiles", http.StatusServiceUnavailable)
			return
		}
		httputil.NewSingleHostReverseProxy(&url.URL{Scheme: service.Scheme, Host: service.Host}).ServeHTTP(w, r)
	}))
	defer once.Close()
	process.Profile = target.ProfileURL(once.URL)
	run, err := Attach(t.Context(), Params{Dir: dir, Meter: "model"}, process, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Check(t, run)
	if !run.Partial || run.Rounds != 1 {
		t.Errorf("partial is %t after %d rounds, want true after 1", run.Partial, run.Rounds)
	}
	hasNote(t, run, note.EndedEarlyCode, "/debug/pprof/profile: 503 Service Unavailable: too many profiles")
}

// Where nothing is served either, or something else, the error has both reasons. A process that is
// named by its number is asked for nothing.
func TestAttachWithoutAProfile(t *testing.T) {
	refuseSampling(t)
	dir, process := profiling(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/debug/pprof/profile" {
			io.WriteString(w, "hello")
			return
		}
		http.NotFound(w, r)
	}))
	defer other.Close()
	for url, want := range map[string]string{
		"":                           "in a container",
		other.URL + "/other":         "/other: 404 Not Found: 404 page not found; a program that imports net/http/pprof",
		target.ProfileURL(other.URL): "/debug/pprof/profile: ",
	} {
		process.Profile = url
		run, err := Attach(t.Context(), Params{Dir: dir, Meter: "none"}, process, time.Second)
		refused := (*SamplingError)(nil)
		if run != nil || !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "in a container") {
			t.Errorf("%q: the error is %v, want one with %q", url, err, want)
		}
	}
}
