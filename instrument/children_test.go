package instrument

import (
	"regexp"
	"strconv"
	"testing"

	"spell-lsp/instrument/probe"
)

// grind is the function in which children compute.
const grind = "example.com/children/work.Grind"

// The functions of a child that has probes count as those of the test's own program: the calls
// exactly, and the time within 5 % of what the kernel says that their thread used. This holds for
// programs that a test builds, runs from source or from a file, for the test program itself, for
// several children at a time and for ones that are killed; whether the test starts them, or a
// shell does. Nothing is counted of a program of another module, also where it is built with
// the same overlay.
func TestChildren(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/children.txtar")})
	t.Setenv("CHILD_FLAGS", "-overlay="+b.Overlay)
	probed, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers})
	if probed.Status != "exit status 0" {
		t.Fatalf("%s:\n%s", probed.Status, probed.Output)
	}
	checkCounts(t, probed.Output, b.Build, log)
	checkEnds(t, probed.Output, log)
	if log.Uncounted {
		t.Error("not all processors were counted")
	}
	used := usedIn(probed.Output)
	for _, w := range log.Windows {
		var ns float64
		for row, c := range w.Counts {
			if row > 0 && row <= len(b.Components) && b.Components[row-1].ID == grind {
				ns += float64(c.SelfNS-c.LostNS) + float64(c.GainedNS)
			}
		}
		switch want, all := used[w.Test][0], used[w.Test][1]; {
		case w.Test == "TestMany": // children that use little besides their start
		case w.Test == "TestOther":
			if w.ChildrenNS > 0 {
				t.Errorf("%s: children with probes ran for %.1f ms, there was none", w.Test, w.ChildrenNS/1e6)
			}
		case ns < 0.95*want || ns > 1.05*want:
			t.Errorf("%s: %s ran for %.1f ms, its threads used %.1f ms", w.Test, grind, ns/1e6, want/1e6)
		case w.ChildrenNS < ns || w.ChildrenNS > 1.05*all:
			t.Errorf("%s: children with probes ran for %.1f ms, of which %.1f ms in %s; the kernel says that they used %.1f ms", w.Test, w.ChildrenNS/1e6, ns/1e6, grind, all/1e6)
		}
	}
	if want := 11; len(log.Windows) != want {
		t.Errorf("%d tests ran, want %d", len(log.Windows), want)
	}
}

// usedIn is the CPU time in ns that children of each test say they used: the threads that compute, and
// all threads.
func usedIn(output string) map[string][2]float64 {
	used, test := make(map[string][2]float64), ""
	for _, m := range regexp.MustCompile(`(?m)^=== RUN +(\S+)|^USED (\d+) (\d+)$`).FindAllStringSubmatch(output, -1) {
		if m[1] != "" {
			test = m[1]
			continue
		}
		sum := used[test]
		for i := range sum {
			sum[i] += 1e3 * must(strconv.ParseFloat(m[2+i], 64))
		}
		used[test] = sum
	}
	return used
}
