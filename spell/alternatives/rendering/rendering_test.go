package rendering_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/alternatives/rendering"
	"spell-lsp/spell/record"
)

// benchmark is a row of ten rounds with this mean in mJ. A joule takes a second.
func benchmark(name string, millijoules float64) record.Test {
	return benchmarkOf("example.com/m", name, millijoules)
}

func benchmarkOf(pkg, name string, millijoules float64) record.Test {
	t := record.Test{
		Name: pkg + ".Benchmark" + name, Package: pkg, Outcome: record.Pass, Rounds: 10, PerOperation: true, Repeats: 1000,
		EnergyJ: record.Energy{spell.CPU: millijoules / 1000}, TimeMS: millijoules,
	}
	for round := range 10 {
		ms := millijoules * (1 + (float64(round)-4.5)/100)
		t.RoundTimeMS = append(t.RoundTimeMS, ms)
		t.RoundEnergyJ = recordtest.ByRound(append(t.RoundEnergyJ[spell.CPU], ms/1000))
	}
	return t
}

func newRun(tests ...record.Test) *record.Run {
	return &record.Run{
		ID: "20261121T040000Z-0001", Rounds: 10, Tests: tests,
		Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}},
	}
}

func result(t *testing.T, r *record.Run) *alternatives.Result {
	t.Helper()
	c, err := alternatives.Of(r, alternatives.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sets is a run in which slice costs as much as map at n=40.
func sets() *record.Run {
	return newRun(
		benchmark("Set/impl=slice/n=16", 16), benchmark("Set/impl=map/n=16", 40),
		benchmark("Set/impl=slice/n=64", 64), benchmark("Set/impl=map/n=64", 40),
	)
}

func estimated() *record.Run {
	r := sets()
	r.Meter.Name, r.Meter.Source = "model", record.Estimated
	return r
}

// unsure is a run with ties, bytes, a test that failed, probes, and energy below resolution.
func unsure() *record.Run {
	r := newRun(
		benchmark("Set/impl=slice", 10), benchmark("Set/impl=map", 10), benchmark("Set/impl=tree", 20), benchmark("Set/impl=list", 1),
		benchmark("Zip/op=a*/impl=x", 10), benchmark("Zip/op=a*/impl=y", 10),
	)
	r.Tests[1].AllocBytes, r.Tests[3].Outcome = 480, record.Fail
	r.Tests[2].BelowResolution, r.Tests[2].ProbeMS = true, 5
	r.Partial, r.Warnings = true, []string{"another measurement ran at the same time"}
	r.Analysis = &record.Analysis{Warnings: []string{"nothing to rank"}}
	return r
}

func noEnergy() *record.Run {
	r := sets()
	r.Meter.Name, r.Meter.Source, r.Meter.Domains = "none", record.NoEnergy, nil
	return r
}

func TestGolden(t *testing.T) {
	for name, run := range map[string]*record.Run{"measured": sets(), "estimated": estimated(), "none": noEnergy(), "unsure": unsure()} {
		t.Run(name, func(t *testing.T) {
			for end, write := range map[string]func(io.Writer, *alternatives.Result) error{
				".txt":  func(w io.Writer, r *alternatives.Result) error { return rendering.Text(w, r, 0) },
				".md":   rendering.Markdown,
				".json": rendering.JSON,
			} {
				var b bytes.Buffer
				if err := write(&b, result(t, run)); err != nil {
					t.Fatal(err)
				}
				recordtest.Golden(t, name+end, b.String())
				if end == ".json" && !json.Valid(b.Bytes()) {
					t.Error("the JSON is none")
				}
			}
		})
	}
}

// The sentence is what most readers take away. Each says no more than the ranks do.
func TestSentence(t *testing.T) {
	for _, c := range []struct {
		want  string
		tests []record.Test
	}{
		{"F: a is best.", []record.Test{benchmark("F/impl=a", 1), benchmark("F/impl=b", 2)}},
		{"F: no difference was found.", []record.Test{benchmark("F/impl=a", 1), benchmark("F/impl=b", 1)}},
		{"F: a and b are tied.", []record.Test{benchmark("F/impl=a", 1), benchmark("F/impl=b", 1), benchmark("F/impl=c", 2)}},
		{"F: a is best for all sizes.", []record.Test{benchmark("F/impl=a/n=1", 1), benchmark("F/impl=b/n=1", 2), benchmark("F/impl=a/n=2", 2), benchmark("F/impl=b/n=2", 4)}},
		{"F: a is the only one that is among the best for all sizes.", []record.Test{benchmark("F/impl=a/n=1", 1), benchmark("F/impl=b/n=1", 1), benchmark("F/impl=a/n=2", 2), benchmark("F/impl=b/n=2", 4)}},
		{"F: a, b and c are among the best for all sizes.", []record.Test{
			benchmark("F/impl=a/n=1", 1), benchmark("F/impl=b/n=1", 1), benchmark("F/impl=c/n=1", 1), benchmark("F/impl=d/n=1", 9),
			benchmark("F/impl=a/n=2", 2), benchmark("F/impl=b/n=2", 2), benchmark("F/impl=c/n=2", 2), benchmark("F/impl=d/n=2", 9),
		}},
		{"F: a is best below about n=2.8 (between 2 and 4), b above. Then the limit is about n=11 (between 8 and 16), a above.", []record.Test{
			benchmark("F/impl=a/n=2", 1), benchmark("F/impl=b/n=2", 2), benchmark("F/impl=a/n=4", 2), benchmark("F/impl=b/n=4", 1),
			benchmark("F/impl=a/n=8", 2), benchmark("F/impl=b/n=8", 1), benchmark("F/impl=a/n=16", 1), benchmark("F/impl=b/n=16", 2),
		}},
		{"F: a is best below somewhere between n=0 and 4, b above.", []record.Test{
			benchmark("F/impl=a/n=0", 1), benchmark("F/impl=b/n=0", 2), benchmark("F/impl=a/n=4", 2), benchmark("F/impl=b/n=4", 1),
		}},
		{"F: the best alternatives of some sizes were not measured with others.", []record.Test{
			benchmark("F/impl=a/n=2", 1), benchmark("F/impl=b/n=2", 2), benchmark("F/impl=c/n=4", 2), benchmark("F/impl=d/n=4", 1),
		}},
		{"F: the best alternatives of some sizes were not measured with others.", []record.Test{ // d is better than c from 8 on
			benchmark("F/impl=a/n=2", 1), benchmark("F/impl=b/n=2", 2), benchmark("F/impl=c/n=4", 1), benchmark("F/impl=d/n=4", 2),
			benchmark("F/impl=c/n=8", 2), benchmark("F/impl=d/n=8", 1),
		}},
		{"F: a is best at n=2. Undecided at n=4: too few rounds.", []record.Test{ // ten rounds do not decide fifteen pairs
			benchmark("F/impl=a/n=2", 1), benchmark("F/impl=b/n=2", 2), benchmark("F/impl=a/n=4", 2), benchmark("F/impl=b/n=4", 1),
			benchmark("F/impl=c/n=4", 3), benchmark("F/impl=d/n=4", 4), benchmark("F/impl=e/n=4", 5), benchmark("F/impl=f/n=4", 6),
		}},
	} {
		var b bytes.Buffer
		if err := rendering.Text(&b, result(t, newRun(c.tests...)), 0); err != nil {
			t.Fatal(err)
		}
		got, _, _ := strings.Cut(b.String(), "\n\n")
		if got = strings.Join(strings.Fields(got), " "); got != c.want {
			t.Errorf("it says\n%s\nwant\n%s", got, c.want)
		}
	}
}

// Why: ties for want of rounds look like ties.
func TestTooFewRounds(t *testing.T) {
	page := func(r *record.Run) string {
		var b bytes.Buffer
		if err := rendering.Text(&b, result(t, r), 0); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	r := sets()
	r.Rounds = 3
	for i := range r.Tests {
		r.Tests[i].RoundEnergyJ = recordtest.ByRound(r.Tests[i].RoundEnergyJ[spell.CPU][:3])
	}
	got := page(r)
	for _, want := range []string{
		"Set: undecided: there are too few rounds. Measure 7 or more (--rounds 7).", " ? slice ",
		"Alternatives with the rank ? are undecided: with 3 rounds no difference can be significant. Measure 7 rounds or more (--rounds 7).",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "tied, ") || strings.Contains(got, "allocates least") {
		t.Errorf("what is undecided is called tied:\n%s", got)
	}
	r = sets()
	r.Tests[0].RoundEnergyJ = nil
	if got, want := page(r), "their values by round are missing"; !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}

// Benchmarks of two packages may have the same name.
func TestPackagesAreNamed(t *testing.T) {
	r := sets()
	other := benchmark("Set/impl=slice", 1)
	other.Name, other.Package = "example.com/other.BenchmarkSet/impl=slice", "example.com/other"
	another := other
	another.Name = "example.com/other.BenchmarkSet/impl=map"
	r.Tests = append(r.Tests, other, another)
	var b bytes.Buffer
	if err := rendering.Text(&b, result(t, r), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.com/m Set: slice is best below", "\nexample.com/other Set: no difference"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	c := result(t, sets())
	for _, err := range []error{rendering.Text(brokenPipe{}, c, 0), rendering.Markdown(brokenPipe{}, c), rendering.JSON(brokenPipe{}, c)} {
		if err == nil || !strings.Contains(err.Error(), "broken pipe") {
			t.Errorf("the error is %v", err)
		}
	}
}

// Why: an editor has a line above a function for what was found about it. A benchmark is told what its alternatives are, and a
// function that was compared with others how it stands. Functions of the same name in other packages are told nothing.
func TestBrief(t *testing.T) {
	function := func(pkg, benchmark, name string, size string, millijoules float64) record.Test {
		return benchmarkOf(pkg, "Choose_"+benchmark+"/func="+name+"/"+size, millijoules)
	}
	functions := newRun(
		function("m", "List_Has", "m.List.Has", "n=16", 16), function("m", "Set_Has", "m.Set.Has", "n=16", 40), function("o", "Has", "o.Has", "n=16", 90),
		function("m", "List_Has", "m.List.Has", "n=64", 64), function("m", "Set_Has", "m.Set.Has", "n=64", 40), function("o", "Has", "o.Has", "n=64", 90),
	)
	same := newRun(function("m", "A", "A", "order=random/n=16", 10), function("m", "B", "B", "order=random/n=16", 10), function("m", "C", "C", "order=random/n=16", 20))
	same.Meter.Name, same.Meter.Source, same.Meter.Domains = "none", record.NoEnergy, nil
	many := newRun(benchmark("Set/cap=1/impl=a", 1), benchmark("Set/cap=1/impl=b", 2), benchmark("Set/cap=2/impl=a", 2), benchmark("Set/cap=2/impl=b", 2), benchmark("Set/cap=3/impl=a", 2), benchmark("Set/cap=3/impl=b", 1))
	few := newRun(function("m", "A", "A", "n=16", 10), function("m", "B", "B", "n=16", 20))
	few.Rounds = 3
	for i := range few.Tests {
		few.Tests[i].RoundEnergyJ = recordtest.ByRound(few.Tests[i].RoundEnergyJ[spell.CPU][:3])
	}
	for _, test := range []struct {
		run           *record.Run
		pkg, function string
		want          string
	}{
		{few, "m", "A", "undecided: 7 rounds or more are needed"},
		{sets(), "example.com/m", "BenchmarkSet", "slice is best below about n=40 (between 16 and 64), map above"},
		{sets(), "example.com/m", "BenchmarkSe", ""},
		{sets(), "example.com/o", "BenchmarkSet", ""},
		{many, "example.com/m", "BenchmarkSet", "cap=1: a is best; cap=2: no difference was found; 1 more"},
		{functions, "m", "(*List).Has", "best of 3 at n=16; 1.60 times the energy of m.Set.Has at n=64"},
		{functions, "m", "Set.Has", "best of 3 at n=64"},
		{functions, "o", "Has", "2.25 times the energy of m.Set.Has at n=64"},
		{functions, "m", "Has", ""},
		{functions, "o", "Set.Has", ""},
		{same, "m", "A", "order=random: among the best of 3"},
		{same, "m", "C", "order=random: 2.00 times the time of A at n=16"},
	} {
		if got := rendering.Brief(result(t, test.run), test.pkg, test.function); got != test.want {
			t.Errorf("%s.%s:\n%s\nwant:\n%s", test.pkg, test.function, got, test.want)
		}
	}
}
