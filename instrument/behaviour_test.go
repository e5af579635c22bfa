package instrument

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"spell-lsp/instrument/probe"
)

// unpack writes the files of an archive to a new folder.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, must(txtar.FS(a))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// goTest builds the tests in dir with the extra flags and runs them verbosely,
// one at a time, with the extra environment. The time of a test is left out.
func goTest(t *testing.T, dir string, flags []string, env ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", append([]string{"test", "-c", "-vet=off", "-o", program}, flags...)...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	cmd := exec.Command(program, "-test.v", "-test.parallel=1")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, _ := cmd.CombinedOutput() // a test fails on purpose
	return regexp.MustCompile(`\(\d+\.\d+s\)|0x[0-9a-f]+`).ReplaceAllString(string(out), "(...)")
}

// probed builds and runs the tests of an archive without probes and with them.
func probed(t *testing.T, archive string) (plain, output string, b *Build, log *probe.Log) {
	t.Helper()
	dir := unpack(t, archive)
	b, err := Prepare(context.Background(), Params{Dir: dir, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "probe")
	variable, err := probe.Create(file, len(b.Components), false)
	if err != nil {
		t.Fatal(err)
	}
	plain = goTest(t, dir, nil)
	output = goTest(t, dir, []string{"-overlay", b.Overlay}, variable)
	if log, err = probe.Read(file, len(b.Components)); err != nil {
		t.Fatal(err)
	}
	return plain, output, b, log
}

func TestProgramsBehaveAsWithoutProbes(t *testing.T) {
	plain, output, b, log := probed(t, "testdata/behaviour.txtar")
	count := regexp.MustCompile(`(COUNT \S+) \d+`) // a benchmark runs as often as it has time to
	if diff := cmp.Diff(count.ReplaceAllString(plain, "$1"), count.ReplaceAllString(output, "$1")); diff != "" {
		t.Errorf("with probes the program prints something else (-plain +probed):\n%s", diff)
	}
	if !strings.Contains(plain, "--- FAIL: TestFails") || !strings.Contains(plain, "--- PASS: TestExternal") {
		t.Errorf("the program did not run all its tests:\n%s", plain)
	}
	checkCounts(t, output, b, log)
	checkEnds(t, plain, log)
}

func TestParallelTestsKeepTheirCounts(t *testing.T) {
	for range 3 { // the order of parallel tests differs
		plain, output, b, log := probed(t, "testdata/parallel.txtar")
		checkCounts(t, output, b, log)
		checkEnds(t, plain, log)
	}
}

// checkCounts compares the calls that each test says it made with the probes'.
func checkCounts(t *testing.T, output string, b *Build, log *probe.Log) {
	t.Helper()
	test := ""
	for _, m := range regexp.MustCompile(`=== (?:RUN|CONT|NAME) +([^\s/]+)|COUNT (\S+) (\d+)`).FindAllStringSubmatch(output, -1) {
		if m[1] != "" {
			test = m[1]
			continue
		}
		got := uint64(0)
		for _, w := range log.Windows {
			for row, c := range w.Counts {
				if w.Test == test && row > 0 && b.Components[row-1].ID == m[2] {
					got += c.N
				}
			}
		}
		if want := must(strconv.ParseUint(m[3], 10, 64)); got != want {
			t.Errorf("%s: %d calls of %s were counted, the test made %d", test, got, m[2], want)
		}
	}
}

// checkEnds compares the outcomes that the program prints with those it logs.
func checkEnds(t *testing.T, output string, log *probe.Log) {
	t.Helper()
	want, got := make(map[string]string), make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`).FindAllStringSubmatch(output, -1) {
		want[m[2]] = strings.ToLower(m[1])
	}
	for _, e := range log.Ends {
		got[e.Test] = e.Outcome
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes in the log differ from the printed ones (-printed +logged):\n%s", diff)
	}
	for _, w := range log.Windows {
		if want[w.Test] == "" || w.End < w.Start {
			t.Errorf("window %+v belongs to no test, or ends before it starts", w)
		}
	}
}
