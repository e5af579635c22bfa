package alternatives_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"spell-lsp/spell/alternatives"
)

// bySize is a run of benchmarks in which slice costs n, map 40 whatever n is, and array as much as map.
func bySize(sizes ...int) map[string][]float64 {
	rows := make(map[string][]float64)
	for _, n := range sizes {
		m, name := newMachine(uint64(n), 10), "/n="+strconv.Itoa(n)
		rows["BenchmarkSet/impl=slice"+name] = m.rounds(float64(n))
		rows["BenchmarkSet/impl=map"+name] = m.rounds(40)
	}
	return rows
}

// Why: the answer that a developer needs is "slice below 40, map above".
func TestCrossing(t *testing.T) {
	g := compare(t, newRun(10, bySize(1000, 8, 16, 32, 64)), alternatives.Options{}).Groups[0]
	if len(g.Crossings) != 1 {
		t.Fatalf("the crossings are %+v, want one", g.Crossings)
	}
	c := g.Crossings[0]
	if !slices.Equal(c.From, []string{"slice"}) || !slices.Equal(c.To, []string{"map"}) || c.Low != 32 || c.High != 64 {
		t.Errorf("the crossing is %+v, want from slice to map between 32 and 64", c)
	}
	if c.At == nil || math.Abs(*c.At-40) > 4 {
		t.Errorf("they meet at %v, want about 40", c.At)
	}
}

// A size at which both are tied is between the two that are sure.
func TestCrossingAroundATie(t *testing.T) {
	c := compare(t, newRun(10, bySize(10, 40, 160)), alternatives.Options{}).Groups[0].Crossings
	if len(c) != 1 || c[0].Low != 10 || c[0].High != 160 || c[0].At == nil || math.Abs(*c[0].At-40) > 4 {
		t.Fatalf("the crossings are %+v, want one between 10 and 160, at about 40", c)
	}
}

// Two that are tied for all sizes do not cross, and neither hides the crossing with a third.
func TestCrossingOfTied(t *testing.T) {
	rows := bySize(10, 160)
	for _, n := range []string{"10", "160"} {
		array := slices.Clone(rows["BenchmarkSet/impl=map/n="+n])
		slices.Reverse(array[:2])
		rows["BenchmarkSet/impl=array/n="+n] = array
	}
	c := compare(t, newRun(10, rows), alternatives.Options{}).Groups[0].Crossings
	if len(c) != 1 || !slices.Equal(c[0].To, []string{"array", "map"}) && !slices.Equal(c[0].To, []string{"map", "array"}) {
		t.Fatalf("the crossings are %+v, want one from slice to map and array", c)
	}
	rows = bySize(10, 20)
	if c := compare(t, newRun(10, rows), alternatives.Options{}).Groups[0].Crossings; len(c) != 0 {
		t.Errorf("the crossings are %+v, want none", c)
	}
}

// Why: what is tied with the best right above the crossing and falls behind later is no advice for large sizes.
func TestCrossingToWhatStaysBest(t *testing.T) {
	rows := bySize(10, 160, 1000)
	for n, cost := range map[int]float64{10: 80, 160: 40, 1000: 400} {
		rows["BenchmarkSet/impl=array/n="+strconv.Itoa(n)] = newMachine(uint64(n), 10).rounds(cost)
	}
	g := compare(t, newRun(10, rows), alternatives.Options{}).Groups[0]
	if len(g.Sizes[1].Best) != 2 || len(g.Crossings) != 1 || !slices.Equal(g.Crossings[0].To, []string{"map"}) {
		t.Errorf("best are %v, then crossing %+v; want two at 160, and map after the crossing", g.Sizes[1].Best, g.Crossings)
	}
}

// The logarithm of size 0 is no number: there is a range, and no point.
func TestCrossingFromZero(t *testing.T) {
	rows := bySize(160)
	m := newMachine(5, 10)
	rows["BenchmarkSet/impl=slice/n=0"], rows["BenchmarkSet/impl=map/n=0"] = m.rounds(1), m.rounds(40)
	c := compare(t, newRun(10, rows), alternatives.Options{}).Groups[0].Crossings
	if len(c) != 1 || c[0].Low != 0 || c[0].High != 160 || c[0].At != nil {
		t.Errorf("the crossings are %+v, want one between 0 and 160, without a point", c)
	}
}
