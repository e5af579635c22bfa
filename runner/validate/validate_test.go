package validate

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spell-lsp/internal/childtest"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/runner/childbuild"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/validation"
)

// If the first argument is simulator, the test binary is a simulated machine.
const simulator = "powercap-simulator"

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	if childbuild.Called() {
		os.Exit(childbuild.Main())
	}
	if len(os.Args) > 2 && os.Args[1] == simulator {
		simulate(os.Args[2])
		return
	}
	// Programs that tests start: with the race detector each would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// A liar is a simulated machine whose counter may show something else than the truth.
type liar struct {
	Dir     string
	Lie     string // see factor
	Times   float64
	Psys    bool // it has the counter of the whole machine, too, which draws as much and does not lie
	RangeUJ uint64
	Period  powercapsim.Period
}

func (l liar) accounts() string { return filepath.Join(l.Dir, "accounts") }

// Accounts of a workload: its number, and more by the kind of test.
const (
	kinds   = 10
	isMixed = 1
)

// factor is how the counter shows the energy of the time since it was last asked.
func (l liar) factor(a *burn.Accounts, seen *uint64) float64 {
	var mixed uint64
	for i := range validation.Workloads {
		mixed += a.Functions[kinds*isMixed+i].PJ.Load()
	}
	now := mixed > *seen
	*seen = mixed
	switch {
	case l.Lie == "always", l.Lie == "once mixed" && mixed > 0, l.Lie == "while mixed" && now:
		return l.Times
	}
	return 1
}

// simulate runs the machine until standard input ends. A true machine that nobody sees tells the other
// one what to show.
func simulate(text string) {
	debug.SetGCPercent(-1) // the collector would stop the counter
	var l liar
	fatal(json.Unmarshal([]byte(text), &l))
	truth, err := powercapsim.New(powercapsim.Params{Dir: filepath.Join(l.Dir, "hidden"), Accounts: l.accounts(), Zones: []powercapsim.Zone{{Name: "package-0", Watts: idleW, Load: 1}}})
	fatal(err)
	var last, shown float64
	var seen uint64
	joules := func(time.Duration) float64 {
		now := truth.Truth(powercapsim.Now())["package-0"]
		shown += l.factor(truth.Accounts(), &seen) * max(0, now-last)
		last = max(last, now)
		return shown
	}
	zones := []powercapsim.Zone{{Name: "package-0", Joules: joules, RangeUJ: l.RangeUJ}}
	if l.Psys {
		zones = append(zones, powercapsim.Zone{Name: "psys", Joules: func(time.Duration) float64 { return last }}) // package-0 was asked just before
	}
	sim, err := powercapsim.New(powercapsim.Params{Dir: l.Dir, Seed: 1, RealTime: true, Period: l.Period, Zones: zones})
	fatal(err)
	sim.Start(context.Background())
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	fatal(sim.Stop())
}

func fatal(err error) {
	if err != nil {
		panic(err)
	}
}

const idleW = 8.0

// watts are what the workloads draw on simulated machines.
var watts = []float64{20, 14, 25, 9, 17, 0}

// kernels writes workloads that draw that, to stand in place of the real ones.
func kernels(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := powercapsim.WriteBurn(filepath.Join(dir, "burn")); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("package workloads\n\nimport (\n\t\"runtime\"\n\t\"time\"\n\n\t\"" + powercapsim.BurnModule + "\"\n)\n\nfunc Prepare() error { return nil }\n")
	for i, w := range validation.Workloads {
		// On a thread of its own all of its time is booked, also what a busy machine stretches.
		body := fmt.Sprintf("runtime.LockOSThread(); defer runtime.UnlockOSThread(); burn.OnOwnThread(%d*kind+%d, %g, time.Duration(n)*time.Millisecond)", kinds, i, watts[i])
		if w.Name == validation.Waiting {
			body = "time.Sleep(time.Duration(n) * time.Millisecond)"
		}
		fmt.Fprintf(&b, "\n//go:noinline\nfunc %s(n int) { %s }\n", w.Name, body)
	}
	for name, text := range map[string]string{
		"go.mod":     "module " + validation.Module + "\n\ngo 1.26\n\nrequire " + powercapsim.BurnModule + " v0.0.0\n\nreplace " + powercapsim.BurnModule + " => " + filepath.Join(dir, "burn") + "\n",
		"kernels.go": b.String(),
		"begin.go":   "package workloads\n\nconst (\n\talone = iota\n\tmixed\n\tconcurrent\n)\n\nvar kind int\n\nfunc begin(k int) { kind = k }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// anyLoad has the bars of the command, but that the machine of the tests may be busy: what its other
// programs use is in no simulated counter, but makes short rounds differ, and
// intervals wide.
func anyLoad() validation.Bars {
	bars := validation.DefaultBars
	bars.Others, bars.Unsteady, bars.Interval = 1, 1, 1
	return bars
}

// quiet has tests run that only a quiet machine can pass: they compare figures of single seconds.
var quiet = flag.Bool("quiet", false, "run what takes minutes and a quiet machine")

func onlyQuiet(t *testing.T) {
	t.Helper()
	if !*quiet {
		t.Skip("it takes minutes on a quiet machine: make soak-validate runs it")
	}
}

// on validates on a simulated machine.
func on(t *testing.T, l liar, p Params) (*validation.Result, *burn.Accounts) {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures")
	}
	l.Dir = t.TempDir()
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	childtest.Start(t, exec.CommandContext(t.Context(), os.Args[0], simulator, string(text)))
	t.Setenv(burn.Variable, l.accounts())
	accounts, err := burn.Open(l.accounts())
	if err != nil {
		t.Fatal(err)
	}
	p.Meter, p.Meters, p.Seed, p.Workloads = "rapl", meter.Options{PowercapRoot: powercapsim.Root(l.Dir)}, 7, kernels(t)
	r, err := Validate(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := r.WriteText(&page, false); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + page.String())
	return r, accounts
}

// Why: a proof that finds other errors than there are proves nothing. The simulator knows what each
// workload drew in the mixed tests; the validation knows only the counter. The counter wraps each 0.3 s,
// which is no lie.
func TestErrorsAreThoseOfTheTruth(t *testing.T) {
	onlyQuiet(t)
	r, accounts := on(t, liar{RangeUJ: 5_000_000}, Params{Bars: anyLoad(), For: 80 * time.Second})
	if r.Verdict != validation.Validated {
		t.Errorf("verdict %q, want validated", r.Verdict)
	}
	for i, w := range r.Workloads {
		if w.Name == validation.Waiting {
			continue
		}
		a := &accounts.Functions[kinds*isMixed+i]
		drew := float64(a.PJ.Load()) / 1e12 / float64(a.Calls.Load()) // by call: rounds that were measured again are in the accounts, too
		truth := w.Mixed.AttributedJ/(w.Mixed.Calls*drew) - 1
		found, known := w.Mixed.Error.Value, w.AloneW.Half/w.AloneW.Value
		t.Logf("%s: the validation finds an error of %.2f %%, the truth is %.2f %%; the reference is known to %.2f %%", w.Name, 100*found, 100*truth, 100*known)
		if math.Abs(found-truth) > (0.01+known)*(1+r.Others) { // other programs of the real machine blur what is found
			t.Errorf("%s: the validation finds an error of %.1f %%, the truth is %.1f %%", w.Name, 100*found, 100*truth)
		}
		if off := w.AloneW.Value/watts[i] - 1; math.Abs(off) > 0.05 {
			t.Errorf("%s draws %g W, the reference is %g W", w.Name, watts[i], w.AloneW.Value)
		}
	}
}

// Why: what can be known of a counter without a second source is whether it contradicts itself. A factor
// that always holds is seen by a counter that covers more.
func TestLyingCounters(t *testing.T) {
	for _, tt := range []struct {
		name string
		liar liar
		want validation.Verdict
		why  string
	}{
		{"shows a fifth more once mixed workloads run", liar{Lie: "once mixed", Times: 1.2}, validation.Contradictory, "counter contradicts itself"},
		{"shows a fifth more while mixed workloads run", liar{Lie: "while mixed", Times: 1.2}, validation.Contradictory, "In total, the counter gained"},
		{"stands still once mixed workloads run", liar{Lie: "once mixed", Times: 0}, validation.Frozen, "stood still"},
		{"always shows a fifth more beside the whole machine", liar{Lie: "always", Times: 1.2, Psys: true}, validation.Contradictory, "psys, which covers the whole machine, gained"},
		{"is filled by a host", liar{Period: powercapsim.Period{P1: time.Second, P50: time.Second, P99: time.Second}}, validation.Shared, "share of the host's energy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want != validation.Shared {
				onlyQuiet(t)
			}
			r, _ := on(t, tt.liar, Params{Bars: anyLoad(), For: 30 * time.Second, blocks: 1})
			if r.Verdict != tt.want || !strings.Contains(r.Why, tt.why) {
				t.Errorf("verdict %q: %s; want %q: ... %s", r.Verdict, r.Why, tt.want, tt.why)
			}
			if r.Verdict.Figures() != (len(r.Workloads) > 0) {
				t.Errorf("verdict %q has %d workloads", r.Verdict, len(r.Workloads))
			}
		})
	}
}

// Why: who builds a kernel often gives it a name of their own, which is nobody's business.
func TestKernelWithoutNames(t *testing.T) {
	for release, want := range map[string]string{"6.18.44": "6.18.44", "6.8.0-45-generic\n": "6.8.0", "5.15.0.ada": "5.15.0", "ada": "", "": ""} {
		if got := numbers(release); got != want {
			t.Errorf("kernel %q is %q, want %q", release, got, want)
		}
	}
}

// Why: the governor and the hypervisor decide about figures, and must be in the file.
func TestMachine(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"proc/sys/kernel/osrelease":   "6.8.0-45-ada\n",
		"proc/cpuinfo":                "flags\t\t: fpu hypervisor\n",
		"sys/class/dmi/id/sys_vendor": "QEMU\n",
		"sys/devices/system/cpu/cpufreq/policy0/scaling_governor": "performance\n",
		"sys/devices/system/cpu/cpufreq/policy1/scaling_governor": "powersave\n",
		"sys/devices/system/cpu/cpufreq/policy2/scaling_governor": "performance\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := machine(Params{Meters: meter.Options{ProcRoot: filepath.Join(dir, "proc"), SysRoot: filepath.Join(dir, "sys")}})
	if m.Kernel != "6.8.0" || m.Governor != "performance+powersave" || !m.Virtual || m.Hypervisor != "QEMU" {
		t.Errorf("%+v, want kernel 6.8.0 and both governors of a machine of QEMU", m)
	}
}

// Why: the counter has the energy of all processes, so figures of a busy machine would be wrong.
func TestBusyMachine(t *testing.T) {
	var ended atomic.Bool
	defer ended.Store(true)
	go func() {
		for !ended.Load() {
			continue // the load is the purpose
		}
	}()
	r, _ := on(t, liar{}, Params{For: 30 * time.Second, blocks: 1})
	if r.Verdict != validation.Busy || r.Others <= validation.DefaultBars.OthersLimit(r.Machine.Cores) || r.Workloads != nil || r.Mixed != nil {
		t.Errorf("%+v, want a busy machine and no figures", r)
	}
}
