package runner

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/instrument"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A pattern that reaches no test is a typing error, or a package whose tests are still to be
// written: the user takes the result for one that covers it.
func TestPatternsThatReachNoTest(t *testing.T) {
	dir := t.TempDir()
	at := func(rel string) string { return filepath.Join(realPath(dir), rel) }
	b := &instrument.Build{Tests: []instrument.Package{{Path: "example.com/m/a", Dir: at("a")}, {Path: "example.com/m/a/b", Dir: at("a/b")}}}
	for _, test := range []struct {
		patterns, useless string
	}{
		{"./a ./a/b", ""},
		{"./a/... ./a/b/", ""},
		{"./a ./c", "./c"},
		{"./a ./a/c/... ./ab/...", "./a/c/... ./ab/..."},
		{". ./...", "."},
		{"example.com/m/a example.com/m/... example.com/...", ""},
		{"example.com/m/a example.com/n/... example.com/m", "example.com/n/... example.com/m"},
		{at("a") + " " + at("c"), at("c")},
		{"./.../b all example.com/.../b ./a", ""},
		{"./c", ""}, // nothing else ran: that is an error
	} {
		if got := strings.Join(uselessPatterns(dir, strings.Fields(test.patterns), b), " "); got != test.useless {
			t.Errorf("%s: %q reach nothing, want %q", test.patterns, got, test.useless)
		}
	}
	b.Reach = "example.com/m/a.F"
	if got := uselessPatterns(dir, []string{"./a", "./c"}, b); got != nil {
		t.Errorf("where only some of the tests are built, %q are said to have none", got)
	}
}

func TestNearestTest(t *testing.T) {
	names := []string{"BenchmarkSort", "ExampleOf", "TestParse", "TestSort"}
	for pattern, want := range map[string]string{
		"TestPrase": "TestParse", "Prase": "TestParse", "^TestPrase$": "TestParse", "TestPrase/json": "TestParse",
		"sort": "BenchmarkSort", "BenchmarkSotr": "BenchmarkSort", "NOSUCH": "", "": "", "^$": "",
	} {
		if got := nearestTest(pattern, names); got != want {
			t.Errorf("%q is near %q, want %q", pattern, got, want)
		}
	}
}

// A filter that reaches nothing, beside others that reach something, must not look as if
// all that was asked for had been measured.
func TestFiltersThatReachNothing(t *testing.T) {
	dir := module(t, map[string]string{
		"a/a.go":      "package a\n\nfunc F() {}\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { t.Run(\"json\", func(*testing.T) { F() }) }\n\nfunc BenchmarkF(b *testing.B) { F() }\n",
		"b/b.go":      "package b\n\nfunc G() {}\n",
	})
	base := Params{Dir: dir, Meter: "none", Rounds: 1}
	for _, test := range []struct {
		why    string
		change func(*Params)
		says   []string
	}{
		{"all of it reaches something", func(p *Params) { p.Bench, p.Run, p.Subtests = "F", "F/js", true }, nil},
		{"only benchmarks are wanted", func(p *Params) { p.Bench, p.Run = "F", "^$" }, nil},
		{"a benchmark", func(p *Params) { p.Bench = "G" }, []string{`no benchmark's name matches "G"; did you mean BenchmarkF?`}},
		{"benchmarks of another name", func(p *Params) { p.Bench = "NOSUCH" }, []string{`no benchmark's name matches "NOSUCH"; there are BenchmarkF`}},
		{"a subtest", func(p *Params) { p.Run, p.Subtests = "TestF/jsno", true }, []string{`no subtest's name matches "TestF/jsno"`}},
		{"a package without tests", func(p *Params) { p.Patterns = []string{"./a", "./b"} }, []string{"no package that ./b names has tests"}},
	} {
		p := base
		test.change(&p)
		run, err := Measure(t.Context(), p)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		var said []string
		for _, text := range wording.Texts(run.Notes) {
			if strings.HasPrefix(text, "no benchmark") || strings.HasPrefix(text, "no subtest") || strings.HasPrefix(text, "no package") {
				said = append(said, text)
			}
		}
		if !slices.EqualFunc(said, test.says, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", test.why, said, test.says)
		}
	}
	for _, test := range []struct {
		run, bench, says string
	}{
		{"TestG", "", `no test's name matches --run "TestG"; did you mean TestF?`},
		{"NOSUCH", "", `no test's name matches --run "NOSUCH"; there are TestF`},
		{"NOSUCH", "NOSUCH", `no name matches --run "NOSUCH" --bench "NOSUCH"; there are TestF`},
	} {
		p := base
		p.Run, p.Bench = test.run, test.bench
		if _, err := Measure(t.Context(), p); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("--run %q --bench %q: %v, want %s", test.run, test.bench, err, test.says)
		}
	}
}

// Benchmarks that a round of another kind ran count too.
func TestRan(t *testing.T) {
	m := &measurement{series: series{warm: []*round{{tests: []*observation{observed("BenchmarkF", record.Pass, 1)}}}, kept: []*round{{tests: []*observation{observed("TestF", record.Pass, 1)}}}}}
	if !m.ran(isBenchmark) || !m.ran(isTest) || m.ran(func(name string) bool { return name == "TestG" }) {
		t.Error("what ran is not known")
	}
}
