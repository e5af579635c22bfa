package record_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// town has two packages, a type with two methods, and a block.
func town() *record.Run {
	r := park()
	r.Rounds = 2
	r.Tests = r.Tests[:2]
	shop := record.Component{ID: "example.com/park/shop.Sell", Kind: spell.KindFunction, Package: "example.com/park/shop", File: "shop/shop.go", Line: 3, EndLine: 9, Hash: "11"}
	r.Components = append(r.Components, shop)
	cells := []record.Cell{
		{T: 0, C: 2, N: 2, TimeMS: 30, EnergyJ: joules(3, 0.5), CumTimeMS: 33, CumEnergyJ: joules(4, 0.5)},
		{T: 0, C: 0, N: 5, TimeMS: 3, EnergyJ: joules(1, 0), CumTimeMS: 3, CumEnergyJ: joules(1, 0)},
		{T: 1, C: 0, N: 100, TimeMS: 1, EnergyJ: joules(0.25, 0), CumTimeMS: 1, CumEnergyJ: joules(0.25, 0)},
		{T: 1, C: 3, N: 1, TimeMS: 7, EnergyJ: joules(0.75, 0), CumTimeMS: 8, CumEnergyJ: joules(1, 0)},
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	for i, total := range []record.Component{{N: 105, TimeMS: 4, EnergyJ: joules(1.25, 0)}, {EnergyJ: joules(0, 0)}, {N: 2, TimeMS: 30, EnergyJ: joules(3, 0.5)}, {N: 1, TimeMS: 7, EnergyJ: joules(0.75, 0)}} {
		c := &r.Components[i]
		c.N, c.TimeMS, c.EnergyJ = total.N, total.TimeMS, total.EnergyJ
		c.RoundTimeMS = []float64{c.TimeMS - 1, c.TimeMS + 1}
		c.RoundEnergyJ, c.EnergyCI = map[spell.Domain][]float64{}, map[spell.Domain][2]float64{}
		for _, d := range r.Meter.Domains {
			c.RoundEnergyJ[d] = []float64{c.EnergyJ[d], c.EnergyJ[d]}
			c.EnergyCI[d] = [2]float64{c.EnergyJ[d] * 0.9, c.EnergyJ[d] * 1.1}
		}
		c.PsiCI, c.RankCI = [2]float64{0.1, 0.2}, [2]int{1, 2}
	}
	return r
}

// One measurement answers at every granularity: what a package used is what its
// functions used, in every test, and how well it is known follows from them.
func TestRegroupAddsUp(t *testing.T) {
	r := town()
	g, err := r.Regroup(spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Components) != 2 || g.Granularity != spell.KindPackage {
		t.Fatalf("%d components by %s, want 2 by package", len(g.Components), g.Granularity)
	}
	p := g.Components[0]
	if p.ID != "example.com/park" || p.N != 107 || p.TimeMS != 34 || p.CumTimeMS != 34 || !cmp.Equal(p.EnergyJ, joules(4.25, 0.5)) {
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
		record.Cell{T: 0, C: 0, N: 7, TimeMS: 33, EnergyJ: joules(4, 0.5)},
		record.Cell{T: 1, C: 0, N: 100, TimeMS: 1, EnergyJ: joules(0.25, 0)},
		record.Cell{T: 1, C: 1, N: 1, TimeMS: 7, EnergyJ: joules(0.75, 0)})
	if diff := cmp.Diff(want, g.Matrix); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
	g.Analyze(spell.Options{}, false)
	written(t, g)
}

// The run that was summed up is still needed: it is shown at another granularity
// next.
func TestRegroupLeavesTheRun(t *testing.T) {
	r, same := town(), town()
	for _, kind := range spell.Granularities() {
		g, err := r.Regroup(kind)
		if err != nil {
			t.Fatal(err)
		}
		if kind != spell.KindFunction {
			g.Analyze(spell.Options{}, false)
		}
	}
	if diff := cmp.Diff(same, r); diff != "" {
		t.Errorf("the run changed:\n%s", diff)
	}
}

// Blocks are a part of their function; how often a block ran is not how often
// the function did.
func TestRegroupBlocks(t *testing.T) {
	r := town()
	r.Granularity = spell.KindBlock
	loop := &r.Components[3]
	loop.ID, loop.Kind, loop.Package, loop.File = "example.com/park.(*Park).Sort#for1", spell.KindBlock, "example.com/park", "park.go"
	g, err := r.Regroup(spell.KindFunction)
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
	r := town()
	for i := range r.Components {
		r.Components[i].ID = strings.NewReplacer("(*Park).", "").Replace(r.Components[i].ID)
	}
	g, err := r.Regroup(spell.KindType)
	if err != nil || g.Granularity != spell.KindType || len(g.Components) != len(r.Components) {
		t.Errorf("%+v, %v", g, err)
	}
	if _, err := r.Regroup(spell.KindBlock); err == nil || !strings.Contains(err.Error(), "measure it with --block") {
		t.Errorf("blocks of a run without: %v", err)
	}
}

func TestRegroupErrors(t *testing.T) {
	byType := town()
	byType.Granularity = spell.KindType
	odd := town()
	odd.Components[0].Kind = spell.KindType
	nameless := town()
	for i := range nameless.Components {
		nameless.Components[i].Package, nameless.Components[i].File = "", ""
	}
	byFile := town()
	byFile.Granularity = spell.KindFile
	for i := range byFile.Components {
		byFile.Components[i].Kind, byFile.Components[i].Package = spell.KindFile, ""
	}
	for name, test := range map[string]struct {
		r    *record.Run
		kind spell.Kind
		want string
	}{
		"finer than what was measured": {byType, spell.KindFunction, "the run is by type, of which there are no sums by function: give a run by function"},
		"types are not within a file":  {byType, spell.KindFile, "the run is by type, of which there are no sums by file: give a run by function"},
		"one type is not":              {odd, spell.KindFile, "example.com/park.(*Park).Add is a type, whose methods may be in several files: give a run by function"},
		"packages are not known":       {nameless, spell.KindPackage, "the run is by function, and no component tells the package that it belongs to: give components their package, which is package in a JSON matrix or record"},
		"packages of files":            {byFile, spell.KindPackage, "the run is by file, and no component tells the package that it belongs to: give components their package"},
		"files are not known":          {nameless, spell.KindFile, "no component tells the file that it belongs to: give components their file, which is a file column in CSV, and file in a JSON matrix or record"},
		"types are not known":          {nameless, spell.KindType, "no component tells the type that it belongs to: give components names like example.com/park.(*Park).Sort and their package"},
	} {
		if _, err := test.r.Regroup(test.kind); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}

// What is by function as a whole may have parts that are not: these are summed up
// too. Where there are none, the run is as it was asked for, and loses nothing.
func TestRegroupMixedKinds(t *testing.T) {
	r := town()
	r.Components[3].Kind, r.Components[3].ID = spell.KindBlock, "example.com/park/shop.Sell#for1"
	g, err := r.Regroup(spell.KindFunction)
	if err != nil {
		t.Fatal(err)
	}
	if c := g.Components[3]; c.ID != "example.com/park/shop.Sell" || c.Kind != spell.KindFunction || c.TimeMS != 7 {
		t.Errorf("the function of a block is %+v", c)
	}
	r = town()
	if g, err := r.Regroup(spell.KindFunction); err != nil || g != r {
		t.Errorf("a run by function was made anew, %v", err)
	}
	r.Components[3].Kind, r.Components[3].ID = spell.KindPackage, "example.com/park/shop"
	if g, err := r.Regroup(spell.KindPackage); err != nil || len(g.Components) != 2 || g.Components[0].TimeMS != 34 {
		t.Errorf("a package beside functions: %v", err)
	}
	nothing := &record.Run{Granularity: spell.KindFunction}
	if g, err := nothing.Regroup(spell.KindPackage); err != nil || g.Granularity != spell.KindPackage {
		t.Errorf("a run of nothing: %v", err)
	}
}

// From the worst package a user goes on to what is in it, and names it shortly.
func TestWithin(t *testing.T) {
	r := town()
	for name, want := range map[string][]int{
		"example.com/park":      {0, 1, 2},
		"shop":                  {3},
		"park.go":               {0, 1, 2},
		"shop/shop.go":          {3},
		"Park":                  {0, 1, 2},
		"example.com/park.Park": {0, 1, 2},
	} {
		got, err := r.Within(name)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("within %s: %v, %v; want %v", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"example.com/parc":           `nothing is inside of "example.com/parc"; did you mean example.com/park?`,
		"nowhere/to/be/found":        `nothing is inside of "nowhere/to/be/found"`,
		"example.com/park/shop.Sell": `nothing is inside of`,
	} {
		if _, err := r.Within(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("within %s: %v, want %s", name, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	r := town()
	if i, err := r.Find("Park.Sort"); err != nil || i != 2 {
		t.Errorf("Park.Sort is %d, %v", i, err)
	}
	r.Components[3].ID = "example.com/shop.(*Park).Sort"
	if _, err := r.Find("Park.Sort"); err == nil || !strings.Contains(err.Error(), `"Park.Sort" alone: it is the end of example.com/park.(*Park).Sort and of example.com/shop.(*Park).Sort`) {
		t.Errorf("two of that end: %v", err)
	}
}

// With the values of callees, as the original tools had them, a caller comes
// before what it calls.
func TestAnalyzeInclusive(t *testing.T) {
	r := town()
	if _, err := r.AnalyzeInclusive(spell.Options{}, false); err != nil {
		t.Fatal(err)
	}
	c := &r.Components[0]
	// g = 4 x 2 x 33 of 4 x 2 x 33 + 1 x 5 x 3 + 0.25 x 100 x 1 + 1 x 1 x 8, up to dram's weight
	ef := func(cpu, dram float64) float64 { return 0.34*cpu + 0.01*dram }
	sort := ef(4, 0.5) * 2 * 33
	want := sort / (sort + ef(1, 0)*5*3 + ef(0.25, 0)*100 + ef(1, 0)*8)
	if !strings.HasSuffix(c.ID, "Sort") || math.Abs(c.Psi-want) > 1e-12 {
		t.Errorf("first is %s with psi %v, want Sort with %v", c.ID, c.Psi, want)
	}
	if c.PsiCI != [2]float64{} || !r.Analysis.Inclusive || !strings.HasPrefix(c.Explanation, "Counted with what it calls. ") {
		t.Errorf("interval %v, analysis %+v, explanation %q", c.PsiCI, r.Analysis, c.Explanation)
	}
	if c.TimeMS != 30 {
		t.Errorf("self time became %v", c.TimeMS)
	}
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"t"}, Components: []spell.Component{{ID: "f"}}}
	m.Add(spell.Cell{N: 2, TimeMS: 3}, 4)
	traced := record.FromMatrix(m, "")
	traced.SetCumulative([]float64{5}, []float64{6})
	if c := traced.Components[0]; c.CumTimeMS != 5 || c.CumEnergyJ[spell.CPU] != 6 || c.TimeMS != 3 || c.EnergyJ[spell.CPU] != 4 {
		t.Errorf("component of a trace is %+v", c)
	}
	without := park()
	if _, err := without.AnalyzeInclusive(spell.Options{}, false); err == nil {
		t.Error("a run without cumulative values was ranked by them")
	}
}

// Intervals belong to the psi that they were made for.
func TestOtherAnalysisHasNoIntervals(t *testing.T) {
	for name, test := range map[string]struct {
		o             spell.Options
		includeFailed bool
		kept          bool
	}{
		"the same":                    {spell.Options{}, false, true},
		"zones":                       {spell.Options{Zones: spell.ZoneRule{Red: 0.2}}, false, true},
		"oracle":                      {spell.Options{Oracle: spell.ProductOfSums}, false, false},
		"an unanalysed run otherwise": {spell.Options{Oracle: spell.ProductOfSums}, false, false},
		"weights":                     {spell.Options{Weights: spell.Weights{spell.CPU: 1}}, false, false},
		"failed tests":                {spell.Options{}, true, false},
		"tests, of which none failed": {spell.Options{}, true, true},
	} {
		r := town()
		if name != "an unanalysed run otherwise" { // whose intervals are those of the usual analysis
			r.Analyze(spell.Options{}, false)
		}
		if name == "failed tests" {
			r.Tests[1].Outcome = record.Fail
		}
		r.Analyze(test.o, test.includeFailed)
		if kept := r.Components[0].PsiCI != [2]float64{}; kept != test.kept {
			t.Errorf("other %s: interval kept %t", name, kept)
		}
	}
}
