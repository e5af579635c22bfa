package instrument

import (
	"testing"

	"spell-lsp/instrument/probe"
)

// measureArchive runs the tests of an archive with probes and adds up what each
// component did in each test.
func measureArchive(t *testing.T, archive string) map[string]map[string]probe.Count {
	t.Helper()
	_, _, b, log := probed(t, archive)
	counts := make(map[string]map[string]probe.Count)
	for _, w := range log.Windows {
		if counts[w.Test] == nil {
			counts[w.Test] = make(map[string]probe.Count)
		}
		for row, c := range w.Counts {
			if row > 0 {
				counts[w.Test][b.Components[row-1].ID[len("example.com/time."):]] = c
			}
		}
	}
	return counts
}

func TestTimeIsTheFunctionsOwn(t *testing.T) {
	counts := measureArchive(t, "testdata/time.txtar")
	const wait = 200e6 // ns, as in the archive
	// The machine may be busy: what a function waited is told from what it ran
	// by a factor of at least four.
	for _, name := range []string{"Sleeps", "Waits", "Locks", "Reads"} {
		c := counts["TestWaiting"][name]
		if c.N != 1 || c.SelfNS > wait/4 || c.WallNS < wait*9/10 {
			t.Errorf("%s ran %d times for %d ns within %d ns: want once, hardly at all, within %g ns", name, c.N, c.SelfNS, c.WallNS, wait)
		}
	}
	if c := counts["TestKernel"]["Works"]; c.SelfNS < c.WallNS/2 {
		t.Errorf("Works ran for %d ns of %d ns: what the kernel does for it is its own time", c.SelfNS, c.WallNS)
	}
	calls, spin := counts["TestSpinning"]["Calls"], counts["TestSpinning"]["Spin"]
	if calls.SelfNS > wait/4 || spin.SelfNS < wait/2 || spin.SelfNS > spin.WallNS {
		t.Errorf("Calls ran %d ns itself and Spin %d ns: the time belongs to Spin", calls.SelfNS, spin.SelfNS)
	}
	if calls.CumNS < spin.SelfNS {
		t.Errorf("Calls has a cumulative time of %d ns, less than the %d ns of what it called", calls.CumNS, spin.SelfNS)
	}
	recurses := counts["TestRecursion"]["Recurses"]
	if recurses.N != 5 || recurses.WallNS < wait*9/10 || recurses.CumNS > recurses.WallNS {
		t.Errorf("Recurses has %+v: want 5 calls whose time counts once, about %g ns", recurses, wait)
	}
}
