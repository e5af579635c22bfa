package instrument

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"spell-lsp/instrument/probe"
)

// allocDistance is the mean number of bytes between two samples of allocations, which each stand for
// so many: spellAllocDistance in the runtime.
const allocDistance = 128 << 10

// See the archive: what functions allocated is what they say, within the error of the samples. Were
// these independent, an amount of n samples would have a standard deviation of their root; a sixth
// part of a millionth lies beyond five of these. Distances that are never longer than twice the mean
// make it smaller.
func TestAllocationsBelongToFunctions(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/alloc.txtar")})
	if b.Fallback != "" {
		t.Fatal(b.Fallback)
	}
	for _, args := range [][]string{nil, {"-test.memprofile=" + t.TempDir() + "/heap"}} {
		plain, probed, log := b.run(t, b.Tests[0], args...)
		if plain.Output != probed.Output {
			t.Errorf("with %v, the program without probes says\n%s\nand with them\n%s", args, plain.Output, probed.Output)
		}
		checkAllocations(t, probed.Output, b.Build, log)
	}
}

func checkAllocations(t *testing.T, output string, b *Build, log *probe.Log) {
	t.Helper()
	type cell struct{ test, component string }
	got := make(map[cell]probe.Count)
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			if row > 0 && row <= len(b.Components) {
				in := cell{w.Test, b.Components[row-1].ID}
				got[in] = got[in].Plus(c)
			}
		}
	}
	test, checked := "", make(map[cell]bool)
	for _, m := range regexp.MustCompile(`(?m)=== RUN +(\S+)|ALLOCATED (-?\d+) (-?\d+) (\S+)`).FindAllStringSubmatch(output, -1) {
		if m[1] != "" {
			test = m[1]
			continue
		}
		bytes, objects := float64(must(strconv.Atoi(m[2]))), float64(must(strconv.Atoi(m[3])))
		at := cell{test, m[4]}
		checked[at] = true
		c := got[at]
		if bytes < 0 {
			if c.AllocBytes == 0 || c.AllocObjects == 0 {
				t.Errorf("%s: %s allocated nothing", test, at.component)
			}
			continue
		}
		most := 5 * math.Sqrt(bytes*allocDistance)
		if off := float64(c.AllocBytes) - bytes; math.Abs(off) > most {
			t.Errorf("%s: %s allocated %d bytes by samples, in truth %.0f, want it within %.0f", test, at.component, c.AllocBytes, bytes, most)
		}
		if off := float64(c.AllocObjects) - objects; math.Abs(off) > most*objects/max(1, bytes) {
			t.Errorf("%s: %s allocated %d objects by samples, in truth %.0f", test, at.component, c.AllocObjects, objects)
		}
	}
	for at, c := range got {
		if c.AllocBytes > 8*allocDistance && !checked[at] {
			t.Errorf("%s: %s has %d bytes, and allocated none", at.test, at.component, c.AllocBytes)
		}
	}
	if len(checked) < 3 {
		t.Errorf("only %d amounts were compared", len(checked))
	}
}

// See the archive.
func TestAllocationsBelowC(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/alloccgo.txtar")})
	if b.Fallback != "" {
		t.Fatal(b.Fallback)
	}
	probed, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers})
	checkAllocations(t, probed.Output, b.Build, log)
}
