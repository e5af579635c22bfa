//go:build linux && (amd64 || arm64)

package frames

import (
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/internal/childtest"
	"spell-lsp/internal/unprivileged"
	"spell-lsp/runner/stacks"
	"spell-lsp/runner/stacks/owner"
	"spell-lsp/spell/gosource"
)

// These name the program to sample, and its source, where this test runs without privileges.
const (
	programEnv = "SPELL_LSP_TEST_TRUTH"
	sourceEnv  = "SPELL_LSP_TEST_TRUTH_SOURCE"
)

// Functions that compute 3 times as much as others have 3 times the samples, whatever kind of
// function it is, however the program was built, and with the privileges of any user.
func TestSharesOfFunctions(t *testing.T) {
	if os.Getenv(programEnv) != "" {
		checkShares(t, truthProgram(t))
		return
	}
	for name, flags := range map[string][]string{
		"position-independent": {"-buildmode=pie"},
		"without symbols":      {"-ldflags=-s -w"},
	} {
		t.Run(name, func(t *testing.T) { checkShares(t, build(t, t.TempDir(), flags...)) })
	}
	t.Run("executable", func(t *testing.T) { checkShares(t, truthProgram(t)) })
	t.Run("as another user", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("the other cases are already run as such a one")
		}
		dir := unprivileged.Dir(t)
		cmd := exec.CommandContext(t.Context(), unprivileged.CopyOfSelf(t, dir, "frames.test"), "-test.run=^(TestSharesOfFunctions|TestSystemCalls)$", "-test.v")
		cmd.Env, cmd.Dir = append(os.Environ(), programEnv+"="+build(t, dir), sourceEnv+"="+copied(t, dir)), dir
		unprivileged.Restrict(cmd)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), "--- PASS") != 2 {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
	})
}

// shared is the folder of the program as it is built without flags, for all tests.
var shared string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if shared, err = os.MkdirTemp("", "truth"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(shared)
		return m.Run()
	}())
}

// truthProgram is the program as it is built without flags.
func truthProgram(t *testing.T) string {
	t.Helper()
	if program := os.Getenv(programEnv); program != "" {
		return program
	}
	if program := filepath.Join(shared, "truth"); exists(program) {
		return program
	}
	return build(t, shared)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// copied is a copy of the program's source that every user may read.
func copied(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "truth", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "main.go.txt")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// build builds the program whose truth is known.
func build(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	program := filepath.Join(dir, "truth")
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-trimpath", "-o", program}, append(flags, ".")...)...)
	cmd.Dir, cmd.Env = filepath.Join("testdata", "truth"), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// truth is how often each function computes in a round of shares, by its name in the
// workspace. The goroutine that starts later misses the first round.
var truth = map[string]float64{
	"example.com/truth.Three": 3, "example.com/truth.One": 1, "example.com/truth.Inlined": 1, "example.com/truth.Generic": 2,
	"example.com/truth.(*T).Method": 1, "example.com/truth.Literal": 1, "example.com/truth.T.Value": 1, "example.com/truth.later": 1,
}

func checkShares(t *testing.T, program string) {
	const rounds = 150
	m := measure(t, program, stacks.Options{Period: 500 * time.Microsecond}, "shares", fmt.Sprint(rounds))
	var units, samples, ns float64
	for name := range truth {
		units += truth[name]
		samples += float64(m.samples[name])
		ns += m.ns[name]
	}
	if samples < 200 {
		t.Fatalf("there are %v samples; %+v", samples, m.stats)
	}
	for name := range truth {
		want := truth[name] / units
		bound := bound(want, samples) + 1.0/rounds // of the goroutine that starts later
		if got := float64(m.samples[name]) / samples; math.Abs(got-want) > bound {
			t.Errorf("%s has %.4f of %v samples, want %.4f +- %.4f", name, got, samples, want, bound)
		}
		// Samples stand for CPU times that differ little here, unless the virtual processor was stopped.
		if got := m.ns[name] / ns; math.Abs(got-want) > 1.5*bound+m.lateNS/ns {
			t.Errorf("%s has %.4f of the CPU time of samples, want %.4f +- %.4f", name, got, want, bound)
		}
	}
	checkTime(t, m)
	if known := samples / float64(m.stats.Samples); known < 0.95 {
		t.Errorf("%.3f of all samples are in functions that compute, which do all the work: %v", known, m.others)
	}
}

// bound is how far the share of samples can be from the one of the time, with a probability of
// all but 6e-7: five standard deviations of the binomial distribution.
func bound(share, samples float64) float64 { return 5 * math.Sqrt(share*(1-share)/samples) }

// checkTime compares what the samples stand for with what the system says that the program
// used. The kernel's two clocks count stolen time and interrupts differently.
func checkTime(t *testing.T, m *measured) {
	t.Helper()
	if all := float64(m.stats.NS + m.stats.MissedNS); all < 0.9*m.usedNS || all > 1.1*m.usedNS+float64(m.stolen) {
		t.Errorf("samples and what they missed are %.4g ns, the system counted %.4g; %+v", all, m.usedNS, m.stats)
	}
	if m.stats.Refused > 0 || m.stats.Refusal != nil {
		t.Errorf("%d threads were refused: %v", m.stats.Refused, m.stats.Refusal)
	}
}

// A measured program is one whose samples are assigned to its functions.
type measured struct {
	samples map[string]int     // by function of the workspace
	ns      map[string]float64 // CPU time that they stand for
	callees map[string]int     // "function > callee without a row"
	threads map[int]float64    // CPU time by thread
	kinds   map[owner.Kind]int
	assists int
	others  map[string]int // stacks that are of no function, by their innermost function
	stats   stacks.Stats
	usedNS  float64 // CPU time from the first sample on, as wait4(2) says
	stolen  int64   // ns by which other machines may have made it longer
	errs    []error
	printed string

	period    time.Duration
	lateNS    float64                   // by which samples were later than twice their period
	ofSample  map[*stacks.Sample]string // function, "" for none
	chargedNS map[string]float64        // by function, where system calls are charged to who made them
}

// measure samples a program, which waits until it is sampled, from its beginning to its end.
func measure(t *testing.T, program string, o stacks.Options, args ...string) *measured {
	t.Helper()
	p := start(t, program, args...)
	before := p.used(t)
	s, err := stacks.Open(p.Process.Pid, o)
	if err != nil {
		t.Fatal(err, "\n", stacks.Remedy(err))
	}
	m := newMeasured()
	m.period = o.Period
	if _, err := io.WriteString(p.In, "\n"); err != nil {
		t.Fatal(err)
	}
	m.follow(t, s)
	m.printed = p.wait(t)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	m.stats = s.Stats()
	m.usedNS = float64(p.ProcessState.UserTime()+p.ProcessState.SystemTime()) - before
	m.stolen = int64(m.usedNS / 2)
	return m
}

func newMeasured() *measured {
	return &measured{
		samples: make(map[string]int), ns: make(map[string]float64), callees: make(map[string]int), threads: make(map[int]float64),
		kinds: make(map[owner.Kind]int), others: make(map[string]int), ofSample: make(map[*stacks.Sample]string), chargedNS: make(map[string]float64),
	}
}

// follow reads samples until the program has ended.
func (m *measured) follow(t *testing.T, s *stacks.Sampler) {
	t.Helper()
	rule, rows := rule(t)
	names := New()
	calls := stacks.NewSystemCalls(m.period)
	charge := func(k *stacks.Sample, ns int64) { m.chargedNS[m.ofSample[k]] += float64(ns) }
	latest := int64(0)
	for alive := true; alive; {
		alive = s.Read(func(k *stacks.Sample) {
			if k.Time < latest {
				m.errs = append(m.errs, fmt.Errorf("a sample at %d follows one at %d", k.Time, latest))
			}
			latest = k.Time
			calls.Add(k, m.add(k, names, rule, rows), charge)
		})
		time.Sleep(s.Pause())
	}
	calls.Finish(charge)
}

// add counts a sample, and says whether it is in a system call.
func (m *measured) add(k *stacks.Sample, names *Names, rule *owner.Rule, rows []string) (calls bool) {
	list := names.Frames(nil, k)
	functions := Functions(list)
	p := rule.Of(functions, names.Main(k.Process))
	m.kinds[p.Kind]++
	m.threads[k.TID] += float64(k.NS)
	m.lateNS += max(0, float64(k.NS)-2*float64(m.period))
	if p.Assists {
		m.assists++
	}
	if p.Kind != owner.Component {
		if len(list) > 0 {
			m.others[list[0].Function+list[0].Module]++
		}
		return p.Calls
	}
	name := rows[p.Rows[0]-1]
	m.samples[name]++
	m.ns[name] += float64(k.NS)
	if p.Callee >= 0 {
		m.callees[name+" > "+functions[p.Callee].Name]++
	}
	m.ofSample[k] = name
	return p.Calls
}

// rule is that of the functions of the workspace that count, with their names by row from 1 on.
func rule(t *testing.T) (*owner.Rule, []string) {
	t.Helper()
	list := []string{"example.com/truth.Thread", "example.com/truth.Grow", "example.com/truth.Calls"}
	for name := range truth {
		list = append(list, name)
	}
	const name = "example.com/truth/main.go" // as the compiler records it with -trimpath
	sourceFile := os.Getenv(sourceEnv)
	if sourceFile == "" {
		sourceFile = filepath.Join("testdata", "truth", "main.go")
	}
	source, err := os.ReadFile(sourceFile)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var spans []owner.Span
	for _, f := range gosource.Functions(fset, file, source) {
		c := f.Component("example.com/truth", name)
		if row := slices.Index(list, c.ID); row >= 0 {
			spans = append(spans, owner.Span{Row: row + 1, File: name, First: c.Line, Last: c.EndLine})
		}
	}
	return owner.NewRule(probe.NewIndex(probe.NamedRows{Components: list}), spans), list
}

// A running program is one that waits for a line on its standard input.
type running struct{ *childtest.Child }

func start(t *testing.T, program string, args ...string) *running {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return &running{childtest.Start(t, cmd)}
}

// used is the CPU time of the program so far, ns.
func (p *running) used(t *testing.T) float64 {
	t.Helper()
	var ns float64
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.Process.Pid))
	if err != nil || len(tasks) == 0 {
		t.Fatal(err, len(tasks))
	}
	for _, file := range tasks {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var one float64
		if _, err := fmt.Sscan(string(text), &one); err != nil {
			t.Fatal(err)
		}
		ns += one
	}
	return ns
}

// wait waits for the end of the program, and returns what it printed.
func (p *running) wait(t *testing.T) string {
	t.Helper()
	p.In.Close()
	text, _ := io.ReadAll(p.Out)
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	return string(text)
}
