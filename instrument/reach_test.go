package instrument

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Who asks for the tests that reach a function does not wait for programs that
// cannot: those that do not have its package in them. A program has it too where
// only its test files import it, or what they import does.
func TestOnlyProgramsWithThePackage(t *testing.T) {
	dir := unpack(t, "testdata/reach.txtar")
	for _, test := range []struct{ name, id, tests, packages string }{
		{"", "", "alone high low outer", "alone high low outer untested"},
		{"example.com/reach/low.Same", "example.com/reach/low.Same", "high low outer", "high low outer"},
		{"T.Low", "example.com/reach/low.T.Low", "high low outer", "high low outer"},
		{"high.Same", "example.com/reach/high.Same", "high", "high low"},
		{"Outer", "example.com/reach/outer.Outer", "outer", "low outer"},
		{"Untested", "example.com/reach/untested.Untested", "", ""},
	} {
		var asked []string // of the compiler, which functions it inlines
		b, err := Prepare(t.Context(), Params{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir(), Reach: test.name, Run: func(cmd *exec.Cmd) error {
			if slices.Contains(cmd.Args, "-export") {
				asked = append(asked, strings.Join(cmd.Args, " "))
			}
			return cmd.Run()
		}})
		if err != nil {
			t.Errorf("%q: %v", test.name, err)
			continue
		}
		var tests, packages []string
		for _, pkg := range b.Tests {
			tests = append(tests, strings.TrimPrefix(pkg.Path, "example.com/reach/"))
		}
		for _, c := range b.Components {
			if name := strings.TrimPrefix(c.Package, "example.com/reach/"); name != "" && !slices.Contains(packages, name) {
				packages = append(packages, name)
			}
		}
		slices.Sort(packages)
		if diff := cmp.Diff([]string{test.id, test.tests, test.packages}, []string{b.Reach, strings.Join(tests, " "), strings.Join(packages, " ")}); diff != "" {
			t.Errorf("%q: function, test programs and packages with probes (-want +got):\n%s", test.name, diff)
		}
		if compiled := strings.Contains(strings.Join(asked, " "), "reach/alone"); compiled != (test.id == "") {
			t.Errorf("%q: the package that does not matter was compiled: %t", test.name, compiled)
		}
	}
}

// A function that is not there, or could be two, must not be taken for another.
func TestReachOfNoFunction(t *testing.T) {
	dir := unpack(t, "testdata/reach.txtar")
	for name, want := range map[string]string{
		"low.Sam": `no function "low.Sam" is measured; did you mean example.com/reach/low.Same?`,
		"Same":    `the function "Same" could be any of example.com/reach/high.Same, example.com/reach/low.Same: name more of one`,
	} {
		if _, err := Prepare(t.Context(), Params{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir(), Reach: name}); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
}

// What is kept of a package tells its functions as its text does.
func TestReachByWhatIsKept(t *testing.T) {
	dir, cache := unpack(t, "testdata/reach.txtar"), t.TempDir()
	for range 2 {
		b, err := Prepare(t.Context(), Params{Dir: dir, Temp: t.TempDir(), Cache: cache, Reach: "high.Same"})
		if err != nil || b.Reach != "example.com/reach/high.Same" {
			t.Errorf("reach is %+v, error %v", b, err)
		}
	}
}
