package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
)

// The simulated machine.
const (
	idleCPUW  = 8
	idleDRAMW = 2
	dramLoad  = 0.15 // fraction of the accounts' energy
	// rangeUJ makes counters wrap about every half second: often, but slowly enough
	// that a reader that is a tenth of a second late misses no wrap.
	rangeUJ = 20_000_000
)

var periods = map[string]powercapsim.Period{"broadwell": powercapsim.Broadwell, "icelake": powercapsim.IceLakeSP, "zen2": powercapsim.Zen2}

// A machine is a running simulated machine.
type machine struct {
	sim   *powercapsim.Sim
	split *split
	began time.Time
	cpu   time.Duration // CPU time of this process when the simulation began
}

// simFlags are the flags of the role "sim".
type simFlags struct {
	dir, period      string
	watts, dramWatts float64
	othersW          float64
	rangeUJ, seed    uint64
	untilEOF, asJSON bool
	ordinary         bool
	physics          string
	late             float64
	byCPU            bool
}

func (f *simFlags) parse(args []string) error {
	flags := flag.NewFlagSet("sim", flag.ContinueOnError)
	flags.StringVar(&f.dir, "dir", "", "`folder` for the tree; it is made. Default: a temporary one, which is removed at the end")
	flags.StringVar(&f.period, "period", "broadwell", "whose counters it has: broadwell, icelake or zen2")
	flags.Float64Var(&f.watts, "watts", idleCPUW, "power of the idle package")
	flags.Float64Var(&f.dramWatts, "dram-watts", idleDRAMW, "power of the idle memory")
	flags.Float64Var(&f.othersW, "others-watts", 0, "power of a processor that runs programs which do not burn")
	flags.Uint64Var(&f.rangeUJ, "range-uj", powercapsim.DefaultRangeUJ, "where the counters wrap, in µJ")
	flags.Uint64Var(&f.seed, "seed", 1, "of the update intervals")
	flags.BoolVar(&f.untilEOF, "until-eof", false, "end with standard input")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.BoolVar(&f.ordinary, "ordinary", false, "take no precedence over other processes")
	flags.StringVar(&f.physics, "physics", "", "what the machine makes of threads that run at the same time: siblings, turbo, warm, several joined by commas. Default: it adds them up")
	flags.BoolVar(&f.byCPU, "by-cpu", false, "let programs book by processor too, for a meter of single cores")
	flags.Float64Var(&f.late, "late", 0, "the share of the energy that counters show about 2 ms late")
	if err := parse(flags, args); err != nil {
		return err
	}
	if _, err := physicsOf(f.physics); err != nil {
		return harness.UsageError{Err: err}
	}
	if _, ok := periods[f.period]; !ok {
		return harness.UsageError{Err: fmt.Errorf("-period %q is not known: there are broadwell, icelake and zen2", f.period)}
	}
	return nil
}

// simulate runs a simulated machine until it is interrupted. Programs with package
// burn find it by an environment variable. Lines of standard input control it:
//
//	fault ZONE FAULT  makes a counter fail; FAULT is a powercapsim.Fault: frozen, EIO, ...
//	watts ZONE WATTS  changes the idle power of a zone
//	truth             prints the energy used until now
func simulate(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	var f simFlags
	if err := f.parse(args); err != nil {
		return err
	}
	if f.dir == "" {
		if f.dir, err = os.MkdirTemp("", "spell-lsp-sim-*"); err != nil {
			return fmt.Errorf("making a folder: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(f.dir)) }()
	} else if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	m, err := f.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.sim.Stop()) }()
	if f.asJSON {
		_, err = fmt.Fprintln(out, "{}") // tells the parent that the machine is ready
	} else {
		_, err = fmt.Fprintf(out, "The tree stands.\n  spell-lsp measure --meter rapl --powercap-root %s\n  %s=%s for programs that burn\nInterrupt (Ctrl-C) ends it.\n",
			m.sim.Root(), burn.Variable, accountsIn(f.dir))
	}
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		m.obey(in, out)
		if f.untilEOF {
			cancel()
		}
	}()
	<-ctx.Done()
	truth := m.truth()
	if f.asJSON {
		return json.NewEncoder(out).Encode(truth)
	}
	return truth.write(out)
}

// lateBy is the time constant of counters that are late.
const lateBy = 2 * time.Millisecond

// physicsOf reads the flag of that name.
func physicsOf(names string) (all burn.Physics, err error) {
	if names == "" {
		return 0, nil
	}
	known := map[string]burn.Physics{"siblings": burn.Siblings, "turbo": burn.Turbo, "warm": burn.Warm}
	for _, name := range strings.Split(names, ",") {
		p, ok := known[name]
		if !ok {
			return 0, fmt.Errorf("-physics %q is not known: there are siblings, turbo and warm", name)
		}
		all |= p
	}
	return all, nil
}

func accountsIn(dir string) string { return filepath.Join(dir, "accounts") }

func (f *simFlags) start(ctx context.Context) (*machine, error) {
	// The garbage collector would stop all threads, and there is almost no garbage.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(1 << 28)
	m := &machine{split: &split{}, began: time.Now(), cpu: ownCPU()}
	physics, err := physicsOf(f.physics)
	if err != nil {
		return nil, err
	}
	m.sim, err = powercapsim.New(powercapsim.Params{
		Dir: f.dir, Period: periods[f.period], Seed: f.seed, Accounts: accountsIn(f.dir), RealTime: !f.ordinary,
		Physics: physics, Late: f.late, LateBy: lateBy, ByCPU: f.byCPU, OthersWatts: f.othersW,
		Observe: func() { m.split.update(m.sim.Accounts()) },
		Zones: []powercapsim.Zone{
			{Name: "package-0", Watts: f.watts, Load: 1, RangeUJ: f.rangeUJ},
			{Name: "dram", Parent: "package-0", Watts: f.dramWatts, Load: dramLoad, RangeUJ: f.rangeUJ},
		},
	})
	if err != nil {
		return nil, err
	}
	if _, err := m.sim.Accounts().Register(os.Getpid(), burn.UnbookedWatts); err != nil {
		return nil, err
	}
	m.sim.Start(ctx)
	return m, nil
}

// obey executes the lines of in until it ends.
func (m *machine) obey(in io.Reader, out io.Writer) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if err := m.command(lines.Text(), out); err != nil {
			fmt.Fprintln(os.Stderr, "accuracy sim:", err)
		}
	}
}

func (m *machine) command(line string, out io.Writer) error {
	words := strings.Fields(line)
	switch {
	case len(words) == 0:
		return nil
	case words[0] == "truth" && len(words) == 1:
		return m.truth().write(out)
	case words[0] == "fault" && len(words) > 2:
		return m.sim.Fault(words[1], powercapsim.Fault(strings.Join(words[2:], " ")))
	case words[0] == "watts" && len(words) == 3:
		watts, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			return fmt.Errorf("%q is no power in watts", words[2])
		}
		return m.sim.SetWatts(words[1], watts)
	}
	return fmt.Errorf("%q is not understood: there are fault ZONE WHAT, watts ZONE WATTS, and truth", line)
}

// A truth is the exact energy and time that was used on a simulated machine.
type truth struct {
	Joules    map[string]float64   `json:"joules"`    // by zone, since the start
	UnbookedJ float64              `json:"unbooked"`  // energy of running time outside of functions
	Functions map[int]functionUsed `json:"functions"` // by number
	Test      testUsed             `json:"test"`      // number 0
	Late      powercapsim.Lateness `json:"late"`
	CPU       float64              `json:"cpu"` // fraction of a processor that the simulation itself used
}

// functionUsed is the truth of a function, and the results of two other methods.
type functionUsed struct {
	Calls           uint64
	Joules, Seconds float64
	// BracketJ is the increase of the package's counter between entry and exit, and
	// BracketSeconds the elapsed time.
	BracketJ, BracketSeconds float64
	SplitJ                   float64 // equal split of each update's energy
}

// testUsed is the sum over all runs of a test of what all accounts gained meanwhile.
type testUsed struct {
	Runs            int
	Joules, Seconds float64
}

func (m *machine) truth() *truth {
	a, shares := m.sim.Accounts(), m.split.joules()
	t := &truth{
		Joules: m.sim.Truth(powercapsim.Now()), UnbookedJ: float64(a.UnbookedPJ.Load()) / 1e12, Functions: make(map[int]functionUsed), Late: m.sim.Lateness(),
		CPU: float64(ownCPU()-m.cpu) / float64(time.Since(m.began)),
	}
	for i := range a.Functions {
		if f := &a.Functions[i]; f.Calls.Load() > 0 || f.BracketNS.Load() > 0 {
			t.Functions[i] = functionUsed{
				f.Calls.Load(), float64(f.PJ.Load()) / 1e12, float64(f.NS.Load()) / 1e9,
				float64(f.BracketUJ.Load()) / 1e6, float64(f.BracketNS.Load()) / 1e9, shares[i],
			}
		}
	}
	test := &a.Tests[0]
	t.Test = testUsed{int(test.Runs.Load()), float64(test.PJ.Load()) / 1e12, float64(test.NS.Load()) / 1e9}
	return t
}

func (t *truth) write(w io.Writer) error {
	var b strings.Builder
	for _, zone := range sortedKeys(t.Joules) {
		fmt.Fprintf(&b, "%-16s %12.6f J\n", zone, t.Joules[zone])
	}
	for _, i := range sortedKeys(t.Functions) {
		f := t.Functions[i]
		fmt.Fprintf(&b, "function %-7d %12.6f J, %d calls, %.6f s\n", i, f.Joules, f.Calls, f.Seconds)
	}
	fmt.Fprintf(&b, "no function      %12.6f J\n%s\n", t.UnbookedJ, t.punctuality())
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *truth) punctuality() string {
	schedule := t.Late.Schedule
	if schedule == "" {
		schedule = "scheduled as every program"
	}
	return fmt.Sprintf("%d updates, late by p50 %v, p99 %v, at most %v (%s); simulating took %.1f %% of a processor",
		t.Late.Updates, t.Late.P50, t.Late.P99, t.Late.Max, schedule, 100*t.CPU)
}
