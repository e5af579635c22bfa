package runner

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/instrument/probe"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/internal/recording"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/sampler"
)

var remake = flag.String("record", "", "make the recording of this name anew, in attribution/testdata")

// burning has functions of 5 and 25 W that alternate each millisecond, and one that waits.
var burning = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n\nrequire " + powercapsim.BurnModule + " v0.0.0\n\nreplace " + powercapsim.BurnModule + " => ./burn\n",
	"m.go": `package m

import (
	"time"

	"` + powercapsim.BurnModule + `"
)

//go:noinline
func Cheap() { burn.CPU(0, 5, 900*time.Microsecond) }

//go:noinline
func Dear() { burn.CPU(1, 25, 700*time.Microsecond) }

//go:noinline
func Wait() { time.Sleep(300 * time.Microsecond) }
`,
	"m_test.go": `package m

import "testing"

func TestBoth(t *testing.T) {
	for range 250 {
		Cheap()
		Dear()
		Wait()
	}
}

func TestCheap(t *testing.T) {
	for range 250 {
		Cheap()
	}
}
`,
}

// relatives is a test that computes at 5 W while its child, which is the test program again,
// alternates each millisecond between functions of 5 and 25 W.
var relatives = map[string]string{
	"go.mod": burning["go.mod"],
	"m.go":   burning["m.go"],
	"m_test.go": `package m

import (
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("HELPER") == "" {
		os.Exit(m.Run())
	}
	for range 250 {
		Cheap()
		Dear()
		Wait()
	}
}

func TestChild(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HELPER=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		Cheap()
		Wait()
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestCheap(t *testing.T) {
	for range 250 {
		Cheap()
	}
}
`,
}

// recordings are the measurements that tests replay with package recording. Other processes of the
// real machine are left out, because the simulated counters do not include them.
//
// Recordings have to be made again when the inputs of attribution change:
//
//	go test ./runner -run TestRecord -record idle
var recordings = map[string]struct {
	files    map[string]string
	machine  powercapsim.Params
	rounds   int
	prepare  func(t *testing.T)
	accounts []string // names of the functions in the accounts
}{
	"idle": {files: spinning, rounds: 1, machine: powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 30, RangeUJ: 1_000_000_000}}}},
	"wraps": {files: spinning, rounds: 1, machine: powercapsim.Params{Zones: []powercapsim.Zone{
		{Name: "package-0", Watts: 30, RangeUJ: 20_000_000}, {Name: "dram", Parent: "package-0", Watts: 4, RangeUJ: 4_000_000},
	}}},
	"child": {files: parent, rounds: 1, accounts: []string{"child"}, machine: powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 8, Load: 1}}},
		prepare: func(t *testing.T) { childrenOfParent(t, 1, os.Args[0], burner, "400") }},
	"relatives": {files: relatives, rounds: 4, accounts: []string{"Cheap", "Dear"}, machine: powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 8, Load: 1}}}},
	"powers": {files: burning, rounds: 4, accounts: []string{"Cheap", "Dear"}, machine: powercapsim.Params{Zones: []powercapsim.Zone{
		{Name: "package-0", Watts: 8, Load: 1}, {Name: "dram", Parent: "package-0", Watts: 1, Load: 0.1},
	}}},
}

func TestRecord(t *testing.T) {
	recipe, known := recordings[*remake]
	if !known {
		return // no recording is to be made
	}
	machine := recipe.machine
	if recipe.accounts != nil {
		machine.Accounts = filepath.Join(t.TempDir(), "accounts")
		t.Setenv("ACCOUNTS", machine.Accounts)
	}
	root := simulate(t, machine)
	if recipe.prepare != nil {
		recipe.prepare(t)
	}
	dir := module(t, recipe.files)
	if err := powercapsim.WriteBurn(filepath.Join(dir, "burn")); err != nil {
		t.Fatal(err)
	}
	p := Params{Dir: dir, Meter: "rapl", Rounds: recipe.rounds}
	p.Meters.PowercapRoot = root
	m := prepare(t, p).measurement
	var err error
	r := &recording.Recording{Machine: m.machine}
	for _, c := range m.build.Components {
		r.Components = append(r.Components, c.ID)
	}
	if r.Rest, _, err = m.meter.Rest(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Rest.OthersLoad = 0
	s, err := sampler.Open(p.Meter, p.Meters)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m.setUp.Ticks = s.File()
	for range recipe.rounds {
		r.Executions = append(r.Executions, recordOne(t, m, s, machine.Accounts))
		m.learn(&r.Executions[len(r.Executions)-1].Log, 1e9)
	}
	if recipe.accounts != nil {
		accounts, err := burn.Open(machine.Accounts)
		if err != nil {
			t.Fatal(err)
		}
		r.TruthJ = make(map[string]float64)
		for i, name := range recipe.accounts {
			r.TruthJ[name] = float64(accounts.Functions[i].PJ.Load()) / 1e12
		}
	}
	if err := r.Save(filepath.Join("attribution", "testdata", *remake+".json.gz")); err != nil {
		t.Fatal(err)
	}
}

// recordOne executes the program of the measurement once.
func recordOne(t *testing.T, m *measurement, s *sampler.Sampler, accounts string) recording.Execution {
	t.Helper()
	file, err := probe.Create(m.setUp)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	variable, inherited := file.ForProgram(3)
	program := filepath.Join(m.scratch, "bin0", execution.ProgramName("example.com/m"))
	cmd := exec.CommandContext(t.Context(), program, "-test.paniconexit0", "-test.parallel=1")
	cmd.Dir, cmd.ExtraFiles, cmd.Env = m.Dir, inherited, append(os.Environ(), variable, burn.Variable+"="+accounts)
	s.Skip()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	family := children.New(pid)
	defer family.Close()
	var e recording.Execution
	see := func(all, apart int64) { e.Descendants = append(e.Descendants, [3]int64{monotonicNow(), all, apart}) }
	see(0, 0)
	if err := s.Watch(pid); err != nil {
		t.Fatal(err)
	}
	var readings []attribution.Reading
	var records []probe.Occupied
	take := func(ended bool) {
		list, err := s.Take()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			cpu := int64(0)
			if n := len(readings); n > 0 {
				cpu = readings[n-1].CPUNS
			}
			if r.PID == pid {
				cpu = r.CPUNS
			}
			readings = append(readings, attribution.Reading{
				Number: r.Number, PublishedNS: r.PublishedNS, UpdatedNS: r.UpdatedNS,
				CPUNS: cpu, BusyNS: r.BusyNS, OwnNS: r.OwnNS, Faulty: r.Faulty, Joules: r.Joules,
			})
		}
		if lost := file.Occupancy(ended, func(o probe.Occupied) { records = append(records, o) }); lost > 0 {
			t.Fatalf("%d records were lost", lost)
		}
		e.Takes = append(e.Takes, [2]int{len(readings), len(records)})
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	}()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-time.After(20 * time.Millisecond):
			if all, apart, ok := family.Poll(); ok {
				see(all, apart)
			}
			take(false)
		}
	}
	end := monotonicNow()
	see(family.Finish())
	for readings[len(readings)-1].PublishedNS < end {
		take(false)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := s.Watch(0); err != nil {
		t.Fatal(err)
	}
	take(true)
	log, err := file.Read()
	if err != nil {
		t.Fatal(err)
	}
	log.Calls = nil
	leaveOutOthers(readings, e.Descendants)
	e.Log, e.Readings, e.Records = *log, recording.Pack(readings), recording.PackRecords(records)
	e.Hot = append(e.Hot, m.setUp.Hot...)
	t.Logf("%d readings, %d records, tests %s", len(readings), len(records), strings.Join(testNames(log), " "))
	return e
}

// leaveOutOthers sets the CPU time of the whole machine to that of the program, its descendants and
// the sampler.
func leaveOutOthers(readings []attribution.Reading, descendants [][3]int64) {
	for i := range readings {
		r := &readings[i]
		busy := r.CPUNS + r.OwnNS
		for _, d := range descendants {
			if d[0] <= r.PublishedNS {
				busy = r.CPUNS + r.OwnNS + d[1]
			}
		}
		r.BusyNS = busy - busy%10_000_000 // as in /proc/stat
	}
}

func testNames(log *probe.Log) (list []string) {
	for _, w := range log.Windows {
		list = append(list, w.Test)
	}
	return list
}

func monotonicNow() int64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}
