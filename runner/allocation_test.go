package runner

import (
	"math"
	"testing"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
)

// allocating returns a module of which one function allocates three quarters of the bytes, one the
// rest, and one nothing.
func allocating() map[string]string {
	return map[string]string{
		"m.go": `package m

type List struct {
	Next *List
	Data [23]int
}

//go:noinline
func Much() *List { return &List{Next: &List{Next: &List{}}} }

//go:noinline
func Little() *List { return &List{} }

//go:noinline
func None(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}
`,
		"m_test.go": `package m

import "testing"

func TestAllocates(t *testing.T) {
	var kept [1000]*List // so that there is something to mark
	for i := range 300_000 {
		kept[i%len(kept)] = Much()
		kept[(i+1)%len(kept)] = Little()
	}
	None(1000)
}
`,
	}
}

// Who allocates causes the collector's work. With n samples, of which each is of Much with a
// probability of 3/4, the share that was found has a standard deviation of sqrt(3/4 * 1/4 / n).
func TestComponentsCauseCollecting(t *testing.T) {
	p := prepare(t, Params{Dir: module(t, allocating()), Run: ".", Meter: "none", Rounds: 1})
	run, err := p.measure(t, func(*measurement) {})
	if err != nil {
		t.Fatal(err)
	}
	component := func(name string) *record.Component {
		i, err := grouping.Find(run, name)
		if err != nil {
			t.Fatal(err)
		}
		return &run.Components[i]
	}
	much, little, none, test := component("Much"), component("Little"), component("None"), &run.Tests[0]
	const slot, sampled = 192, 128 << 10 // bytes
	const all = 4 * 300_000 * slot
	deviation := math.Sqrt(0.75 * 0.25 * sampled / all)
	if got := much.AllocBytes / (much.AllocBytes + little.AllocBytes); math.Abs(got-0.75) > 5*deviation {
		t.Errorf("Much allocates %.4f of the bytes, want 0.75 within %.4f", got, 5*deviation)
	}
	if got := test.AllocBytes / all; math.Abs(got-1) > 5*math.Sqrt(sampled/float64(all)) {
		t.Errorf("the test allocates %.4f times as much as it does", got)
	}
	if got := much.AllocObjects / much.AllocBytes * slot; math.Abs(got-1) > 0.01 {
		t.Errorf("%.0f bytes of Much are %.0f objects", much.AllocBytes, much.AllocObjects)
	}
	if none.AllocBytes != 0 || none.CausedMS != 0 || none.CausedJ != nil {
		t.Errorf("None allocates %g bytes, and causes %g ms of collecting", none.AllocBytes, none.CausedMS)
	}
	collector := test.Unattributed[record.Collector].TimeMS
	if collector == 0 {
		t.Fatal("nothing was collected")
	}
	// In one execution, all have the same time of collecting for a byte.
	if got, want := much.CausedMS+little.CausedMS, collector*(much.AllocBytes+little.AllocBytes)/test.AllocBytes; math.Abs(got-want) > 1e-6*want {
		t.Errorf("components cause %g ms of collecting, by their bytes %g of the collector's %g", got, want, collector)
	}
	if got := much.CausedMS / (much.CausedMS + little.CausedMS); math.Abs(got-0.75) > 5*deviation {
		t.Errorf("Much causes %.4f of collecting, want 0.75 within %.4f", got, 5*deviation)
	}
	if a, ok := run.Allocations().Of(much); !ok || math.Abs(a.Share-0.75) > 0.05 || a.MS != much.CausedMS {
		t.Errorf("the part of Much is %+v, %v", a, ok)
	}
}
