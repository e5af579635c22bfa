package instrument

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/gosource"
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

// builds leaves a test that builds with the go command out of make check.
func builds(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds")
	}
}

// A bench is an archive that was built without probes and with them.
type bench struct {
	*Build
	dir           string
	flags         []string
	plain, probed string // folders of the programs; nothing is built without probes until it is needed
}

// prepare builds the tests of the packages in dir with probes, with the extra flags.
func prepare(t *testing.T, p Params, flags ...string) *bench {
	t.Helper()
	builds(t)
	p.Temp, p.Cache = t.TempDir(), t.TempDir()
	b := &bench{dir: p.Dir, flags: flags, probed: t.TempDir()}
	var err error
	if b.Build, err = Prepare(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if len(p.Tags) > 0 {
		b.flags = append(b.flags, "-tags="+strings.Join(p.Tags, ","))
	}
	b.goTest(t, b.probed, "-overlay="+b.Overlay)
	return b
}

// goTest builds the tests of all packages into a folder.
func (b *bench) goTest(t *testing.T, to string, flags ...string) {
	t.Helper()
	args := slices.Concat([]string{"test", "-c", "-vet=off", "-o", to + string(filepath.Separator)}, b.flags, flags)
	for _, pkg := range b.Tests {
		args = append(args, pkg.Path)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}

// An ending is what a test program left behind.
type ending struct {
	Output string // without times, addresses and whatever else differs by chance
	Status string // "exit status 2"
}

// run runs a package's program with the extra arguments, without probes and
// with them.
func (b *bench) run(t *testing.T, pkg Package, args ...string) (plain, probed ending, log *probe.Log) {
	t.Helper()
	plain = b.runPlain(t, pkg, args...)
	probed, log = b.runProbed(t, pkg, probe.Setup{Defers: b.Defers}, args...)
	return plain, probed, log
}

// runPlain runs a package's program without probes.
func (b *bench) runPlain(t *testing.T, pkg Package, args ...string) ending {
	t.Helper()
	if b.plain == "" {
		b.plain = t.TempDir()
		b.goTest(t, b.plain)
	}
	return b.execute(t, b.plain, pkg, args, nil)
}

// runProbed runs a package's program with probes.
func (b *bench) runProbed(t *testing.T, pkg Package, s probe.Setup, args ...string) (probed ending, log *probe.Log) {
	t.Helper()
	rows := probe.NamedRows{Unprobed: b.Unprobed, Packages: b.Packages, Commands: b.Commands}
	for _, c := range b.Components {
		rows.Components = append(rows.Components, gosource.RuntimeName(c.Package, c.ID))
	}
	names, err := probe.NewNames(probe.NewIndex(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	s.Components, s.Names = len(b.Components), names
	file, err := probe.Create(s)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	probed = b.execute(t, b.probed, pkg, args, file)
	if log, err = file.Read(); err != nil {
		t.Fatal(err)
	}
	return probed, log
}

// hung is when a program that does not end is given up, so that its output is seen.
const hung = 10 * time.Minute

// execute runs a program verbosely, one test at a time.
func (b *bench) execute(t *testing.T, bin string, pkg Package, args []string, file *probe.File) ending {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, path.Base(strings.TrimSuffix(pkg.Path, "/v2"))+".test"), append([]string{"-test.v", "-test.parallel=1", "-test.paniconexit0"}, args...)...)
	cmd.Dir = pkg.Dir
	cmd.Env = append(os.Environ(), "PWD="+pkg.Dir)
	if file != nil {
		const first = 3 // after the standard ones
		variable, files := file.ForProgram(first)
		cmd.Env, cmd.ExtraFiles = append(cmd.Env, variable), files
	}
	ownGroup(cmd)               // as the runner does
	cmd.WaitDelay = time.Second // a child that it left may hold its output
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil || cmd.ProcessState == nil {
		t.Fatalf("%v does not run, or does not end: %v\n%s", cmd, err, out)
	}
	return ending{withoutChance(strings.ReplaceAll(string(out), bin, "BIN")), cmd.ProcessState.String()}
}

var chances = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\(\d+(\.\d+)?s\)`), "(...)"},
	{regexp.MustCompile(`(?m)\((\.\.\.|[{}0-9a-fx?, .]*)\)( in goroutine \d+)?$`), "(...)"}, // the arguments of a frame
	{regexp.MustCompile(`(?m) \+0x[0-9a-f]+( [fsp]+=.*)?$`), ""},
	{regexp.MustCompile(`0x[0-9a-f]+`), "(...)"},
	{regexp.MustCompile(`#\d\d`), ""}, // subtests of one name, of which any may end first
	{regexp.MustCompile(`goroutine \d+`), "goroutine N"},
	{regexp.MustCompile(`\.\.\.\d+ frames elided`), "...N frames elided"},
	{regexp.MustCompile(`[0-9.]+ (ns/op|MB/s)`), "N $1"},
	{regexp.MustCompile(`\b\d B/op`), "N B/op"}, // the runtime itself allocates now and then
	{regexp.MustCompile(`m=\d+`), "m=N"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

func withoutChance(output string) string {
	for _, c := range chances {
		output = c.what.ReplaceAllString(output, c.with)
	}
	paragraphs := strings.Split(output, "\n\n")
	return strings.Join(slices.DeleteFunc(paragraphs, ofRuntime), "\n\n")
}

// ofRuntime says that a paragraph is the trace of a goroutine that the runtime
// started for itself. Which there are, and what they do, is chance.
func ofRuntime(paragraph string) bool {
	return strings.HasPrefix(paragraph, "goroutine") && strings.Contains(paragraph, "\ncreated by runtime.")
}

func TestParallelTestsKeepTheirCounts(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/parallel.txtar")})
	for range 3 { // the order of parallel tests differs
		plain, probed, log := b.run(t, b.Tests[0])
		checkCounts(t, probed.Output, b.Build, log)
		checkEnds(t, plain.Output, log)
	}
}

// checkCounts compares the calls that each test says it made with the probes'.
func checkCounts(t *testing.T, output string, b *Build, log *probe.Log) {
	t.Helper()
	type cell struct{ test, component string }
	want, got := make(map[cell]uint64), make(map[cell]uint64)
	test := ""
	for _, m := range regexp.MustCompile(`(?m)(?:^|=== (?:RUN|CONT|NAME) +)((?:Test|Benchmark|Fuzz)[^\s/]*)|(CHILD )?COUNT (\S+) (\d+)(?: in (\S+))?`).FindAllStringSubmatch(output, -1) {
		if m[1] != "" {
			test = m[1]
			continue
		}
		in := test
		if m[5] != "" {
			in = m[5]
		}
		n := must(strconv.ParseUint(m[4], 10, 64))
		if m[2] != "" && b.Fallback != "" {
			n = 0 // a probe that is no part of the runtime counts in one process
		}
		want[cell{in, m[3]}] += n
	}
	for _, w := range log.Windows {
		in := w.Test
		if strings.HasPrefix(in, "Benchmark") { // subbenchmarks are always told apart
			in, _, _ = strings.Cut(in, "/")
		}
		for row, c := range w.Counts {
			if row > 0 && row <= len(b.Components) {
				got[cell{in, b.Components[row-1].ID}] += c.N
			}
		}
	}
	for c, n := range want {
		if got[c] != n {
			t.Errorf("%s: %d calls of %s were counted, the test made %d", c.test, got[c], c.component, n)
		}
	}
}

// checkEnds compares the outcomes that the program prints with those it logs.
// A benchmark that passes prints none.
func checkEnds(t *testing.T, output string, log *probe.Log) {
	t.Helper()
	want, got, ended := make(map[string]string), make(map[string]string), make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`).FindAllStringSubmatch(output, -1) {
		want[m[2]] = strings.ToLower(m[1])
	}
	for _, e := range log.Ends {
		ended[e.Test] = true
		if want[e.Test] != "" || e.Outcome != "pass" || !strings.HasPrefix(e.Test, "Benchmark") {
			got[e.Test] = e.Outcome
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes in the log differ from the printed ones (-printed +logged):\n%s", diff)
	}
	for _, w := range log.Windows {
		if !ended[w.Test] || w.End < w.Start {
			t.Errorf("window %+v belongs to no test, or ends before it starts", w)
		}
	}
}
