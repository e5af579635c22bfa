package grouping_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/record/validity"
)

// One measurement answers at every granularity: what a package used is what its
// functions used, in every test, and how well it is known follows from them.
func TestRegroupAddsUp(t *testing.T) {
	r := recordtest.Town()
	g, err := grouping.Regroup(r, spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Components) != 2 || g.Granularity != spell.KindPackage {
		t.Fatalf("%d components by %s, want 2 by package", len(g.Components), g.Granularity)
	}
	p := g.Components[0]
	if p.ID != "example.com/park" || p.N != 107 || p.TimeMS != 34 || p.CumTimeMS != 34 || !cmp.Equal(p.EnergyJ, recordtest.Joules(4.25, 0.5)) {
		t.Errorf("package is %+v", p)
	}
	if diff := cmp.Diff([]float64{31, 37}, p.RoundTimeMS); diff != "" {
		t.Errorf("time by round (-want +got):\n%s", diff)
	}
	half := math.Hypot(0.125, 0.3) // errors of the two powers, apart
	if ci := p.EnergyCI[spell.CPU]; math.Abs(ci[0]-(4.25-half)) > 1e-9 || math.Abs(ci[1]-(4.25+half)) > 1e-9 {
		t.Errorf("interval of the energy is %v, want 4.25 ± %v", ci, half)
	}
	if p.PsiCI != [2]float64{} || p.RankCI != [2]int{} {
		t.Error("intervals of psi and rank are those of a member")
	}
	if p.BelowResolution {
		t.Error("a sum of resolved members is below resolution")
	}
	want := record.MatrixOf(r.Meter.Domains,
		record.Cell{T: 0, C: 0, N: 7, TimeMS: 33, EnergyJ: recordtest.Joules(4, 0.5)},
		record.Cell{T: 1, C: 0, N: 100, TimeMS: 1, EnergyJ: recordtest.Joules(0.25, 0)},
		record.Cell{T: 1, C: 1, N: 1, TimeMS: 7, EnergyJ: recordtest.Joules(0.75, 0)})
	if diff := cmp.Diff(want, g.Matrix); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
	ranking.Analyze(g, spell.Options{}, false)
	written(t, g)
}

// The run that was summed up is still needed: it is shown at another granularity
// next.
func TestRegroupLeavesTheRun(t *testing.T) {
	r, same := recordtest.Town(), recordtest.Town()
	for _, kind := range spell.Granularities() {
		g, err := grouping.Regroup(r, kind)
		if err != nil {
			t.Fatal(err)
		}
		if kind != spell.KindFunction {
			ranking.Analyze(g, spell.Options{}, false)
		}
	}
	if diff := cmp.Diff(same, r); diff != "" {
		t.Errorf("the run changed:\n%s", diff)
	}
}

// Blocks are a part of their function; how often a block ran is not how often
// the function did.
func TestRegroupBlocks(t *testing.T) {
	r := recordtest.Town()
	r.Granularity = spell.KindBlock
	loop := &r.Components[3]
	loop.ID, loop.Kind, loop.Package, loop.File = "example.com/park.(*Park).Sort#for1", spell.KindBlock, "example.com/park", "park.go"
	g, err := grouping.Regroup(r, spell.KindFunction)
	if err != nil {
		t.Fatal(err)
	}
	sort := g.Components[slices.IndexFunc(g.Components, func(c record.Component) bool { return strings.HasSuffix(c.ID, "Sort") })]
	if sort.N != 2 || sort.TimeMS != 37 || sort.Line != 14 {
		t.Errorf("Sort with its loop is %+v, want 2 executions, 37 ms, in line 14", sort)
	}
}

// A user who gets no sums must learn what to add to the file, not to do what was
// done already.
// Functions without a receiver are of no type: by type they stay what they are.
func TestRegroupWithoutMethods(t *testing.T) {
	r := recordtest.Town()
	for i := range r.Components {
		r.Components[i].ID = strings.NewReplacer("(*Park).", "").Replace(r.Components[i].ID)
	}
	g, err := grouping.Regroup(r, spell.KindType)
	if err != nil || g.Granularity != spell.KindType || len(g.Components) != len(r.Components) {
		t.Errorf("%+v, %v", g, err)
	}
	if _, err := grouping.Regroup(r, spell.KindBlock); err == nil || !strings.Contains(err.Error(), "measure it with --block") {
		t.Errorf("blocks of a run without: %v", err)
	}
}

func TestRegroupErrors(t *testing.T) {
	byType := recordtest.Town()
	byType.Granularity = spell.KindType
	odd := recordtest.Town()
	odd.Components[0].Kind = spell.KindType
	nameless := recordtest.Town()
	for i := range nameless.Components {
		nameless.Components[i].Package, nameless.Components[i].File = "", ""
	}
	byFile := recordtest.Town()
	byFile.Granularity = spell.KindFile
	for i := range byFile.Components {
		byFile.Components[i].Kind, byFile.Components[i].Package = spell.KindFile, ""
	}
	for name, test := range map[string]struct {
		r    *record.Run
		kind spell.Kind
		want string
	}{
		"finer than what was measured": {byType, spell.KindFunction, "the run is by type, which cannot be summed up by function: give a run by function"},
		"types are not within a file":  {byType, spell.KindFile, "the run is by type, which cannot be summed up by file: give a run by function"},
		"one type is not":              {odd, spell.KindFile, "example.com/park.(*Park).Add is a type, whose methods may be in several files: give a run by function"},
		"packages are not known":       {nameless, spell.KindPackage, "the run is by function, and no component tells the package that it belongs to: give components their package, which is package in a JSON matrix or record"},
		"packages of files":            {byFile, spell.KindPackage, "the run is by file, and no component tells the package that it belongs to: give components their package"},
		"files are not known":          {nameless, spell.KindFile, "no component tells the file that it belongs to: give components their file, which is a file column in CSV, and file in a JSON matrix or record"},
		"types are not known":          {nameless, spell.KindType, "no component tells the type that it belongs to: give components names like example.com/park.(*Park).Sort and their package"},
	} {
		if _, err := grouping.Regroup(test.r, test.kind); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}

// What is by function as a whole may have parts that are not: these are summed up
// too. Where there are none, the run is as it was asked for, and loses nothing.
func TestRegroupMixedKinds(t *testing.T) {
	r := recordtest.Town()
	r.Components[3].Kind, r.Components[3].ID = spell.KindBlock, "example.com/park/shop.Sell#for1"
	g, err := grouping.Regroup(r, spell.KindFunction)
	if err != nil {
		t.Fatal(err)
	}
	if c := g.Components[3]; c.ID != "example.com/park/shop.Sell" || c.Kind != spell.KindFunction || c.TimeMS != 7 {
		t.Errorf("the function of a block is %+v", c)
	}
	r = recordtest.Town()
	if g, err := grouping.Regroup(r, spell.KindFunction); err != nil || g != r {
		t.Errorf("a run by function was made anew, %v", err)
	}
	r.Components[3].Kind, r.Components[3].ID = spell.KindPackage, "example.com/park/shop"
	if g, err := grouping.Regroup(r, spell.KindPackage); err != nil || len(g.Components) != 2 || g.Components[0].TimeMS != 34 {
		t.Errorf("a package beside functions: %v", err)
	}
	nothing := &record.Run{Granularity: spell.KindFunction}
	if g, err := grouping.Regroup(nothing, spell.KindPackage); err != nil || g.Granularity != spell.KindPackage {
		t.Errorf("a run of nothing: %v", err)
	}
}

// From the worst package a user goes on to what is in it, and names it shortly.
func TestWithin(t *testing.T) {
	r := recordtest.Town()
	for name, want := range map[string][]int{
		"example.com/park":      {0, 1, 2},
		"shop":                  {3},
		"park.go":               {0, 1, 2},
		"shop/shop.go":          {3},
		"Park":                  {0, 1, 2},
		"example.com/park.Park": {0, 1, 2},
	} {
		got, err := grouping.Within(r, name)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("within %s: %v, %v; want %v", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"example.com/parc":           `nothing is inside of "example.com/parc"; did you mean example.com/park?`,
		"nowhere/to/be/found":        `nothing is inside of "nowhere/to/be/found"`,
		"example.com/park/shop.Sell": `nothing is known of the inside of`,
	} {
		if _, err := grouping.Within(r, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("within %s: %v, want %s", name, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	r := recordtest.Town()
	if i, err := grouping.Find(r, "Park.Sort"); err != nil || i != 2 {
		t.Errorf("Park.Sort is %d, %v", i, err)
	}
	r.Components[3].ID = "example.com/shop.(*Park).Sort"
	if _, err := grouping.Find(r, "Park.Sort"); err == nil || !strings.Contains(err.Error(), `"Park.Sort" alone: it is the end of example.com/park.(*Park).Sort and of example.com/shop.(*Park).Sort`) {
		t.Errorf("two of that end: %v", err)
	}
}

func written(t testing.TB, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := recordjson.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A package spends time in what its functions called: what several of them called is one
// callee, and what is left of the list are the largest.
// A package allocates, and makes the collector do, what its functions do.
func TestAllocationsOfAGroup(t *testing.T) {
	r := recordtest.Town()
	for i, bytes := range map[int]float64{0: 1000, 2: 500} {
		c := &r.Components[i]
		c.AllocBytes, c.AllocObjects, c.CausedMS, c.CausedJ = bytes, bytes/100, bytes/1000, recordtest.Joules(bytes/4000, 0)
	}
	g, err := grouping.Regroup(r, spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	got := g.Components[slices.IndexFunc(g.Components, func(c record.Component) bool { return c.ID == "example.com/park" })]
	if got.AllocBytes != 1500 || got.AllocObjects != 15 || got.CausedMS != 1.5 || !cmp.Equal(got.CausedJ, recordtest.Joules(0.375, 0)) {
		t.Errorf("the package allocates %g bytes in %g objects, and causes %g ms and %v of collecting, want the sums", got.AllocBytes, got.AllocObjects, got.CausedMS, got.CausedJ)
	}
	if err := validity.Run(g); err != nil {
		t.Error(err)
	}
}

func TestCalleesOfAGroup(t *testing.T) {
	r := recordtest.Town()
	callee := func(name string, ms, cpu float64) record.Callee {
		return record.Callee{Name: name, Package: name, Kind: spell.StandardCallee, TimeMS: ms, EnergyJ: recordtest.Joules(cpu, 0)}
	}
	r.Components[0].Callees = []record.Callee{callee("a", 2, 0.5), callee("b", 1, 0.25), callee("little", 0.01, 0.001)}
	r.Components[2].Callees = []record.Callee{callee("c", 12, 1), callee("b", 8, 0.5), callee("d", 5, 0.25), callee("e", 3, 0.125), callee("f", 1, 0.0625)}
	g, err := grouping.Regroup(r, spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	got := g.Components[slices.IndexFunc(g.Components, func(c record.Component) bool { return c.ID == "example.com/park" })]
	want := []record.Callee{callee("c", 12, 1), callee("b", 9, 0.75), callee("d", 5, 0.25), callee("e", 3, 0.125), callee("a", 2, 0.5)}
	if diff := cmp.Diff(want, got.Callees); diff != "" {
		t.Errorf("callees of the package (-want +got):\n%s", diff)
	}
	if err := validity.Run(g); err != nil {
		t.Error(err)
	}
}

// The arguments of the functions of a package have nothing in common: no calls by size are those of the package.
func TestSizesOfAGroup(t *testing.T) {
	r := recordtest.Complete()
	for _, kind := range []spell.Kind{spell.KindPackage, spell.KindFile, spell.KindType} {
		g, err := grouping.Regroup(r, kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range g.Components {
			if c.Kind != spell.KindFunction && c.SizedCalls != nil {
				t.Errorf("by %s, %s has calls by size: %v", kind, c.ID, c.SizedCalls)
			}
		}
	}
}
