package instrument

import (
	"regexp"
	"strconv"
	"testing"

	"spell-lsp/instrument/probe"
)

// measureArchive runs the tests of an archive with probes and adds up what each
// component did in each test. The CPU time of a component, in ns, is what the
// program says that its thread's clock says.
func measureArchive(t *testing.T, archive string) (counts map[string]map[string]probe.Count, cpu map[string]float64) {
	t.Helper()
	b := prepare(t, Params{Dir: unpack(t, archive)})
	probed, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers})
	// Of the timed probes all is known, and of that of a hot function what is in its own
	// code: some ns, but not as much as a timed one takes.
	if log.FrameNS <= 0 || log.FrameNS > log.InnerNS || log.OuterNS <= 0 {
		t.Errorf("a probe adds %g ns to its function, %g ns to the caller and %g ns to the code of a hot one", log.InnerNS, log.OuterNS, log.FrameNS)
	}
	counts, cpu = make(map[string]map[string]probe.Count), make(map[string]float64)
	for _, w := range log.Windows {
		if counts[w.Test] == nil {
			counts[w.Test] = make(map[string]probe.Count)
		}
		for row, c := range w.Counts {
			if row > 0 && row <= len(b.Components) {
				counts[w.Test][b.Components[row-1].ID[len("example.com/time."):]] = c
			}
		}
	}
	for _, m := range regexp.MustCompile(`CPU (\S+) (\d+)`).FindAllStringSubmatch(probed.Output, -1) {
		cpu[m[1]] = must(strconv.ParseFloat(m[2], 64))
	}
	return counts, cpu
}

func TestTimeIsTheFunctionsOwn(t *testing.T) {
	counts, cpu := measureArchive(t, "testdata/time.txtar")
	const wait = 200e6 // ns, as in the archive
	for _, name := range []string{"Sleeps", "Waits", "Locks", "Reads"} {
		c := counts["TestWaiting"][name]
		if c.N != 1 || c.SelfNS > wait/20 || c.WallNS < wait*9/10 {
			t.Errorf("%s ran %d times for %d ns within %d ns: want once, hardly at all, within %g ns", name, c.N, c.SelfNS, c.WallNS, wait)
		}
	}
	if c := counts["TestKernel"]["Works"]; !near(c.SelfNS, cpu["Works"]) {
		t.Errorf("Works ran for %d ns, its thread for %g ns: what the kernel does for it is its own time", c.SelfNS, cpu["Works"])
	}
	calls, spin := counts["TestSpinning"]["Calls"], counts["TestSpinning"]["Spin"]
	if calls.SelfNS > wait/20 || !near(spin.SelfNS, cpu["Calls"]) || !near(calls.CumNS, cpu["Calls"]) {
		t.Errorf("Calls ran %d ns itself and %d ns with Spin, which ran %d ns itself: the %g ns belong to Spin", calls.SelfNS, calls.CumNS, spin.SelfNS, cpu["Calls"])
	}
	recurses := counts["TestRecursion"]["Recurses"]
	if recurses.N != 5 || !near(recurses.CumNS, cpu["Recurses"]) || recurses.WallNS < recurses.CumNS {
		t.Errorf("Recurses has %+v: want 5 calls whose time counts once, %g ns", recurses, cpu["Recurses"])
	}
	checkSampled(t, counts, cpu)
}

// near allows for what runs beside a function on its thread.
func near(ns uint64, cpu float64) bool {
	return float64(ns) > cpu*0.9 && float64(ns) < cpu*1.1
}

// checkSampled holds what samples say of functions that are counted only
// against the CPU clock. There are few samples, so it is not held to it closely.
func checkSampled(t *testing.T, counts map[string]map[string]probe.Count, cpu map[string]float64) {
	t.Helper()
	if c := counts["TestWaiting"]["Dozes"]; c.N != 1 || c.Timed != 0 || c.KeptNS+c.GainedNS+c.BelowNS > 50e6 {
		t.Errorf("Dozes has %+v: want one call that was counted only, and hardly a sample of it", c)
	}
	if c := counts["TestPassing"]["Passes"]; c.N != 1 || c.Timed != 0 || float64(c.BelowNS) < cpu["Passes"]/2 || float64(c.KeptNS+c.GainedNS) > cpu["Passes"]/4 {
		t.Errorf("Passes has %+v: want one call that was counted only, with samples below it of some %g ns", c, cpu["Passes"])
	}
	steps, step := counts["TestSteps"]["Steps"], counts["TestSteps"]["step"]
	if step.N == 0 || step.N%100_000 != 0 || step.Timed != 0 || float64(step.GainedNS) < cpu["Steps"]/4 || steps.LostNS < step.GainedNS {
		t.Errorf("step has %+v and Steps %+v: much of the %g ns of Steps is in the inlined step", step, steps, cpu["Steps"])
	}
}
