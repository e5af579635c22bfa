package bisect

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spell-lsp/runner"
	"spell-lsp/spell"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/record"
)

// A fake measures a commit by reading what it costs in the file cost: a number, "broken" for a
// program that does not build, "fails" for a test that fails, or "module=NAME". Rounds have noise.
type fake struct {
	t      *testing.T
	rng    *rand.Rand
	meter  string
	host   record.Host
	source record.Source
	calls  int
	before func(call int, p runner.Params) // if not nil, is called first
}

// useFake replaces the measurement for the time of a test.
func useFake(t *testing.T) *fake {
	f := &fake{t: t, rng: rand.New(rand.NewPCG(1, 2)), meter: "fake", source: record.Measured}
	old := measureRun
	measureRun = f.measure
	t.Cleanup(func() { measureRun = old })
	return f
}

func (f *fake) measure(ctx context.Context, p runner.Params) (*record.Run, error) {
	f.calls++
	if f.before != nil {
		f.before(f.calls, p)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	text, err := os.ReadFile(filepath.Join(p.Dir, "cost"))
	return f.ofCost(p, text, err)
}

// ofCost is the run of a commit whose file cost is that.
func (f *fake) ofCost(p runner.Params, text []byte, err error) (*record.Run, error) {
	if err != nil {
		return nil, fmt.Errorf("%w: %w", runner.ErrNoTest, err)
	}
	word := strings.Fields(string(text))[0]
	if word == "broken" {
		return nil, fmt.Errorf("%w: a.go:1: undefined: x", runner.ErrNoTest)
	}
	module := "example.com/m"
	if name, renamed := strings.CutPrefix(word, "module="); renamed {
		module, word = name, "1"
	}
	outcome := record.Pass
	cost, err := strconv.ParseFloat(word, 64)
	if err != nil {
		outcome, cost = record.Fail, 1
	}
	r := f.run(p, outcome, cost)
	r.Workspace.Module = module
	return r, nil
}

// run is a run of a test in which a function takes half of the energy, and an idle machine that is
// as long as the noise wants.
func (f *fake) run(p runner.Params, outcome record.Outcome, cost float64) *record.Run {
	var own, energy, function, times []float64
	var mean, meanTime float64
	for range p.Rounds {
		v := cost * math.Exp(0.005*f.rng.NormFloat64())
		ms := 100 * math.Exp(0.5*f.rng.NormFloat64())
		own, function, times = append(own, v), append(function, v/2), append(times, ms)
		mean += v / float64(p.Rounds)
		meanTime += ms / float64(p.Rounds)
	}
	for i := range own {
		energy = append(energy, own[i]+10*times[i]/meanTime)
	}
	e := func(v float64) record.Energy { return record.Energy{spell.CPU: v} }
	test := record.Test{
		Name: "example.com/m.TestA", Package: "example.com/m", Outcome: outcome, Rounds: p.Rounds,
		EnergyJ: e(mean + 10), TimeMS: meanTime, UnattributedJ: e(mean/2 + 10),
		Unattributed: map[record.Part]record.Unattributed{record.Idle: {EnergyJ: e(10)}},
		RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: energy}, RoundTimeMS: times,
	}
	part := record.Component{
		ID: "example.com/m.(*T).F", Kind: spell.KindFunction, Package: "example.com/m", File: "cost", Line: 1, EndLine: 3, Hash: fmt.Sprint(cost),
		N: 1, TimeMS: 1000, EnergyJ: e(mean / 2), RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: function}, RoundTimeMS: function,
		Lines: []record.Line{{Line: 2, TimeMS: 700}, {Line: 1, TimeMS: 300}},
	}
	r := &record.Run{
		Schema: record.Schema, ID: fmt.Sprintf("run%d", f.calls), Rounds: p.Rounds, Granularity: spell.KindFunction, Mode: "instrument",
		Host:      f.host,
		Workspace: record.Workspace{Root: ".", Module: "example.com/m"},
		Meter:     record.Meter{Name: f.meter, Source: f.source, Domains: []spell.Domain{spell.CPU}},
		Tests:     []record.Test{test}, Components: []record.Component{part},
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, record.Cell{N: 1, TimeMS: 1000, EnergyJ: part.EnergyJ})
	return r
}

// A repo is a git repository of a module, in the folder mod.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": "", "TMPDIR": t.TempDir(), "GOTMPDIR": "",
		"GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.com", "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.com",
	} {
		t.Setenv(name, value)
	}
	r := repo{t, dir}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commits makes a commit for each cost, and returns the hash of the last.
func (r repo) commits(costs ...string) string {
	r.t.Helper()
	for _, cost := range costs {
		r.must(os.MkdirAll(r.module(), 0o755))
		r.must(os.WriteFile(filepath.Join(r.module(), "cost"), []byte(cost+"\nline 2 of "+cost+"\n"), 0o644))
		r.git("add", "-A")
		r.git("commit", "-q", "--allow-empty", "-m", "costs "+cost)
	}
	return r.git("rev-parse", "HEAD")
}

func (r repo) module() string { return filepath.Join(r.dir, "mod") }

func (r repo) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// params search in the module, and keep rounds in a folder of the test.
func (r repo) params(good, bad string) Params {
	return Params{Good: good, Bad: bad, Measure: runner.Params{Dir: r.module(), Run: "TestA"}, Cache: filepath.Join(os.Getenv("HOME"), "kept")}
}

func (r repo) search(good, bad string) *bisection.Result {
	r.t.Helper()
	result, err := Run(r.t.Context(), r.params(good, bad))
	if err != nil {
		r.t.Fatal(err)
	}
	return result
}

// hash is that of all files of the repository, with their modes and times.
func (r repo) hash() string {
	r.t.Helper()
	sum := sha256.New()
	r.must(filepath.WalkDir(r.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintln(sum, name, info.Mode(), info.ModTime().UnixNano())
		if d.Type().IsRegular() && err == nil {
			text, failed := os.ReadFile(name)
			sum.Write(text)
			err = failed
		}
		return err
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}
