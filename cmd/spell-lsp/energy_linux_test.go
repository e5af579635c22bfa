package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"golang.org/x/tools/txtar"

	"spell-lsp/internal/childtest"
	"spell-lsp/internal/powercapsim"
)

// shop is a service with a mux of its own, and a vendored dependency. It says where it listens. An
// overlay of the user's has the file that names the kinds of requests.
const shop = `
-- go.mod --
module example.com/shop

go 1.25

require example.com/sums v1.0.0
-- vendor/modules.txt --
# example.com/sums v1.0.0
## explicit; go 1.25
example.com/sums
-- vendor/example.com/sums/sums.go --
package sums

//go:noinline
func Sum(n int) (sum int) {
	for i := range n {
		sum += i % 7
	}
	return sum
}
-- own.json --
{"Replace": {"kinds.go": "elsewhere/kinds.txt"}}
-- elsewhere/kinds.txt --
package main

var kinds = []string{"list", "sum"}
-- main.go --
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	runtimepprof "runtime/pprof"

	"example.com/sums"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s/debug/pprof/\n", listener.Addr())
	for _, kind := range kinds {
		go runtimepprof.Do(context.Background(), runtimepprof.Labels("request", kind), func(context.Context) {
			for {
				sums.Sum(1_000_000)
			}
		})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	panic(http.Serve(listener, mux))
}
`

// buildShop builds the service as its user would, and makes sure that nothing but the program was
// written.
func buildShop(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	files, err := txtar.FS(txtar.Parse([]byte(shop)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, dir)
	program = filepath.Join(t.TempDir(), "shop")
	build := command(t, "build", "-C", dir, "-overlay", "own.json", "-o", program, ".")
	build.Env = []string{"GOFLAGS=-mod=vendor -buildvcs=false"}
	if code, said := start(t, build).finished(t); code != exitDone || said != "" {
		t.Fatalf("the build ended with %d: %s", code, said)
	}
	if diff := cmp.Diff(before, fingerprint(t, dir)); diff != "" {
		t.Errorf("the build wrote to the module (-before +after):\n%s", diff)
	}
	return program
}

// startShop starts the service in the user's session, and returns its address.
func startShop(t *testing.T, program, session string) (url string) {
	t.Helper()
	service := exec.CommandContext(context.Background(), program)
	service.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+session)
	return childtest.Start(t, service).First
}

// startMeter starts spell-lsp meter and waits until it serves.
func startMeter(t *testing.T, session string, args ...string) *child {
	t.Helper()
	meter := command(t, append([]string{"meter"}, args...)...)
	meter.Env = []string{"XDG_RUNTIME_DIR=" + session}
	start(t, meter)
	eventually(t, "the meter listens", func() bool {
		if !meter.running() {
			t.Fatalf("the meter ended: %s", meter.errout.String())
		}
		info, err := os.Lstat(socketIn(session))
		return err == nil && info.Mode().Perm() == 0o600
	})
	return meter
}

// socketIn is the socket in the folder of a session.
func socketIn(session string) string { return filepath.Join(session, "spell-lsp", "meter.sock") }

// stops checks that a signal ends the meter in order.
func (c *child) stops(t *testing.T, by os.Signal, session string) {
	t.Helper()
	c.signal(t, by)
	if code, said := c.finished(t); code != exitDone {
		t.Errorf("%v: it ended with %d: %s", by, code, said)
	}
	if _, err := os.Lstat(socketIn(session)); err == nil {
		t.Errorf("%v: the socket is left", by)
	}
}

func get(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

// An account is what the comments of a profile say of its energy.
type account struct{ machineJ, seconds, idleJ, busyS, processJ, cpuS float64 }

// joulesOf takes a profile of some seconds with samples of both kinds of requests, checks that its
// parts add up, and returns what its comments say.
func joulesOf(t *testing.T, url string, seconds int) (a account, p *profile.Profile, file string) {
	t.Helper()
	for {
		status, body := get(t, fmt.Sprintf("%senergy?seconds=%d", url, seconds))
		if status != http.StatusOK {
			t.Fatalf("%d: %s", status, body)
		}
		p, err := profile.ParseData(body)
		if err != nil {
			t.Fatal(err)
		}
		kinds, uJ := make(map[string]bool), 0.0
		for _, s := range p.Sample {
			uJ += float64(s.Value[2])
			for _, kind := range s.Label["request"] {
				kinds[kind] = true
			}
		}
		if !kinds["list"] || !kinds["sum"] {
			continue // one of them got no CPU time: the machine is busy
		}
		text := strings.Join(p.Comments, "\n")
		_, rest, _ := strings.Cut(text, "machine: ")
		_, err = fmt.Sscanf(rest, "%g J in %g s, of which idle %g J; CPU time of all processes %g s\nthis process: %g J for %g s",
			&a.machineJ, &a.seconds, &a.idleJ, &a.busyS, &a.processJ, &a.cpuS)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if math.Abs(uJ/1e6-a.processJ) > 1e-6*max(1, a.processJ) {
			t.Errorf("the samples have %g J, and the process %g J", uJ/1e6, a.processJ)
		}
		file = filepath.Join(t.TempDir(), "energy.pb.gz")
		if err := os.WriteFile(file, body, 0o600); err != nil {
			t.Fatal(err)
		}
		return a, p, file
	}
}

// The author of a service wants joules for each kind of request, and does not want to change its
// source for it.
func TestServiceServesEnergy(t *testing.T) {
	long(t)
	program, session := buildShop(t), shortFolder(t)
	url := startShop(t, program, session)
	if status, body := get(t, url+"energy?seconds=1"); status != http.StatusServiceUnavailable || !strings.Contains(string(body), "run `spell-lsp meter` on this machine") {
		t.Errorf("without a meter: %d: %s", status, body)
	}
	if _, page := get(t, url); !strings.Contains(string(page), "<a href='energy?debug=1'>energy</a>") {
		t.Errorf("the page of all profiles lacks it:\n%s", page)
	}

	t.Run("model", func(t *testing.T) {
		meter := startMeter(t, session, "--meter", "model")
		_, p, file := joulesOf(t, url, 1)
		if !slices.Contains(p.Comments, "energy: estimated, meter model; divided among samples by CPU time") {
			t.Errorf("an estimate is not called one: %q", p.Comments)
		}
		out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-top", "-tagfocus", "request=list", file).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Type: energy") || !strings.Contains(string(out), "sums.Sum") {
			t.Errorf("go tool pprof says (%v):\n%s", err, out)
		}
		meter.stops(t, syscall.SIGTERM, session)
	})

	// The truth of the simulated machine is 50 W.
	t.Run("simulated counter", func(t *testing.T) {
		sim, err := powercapsim.New(powercapsim.Params{Dir: t.TempDir(), Zones: []powercapsim.Zone{{Name: "package-0", Watts: 10}}})
		if err != nil {
			t.Fatal(err)
		}
		sim.Start(t.Context())
		defer sim.Stop()
		meter := startMeter(t, session, "--meter", "rapl", "--powercap-root", sim.Root())
		if err := sim.SetWatts("package-0", 50); err != nil {
			t.Fatal(err)
		}
		var a account
		var p *profile.Profile
		seconds := 1
		eventually(t, "the machine draws 50 W", func() bool { // a busy machine reads late, and counts some of the next moment
			a, p, _ = joulesOf(t, url, seconds)
			seconds = min(2*seconds, 30) // the longer, the less that matters
			return math.Abs(a.machineJ-50*a.seconds) < 0.02*50*a.seconds
		})
		if !slices.Contains(p.Comments, "the counters are those in "+sim.Root()+", not the system's") {
			t.Errorf("planted counters are not named: %q", p.Comments)
		}
		if want := (a.machineJ - a.idleJ) * a.cpuS / a.busyS; a.cpuS <= 0 || math.Abs(a.processJ-want) > 1e-6*want {
			t.Errorf("the service has %g J, want %g: %+v", a.processJ, want, a)
		}
		meter.stops(t, syscall.SIGHUP, session) // its terminal is closed
	})
}

// What go build says and how it ends is for scripts that call it.
func TestBuildEndsAsGoBuild(t *testing.T) {
	long(t)
	for args, want := range map[string]struct {
		code int
		said string
	}{
		"./nowhere":             {1, "nowhere"},
		"-nosuchflag":           {2, "flag provided but not defined: -nosuchflag"},
		"-overlay nowhere.json": {exitInput, "-overlay nowhere.json: reading the overlay"},
	} {
		code, said := start(t, command(t, append([]string{"build"}, strings.Fields(args)...)...)).finished(t)
		if code != want.code || !strings.Contains(said, want.said) {
			t.Errorf("build %s ended with %d: %s", args, code, said)
		}
	}
}
