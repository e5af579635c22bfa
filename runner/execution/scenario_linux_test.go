package execution

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/settings"
)

// actVariable makes a process of the test binary one of acts, with its arguments.
const actVariable = "SPELL_TEST_ACT"

// acts are programs and load commands. They tell each other what happened through pipes in their
// folder, never by time.
var acts = map[string]func(args []string) (code int){
	"exit": func(args []string) int {
		code, _ := strconv.Atoi(args[0])
		fmt.Println("about to end")
		return code
	},
	"forever": func(args []string) int {
		fmt.Println(strings.Join(args, " "))
		select {}
	},
	// serves HTTP at an address of its own, which it prints
	"serve": func([]string) int {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 1
		}
		fmt.Print("listening ")
		fmt.Printf("at http://%s/, ready\n", l.Addr())
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGUSR1)
		go http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		<-stop
		fmt.Println("stopped by USR1")
		return 9
	},
	"get": func(args []string) int {
		response, err := http.Get(args[0])
		if err != nil || response.StatusCode != http.StatusOK {
			fmt.Println(err)
			return 1
		}
		return 0
	},
	"deaf": func([]string) int {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("up")
		select {}
	},
	// ends when the load has come; with an argument it prints its number before
	"mortal": func(args []string) int {
		for _, name := range args {
			fmt.Println(name, os.Getpid())
		}
		fmt.Println("up")
		f, err := os.Open("pipe")
		if err == nil {
			_, err = io.ReadAll(f)
		}
		if err != nil {
			return 1
		}
		fmt.Println("the end")
		return 7
	},
	// fails when the program with that number has ended
	"client": func(args []string) int {
		if os.WriteFile("pipe", nil, 0) != nil {
			return 1
		}
		for {
			if stat, err := os.ReadFile("/proc/" + args[0] + "/stat"); err != nil || bytes.Contains(stat, []byte(") Z ")) {
				return 1 // its connection is gone
			}
		}
	},
	"reaper": func([]string) int {
		if os.WriteFile("pipe", nil, 0) != nil { // opens it and closes it
			return 1
		}
		select {}
	},
	// leaves a child, one of another session, and a daemon, whose numbers it prints
	"parent": func([]string) int {
		for _, script := range []string{"sleep 4999 & echo $!", "setsid sleep 4999 & echo $!", "(setsid sleep 4999 >/dev/null & echo $!) &"} {
			out, err := os.OpenFile("pids", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return 1
			}
			cmd := exec.Command("sh", "-c", script)
			cmd.Stdout = out
			if cmd.Run() != nil {
				return 1
			}
		}
		// The last writes when its shell has ended.
		for {
			if text, _ := os.ReadFile("pids"); bytes.Count(text, []byte("\n")) == 3 {
				return 0
			}
		}
	},
	"loud": func([]string) int {
		line := []byte(strings.Repeat("x", 1023) + "\n")
		for range 20 << 10 {
			if _, err := os.Stdout.Write(line); err != nil {
				return 1
			}
		}
		fmt.Println("ready at last")
		select {}
	},
	"silent": func([]string) int {
		os.Stdout.Close()
		os.Stderr.Close()
		return 0
	},
}

func init() {
	if os.Getenv(actVariable) != "" && !sampler.Called() {
		os.Exit(acts[os.Args[1]](os.Args[2:]))
	}
}

// A stage runs acts as programs.
type stage struct {
	t     *testing.T
	dir   string
	meter *Meter
	setup probe.Setup
	out   bytes.Buffer
}

func newStage(t *testing.T) *stage {
	m, err := OpenMeter("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	names, err := probe.NewNames(probe.Index{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close(); names.Close() })
	s := &stage{t: t, dir: t.TempDir(), meter: m, setup: probe.Setup{Components: 1, Names: names}}
	if err := syscall.Mkfifo(filepath.Join(s.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(actVariable, "1")
	return s
}

// play runs an act as a scenario. The acts have no probes: their counts are not looked at.
func (s *stage) play(ctx context.Context, sc scenario.Scenario, act ...string) (*Execution, *Course) {
	s.t.Helper()
	sc.Name, sc.Args = "main", act
	if sc.Stop == 0 {
		sc.Stop = syscall.SIGTERM
	}
	if sc.Load != nil {
		sc.Load = append([]string{os.Args[0]}, sc.Load...)
	}
	p := Program{Package: instrument.Package{Path: "example.com/m", Dir: s.dir}, file: os.Args[0]}
	for {
		s.out.Reset()
		o := ScenarioOptions{Dir: s.dir, Timeout: time.Hour, Setup: s.setup, Stdout: &s.out, Stderr: &s.out}
		e, c, err := s.meter.ExecuteScenario(ctx, p, &sc, o, attribution.NewModel(s.meter.Machine(), 1, false))
		if fault := (*MeterError)(nil); errors.As(err, &fault) && !s.meter.Ended() {
			continue // the sampler had to wait for a processor
		}
		if lost := (*LostError)(nil); err != nil && !errors.As(err, &lost) && ctx.Err() == nil {
			s.t.Fatal(err)
		}
		return e, c
	}
}

func ready(t *testing.T, text string) *scenario.Ready {
	t.Helper()
	s, err := scenario.Parse("main", settings.Scenario{Exec: ".", Ready: text})
	if err != nil {
		t.Fatal(err)
	}
	return s.Ready
}

func TestProgramsThatEnd(t *testing.T) {
	s := newStage(t)
	for _, test := range []struct {
		act    []string
		code   int
		status string
	}{{[]string{"exit", "0"}, 0, ""}, {[]string{"exit", "3"}, 3, "exit status 3"}, {[]string{"silent"}, 0, ""}} {
		e, c := s.play(t.Context(), scenario.Scenario{}, test.act...)
		if e.ExitCode != test.code || e.Status != test.status || *c != (Course{}) || len(e.Left) > 0 {
			t.Errorf("%v: ended with %d (%s), %+v, left %v", test.act, e.ExitCode, e.Status, c, e.Left)
		}
	}
}

// The measured time of a program that is never awaited begins at the instant from which its process
// may have lived. Were it taken earlier, a busy machine would put time between the two, and the
// program be refused, as its log begins before its process.
func TestProgramIsMeasuredFromItsStart(t *testing.T) {
	s := newStage(t)
	p, o := Program{file: os.Args[0]}, ScenarioOptions{Dir: s.dir, Setup: s.setup}
	counts, err := newCounting(p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer counts.close()
	cmd, c := scenarioCommand(t.Context(), p, &scenario.Scenario{Name: "main", Args: []string{"exit", "0"}}, o, counts)
	e, err := s.meter.follow(t.Context(), p, cmd, s.meter.newWatch(p, counts.file, nil, attribution.NewModel(s.meter.Machine(), 1, false)), c)
	if e == nil || int64(c.from.At) != e.Life.BeganNS {
		t.Fatalf("it is measured from %v, %+v, %v", c.from, e, err)
	}
}

// A service is loaded at the address that it prints, and stopped by its signal. However it ends
// then is right.
func TestServiceUnderLoad(t *testing.T) {
	s := newStage(t)
	e, c := s.play(t.Context(), scenario.Scenario{Ready: ready(t, "at (http.*), ready"), Load: []string{"get", "$1"}, Stop: syscall.SIGUSR1}, "serve")
	if c.Err != nil || !c.Stopped || c.Ignored || e.ExitCode != 9 || !strings.HasSuffix(s.out.String(), "stopped by USR1\n") {
		t.Errorf("%+v, exit code %d, it printed %q", c, e.ExitCode, s.out.String())
	}
}

// It is measured for a time, and the signal kills it, as it catches none.
func TestServiceForSomeTime(t *testing.T) {
	s := newStage(t)
	e, c := s.play(t.Context(), scenario.Scenario{For: time.Millisecond}, "forever", "up")
	if c.Err != nil || !c.Stopped || c.Ignored || e.ExitCode != 128+int(syscall.SIGTERM) || e.Status != "signal: terminated" {
		t.Errorf("%+v, exit code %d (%s)", c, e.ExitCode, e.Status)
	}
}

// What goes wrong is said with what was printed then, and nothing is left running.
func TestScenariosThatGoWrong(t *testing.T) {
	readyPatience = 100 * time.Millisecond
	t.Cleanup(func() { readyPatience = time.Minute })
	for _, test := range []struct {
		name string
		sc   scenario.Scenario
		act  []string
		want string
	}{
		{"never ready", scenario.Scenario{Ready: ready(t, "listening")}, []string{"forever"},
			"it was not ready after 100ms: it was to show a line that matches \"listening\"; it printed"},
		{"no port", scenario.Scenario{Ready: ready(t, "127.0.0.1:1")}, []string{"forever"}, "it was not ready after 100ms: it was to show 127.0.0.1:1: dial tcp 127.0.0.1:1: "},
		{"dies before it is ready", scenario.Scenario{Ready: ready(t, "listening")}, []string{"exit", "3"},
			"it ended before it was ready (a line that matches \"listening\"); it printed:\nabout to end"},
		{"dies under load", scenario.Scenario{Ready: ready(t, "up"), Load: []string{"reaper"}}, []string{"mortal"}, "it ended before its load did; it printed:\nup\nthe end"},
		{"dies under load, which fails for that", scenario.Scenario{Ready: ready(t, "process (.*)"), Load: []string{"client", "$1"}}, []string{"mortal", "process"}, "it ended before its load did; it printed:\nprocess "},
		{"load fails", scenario.Scenario{Ready: ready(t, "up"), Load: []string{"exit", "5"}}, []string{"forever", "up"}, "failed: exit status 5; it printed:\nabout to end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name != "never ready" && test.name != "no port" {
				readyPatience = time.Hour
			}
			defer func() { readyPatience = 100 * time.Millisecond }()
			e, c := newStage(t).play(t.Context(), test.sc, test.act...)
			if c.Err == nil || !strings.Contains(c.Err.What, test.want) {
				t.Errorf("the fault is %v, want %q", c.Err, test.want)
			}
			if e == nil || e.Life.EndedNS == 0 {
				t.Errorf("what was counted until then is lost: %+v", e)
			}
		})
	}
}

// The time limit is the program's: a busy machine may take longer until it runs.
func TestTimeLimitBeginsWithTheProgram(t *testing.T) {
	s := newStage(t)
	p := Program{Package: instrument.Package{Path: "example.com/m", Dir: s.dir}, file: os.Args[0]}
	sc := scenario.Scenario{Name: "main", Args: []string{"forever"}, Stop: syscall.SIGTERM}
	for {
		e, _, err := s.meter.ExecuteScenario(t.Context(), p, &sc, ScenarioOptions{Dir: s.dir, Timeout: 1, Setup: s.setup}, attribution.NewModel(s.meter.Machine(), 1, false))
		if fault := (*MeterError)(nil); errors.As(err, &fault) && !s.meter.Ended() {
			continue // the sampler had to wait for a processor
		}
		if e == nil || !e.TimedOut || e.Life.EndedNS == 0 {
			t.Errorf("the execution is %+v (%v), want one that was ended by its limit", e, err)
		}
		return
	}
}

func TestLoadNotFound(t *testing.T) {
	s := newStage(t)
	sc := scenario.Scenario{Ready: ready(t, "up"), Load: []string{"x"}}
	t.Setenv("PATH", s.dir)
	name := os.Args[0]
	os.Args[0] = "spell-no-such-command"
	defer func() { os.Args[0] = name }()
	p := Program{Package: instrument.Package{Path: "example.com/m", Dir: s.dir}, file: name}
	sc.Name, sc.Args, sc.Load, sc.Stop = "main", []string{"forever", "up"}, []string{"spell-no-such-command", "x"}, syscall.SIGTERM
	for {
		_, c, err := s.meter.ExecuteScenario(t.Context(), p, &sc, ScenarioOptions{Dir: s.dir, Timeout: time.Hour, Setup: s.setup}, attribution.NewModel(s.meter.Machine(), 1, false))
		if fault := (*MeterError)(nil); errors.As(err, &fault) && !s.meter.Ended() {
			continue
		}
		if c.Err == nil || !strings.Contains(c.Err.What, `the load command cannot be run: exec: "spell-no-such-command": executable file not found`) {
			t.Errorf("the fault is %v", c.Err)
		}
		return
	}
}

// A port that is taken would be answered by whoever has it: the program is not started.
func TestPortInUse(t *testing.T) {
	s := newStage(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	e, c := s.play(t.Context(), scenario.Scenario{Ready: &scenario.Ready{Address: l.Addr().String()}}, "forever", "up")
	want := fmt.Sprintf("something answers at %s before the program is started: end it, or let the program use another port", l.Addr())
	if e != nil || c == nil || c.Err == nil || c.Err.What != want || s.out.Len() > 0 {
		t.Errorf("%+v, %+v, it printed %q", e, c, s.out.String())
	}
}

// A redirect and an error of the client's are answers; an error of the server's is not.
func TestAnswers(t *testing.T) {
	for status, answered := range map[int]bool{200: true, 204: true, 302: true, 404: true, 500: false, 503: false} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
		}))
		if err := answers(t.Context(), &scenario.Ready{URL: "http://" + l.Addr().String()}); (err == nil) != answered {
			t.Errorf("status %d: %v", status, err)
		}
		l.Close()
	}
}

func TestStopIgnored(t *testing.T) {
	stopGrace = 50 * time.Millisecond
	t.Cleanup(func() { stopGrace = 10 * time.Second })
	e, c := newStage(t).play(t.Context(), scenario.Scenario{Ready: ready(t, "up"), For: time.Millisecond}, "deaf")
	if c.Err != nil || !c.Stopped || !c.Ignored || e.ExitCode != 128+int(syscall.SIGKILL) {
		t.Errorf("%+v, exit code %d", c, e.ExitCode)
	}
}

// A child of the group, one of another session, and a daemon that nothing leads to: none goes on,
// and each is named.
func TestProcessesLeft(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	s := newStage(t)
	e, c := s.play(t.Context(), scenario.Scenario{}, "parent")
	// Some may not yet be what they were to become, sleep.
	if c.Err != nil || e.ExitCode != 0 || len(e.Left) < 3 || slices.Contains(e.Left, "") {
		t.Errorf("%+v, exit code %d, left %v", c, e.ExitCode, e.Left)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "pids"))
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(text))
	if len(pids) < 3 {
		t.Fatalf("it started %v", pids)
	}
	for _, pid := range pids {
		for {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil || bytes.Contains(stat, []byte(") Z ")) {
				break
			}
		}
	}
}

// A program that prints much is neither kept waiting nor kept in memory; the line that says that
// it is ready is found behind all others.
func TestLoudProgram(t *testing.T) {
	s := newStage(t)
	e, c := s.play(t.Context(), scenario.Scenario{Ready: ready(t, "^ready at (.*)$"), For: time.Millisecond}, "loud")
	if c.Err != nil || !c.Stopped || s.out.Len() != 20<<20+len("ready at last\n") || len(e.Output) > 1<<20 {
		t.Errorf("%+v; %d bytes were passed on, %d kept", c, s.out.Len(), len(e.Output))
	}
}

// The context ends a service and its load.
func TestInterruptedScenario(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newStage(t)
	go func() {
		io.ReadAll(must(os.Open(filepath.Join(s.dir, "pipe")))) // the load has begun
		cancel()
	}()
	if e, _ := s.play(ctx, scenario.Scenario{Ready: ready(t, "up"), Load: []string{"reaper"}}, "forever", "up"); e != nil {
		t.Errorf("an execution that was interrupted counts: %+v", e)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A line counts when it has ended, as a group could be cut before; also in pieces and behind one
// that is longer than what is kept.
func TestLineFinder(t *testing.T) {
	for name, test := range map[string]struct {
		pieces []string
		want   []string
	}{
		"whole":              {[]string{"at :80\n"}, []string{"at :80", ":80"}},
		"in pieces":          {[]string{"a", "t :8", "080", "\nat :1\n"}, []string{"at :8080", ":8080"}},
		"not ended":          {[]string{"at :80"}, nil},
		"behind others":      {[]string{"x\ny\n\nat :80\nz"}, []string{"at :80", ":80"}},
		"behind a long one":  {[]string{strings.Repeat("x", 1<<20), "\nat :80\n"}, []string{"at :80", ":80"}},
		"in a long one":      {[]string{"at :80 " + strings.Repeat("x", 1<<20), "\n"}, []string{"at :80", ":80"}},
		"once":               {[]string{"at :80\n", "at :81\nat :82\n"}, []string{"at :80", ":80"}},
		"Windows line break": {[]string{"at :80\r\n"}, []string{"at :80", ":80"}},
	} {
		f := &lineFinder{expression: ready(t, `at (:\d+)`).Line, found: make(chan []string, 1)}
		for _, piece := range test.pieces {
			f.add([]byte(piece))
		}
		var got []string
		select {
		case got = <-f.found:
		default:
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: found %q, want %q", name, got, test.want)
		}
	}
}

// Of a load that would go on for ever nothing is left when the time is over, before the service is
// told to stop.
func TestLoadForSomeTime(t *testing.T) {
	s := newStage(t)
	e, c := s.play(t.Context(), scenario.Scenario{Ready: ready(t, "up"), Load: []string{"forever"}, For: time.Millisecond}, "forever", "up")
	if c.Err != nil || !c.Stopped || c.Ignored || len(e.Left) > 0 {
		t.Errorf("%+v, left %v", c, e.Left)
	}
}
