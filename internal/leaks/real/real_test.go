package real

import (
	"context"
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/cover"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/leaks/checking"
	"spell-lsp/spell/gosource"
)

var measured = flag.Bool("measure", false, "check all repairs, and measure what they save: takes a quarter of an hour")

func TestRepairsAreComplete(t *testing.T) {
	unused, err := workloads.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(repairs) < 8 {
		t.Errorf("%d repairs are too few to compare rankings", len(repairs))
	}
	for i, r := range repairs {
		t.Run(r.Workload, func(t *testing.T) {
			if err := module.Check(r.Module, r.Before); err != nil {
				t.Error(err)
			}
			if err := module.Check(r.Module, r.After); err != nil {
				t.Error(err)
			}
			if semver.Compare(r.Before, r.After) >= 0 {
				t.Errorf("%s is not older than %s", r.Before, r.After)
			}
			if i > 0 && repairs[i-1].Module > r.Module {
				t.Errorf("stands after %s", repairs[i-1].Module)
			}
			if r.Kind == "" || r.Reason == "" || !strings.HasPrefix(r.Change, "https://") || len(r.Functions) == 0 {
				t.Errorf("something is missing: %+v", r)
			}
			for _, id := range r.Functions {
				if !strings.HasPrefix(id, r.Module) {
					t.Errorf("%s is in another module", id)
				}
			}
			checkWorkload(t, r)
		})
		unused = slices.DeleteFunc(unused, func(e os.DirEntry) bool { return e.Name() == r.Workload })
	}
	if len(unused) > 0 {
		t.Errorf("no repair has the workloads %v", unused)
	}
}

// checkWorkload checks that a workload only calls what the module exports, and that Run
// selects its tests.
func checkWorkload(t *testing.T, r Repair) {
	t.Helper()
	text := r.Files()[path.Join(r.Package, "spell_lsp_workload_test.go")]
	file, err := parser.ParseFile(token.NewFileSet(), r.Workload, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(file.Name.Name, "_test") {
		t.Errorf("the workload is in package %s, not outside of it", file.Name)
	}
	if !strings.Contains(text, "\nfunc "+strings.TrimPrefix(Run, "^")) {
		t.Errorf("no test is selected by %s", Run)
	}
}

// The workload passes with both versions, executes the functions that were repaired, and shows
// the leak.
func TestWorkloadsReachTheLeaks(t *testing.T) {
	if !*measured {
		t.Skip("downloads 36 modules and measures: -measure")
	}
	for _, r := range Repairs() {
		t.Run(r.Workload, func(t *testing.T) {
			before, after := build(t, r, r.Before), build(t, r, r.After)
			executed := before.executed(t)
			for _, id := range r.Functions {
				if !slices.Contains(executed, id) {
					t.Errorf("%s of %s is not executed", id, r.Before)
				}
			}
			after.execute(t)
			measure(t, before, after)
		})
	}
}

// A program is the tests of one version.
type program struct {
	Repair
	version string
	scratch string // has the copy of the module, the test program, and what that writes
}

func (p *program) module() string { return filepath.Join(p.scratch, "module") }

// build copies a version, adds the workload and builds its tests.
func build(t *testing.T, r Repair, version string) *program {
	t.Helper()
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	p := &program{r, version, t.TempDir()}
	out, err := harness.Go(t.Context(), p.scratch, "mod", "download", "-json", r.Module+"@"+version)
	if err != nil {
		t.Fatal(err)
	}
	var cached struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &cached); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(p.module(), os.DirFS(cached.Dir)); err != nil {
		t.Fatal(err)
	}
	for name, text := range r.Files() {
		if err := os.WriteFile(filepath.Join(p.module(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.compile(t, "plain")
	return p
}

// compile builds a test program.
func (p *program) compile(t *testing.T, name string, flags ...string) {
	t.Helper()
	args := append([]string{"test", "-c", "-vet=off", "-o", filepath.Join(p.scratch, name)}, flags...)
	if _, err := harness.Go(t.Context(), p.module(), append(args, "./"+p.Package)...); err != nil {
		t.Fatal(err)
	}
}

// execute runs the tests of the workload, and returns the CPU time that they took.
func (p *program) execute(t *testing.T, args ...string) time.Duration {
	t.Helper()
	state, out := p.run(t, "plain", args...)
	if !state.Success() {
		t.Fatalf("the tests of %s: %v\n%s", p.version, state, out)
	}
	return state.UserTime() + state.SystemTime()
}

// run runs a test program in a process group that ends with it, with a home of its own.
func (p *program) run(t *testing.T, name string, args ...string) (*os.ProcessState, string) {
	t.Helper()
	const hangs = 10 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.scratch, name), append([]string{"-test.run=" + Run}, args...)...)
	cmd.Dir = filepath.Join(p.module(), p.Package)
	cmd.Env = append(os.Environ(), "HOME="+p.scratch, "TMPDIR="+p.scratch, "PWD="+cmd.Dir)
	checking.Group(cmd)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	checking.KillGroup(cmd.Process)
	return cmd.ProcessState, string(out)
}

// executed lists the component IDs of what the workload executes.
func (p *program) executed(t *testing.T) []string {
	t.Helper()
	p.compile(t, "covered", "-coverpkg=./"+path.Join(p.Package, "..."))
	file := filepath.Join(p.scratch, "coverage")
	if state, out := p.run(t, "covered", "-test.coverprofile="+file); !state.Success() {
		t.Fatalf("the tests of %s: %v\n%s", p.version, state, out)
	}
	files, err := cover.ParseProfiles(file)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range files {
		for _, fn := range functions(t, filepath.Join(p.module(), strings.TrimPrefix(f.FileName, p.Module))) {
			if slices.ContainsFunc(f.Blocks, func(b cover.ProfileBlock) bool {
				return b.Count > 0 && b.StartLine >= fn.Start.Line && b.EndLine <= fn.End.Line
			}) {
				ids = append(ids, path.Dir(f.FileName)+"."+fn.Name)
			}
		}
	}
	return ids
}

func functions(t *testing.T, file string) []gosource.Func {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return gosource.Functions(fset, parsed, text)
}

// measure compares the CPU times of both versions, and looks for the leak in a profile. A
// leak that is most of a program is found by any ranking, and one that is nearly nothing by
// none; neither would compare them.
func measure(t *testing.T, before, after *program) {
	t.Helper()
	var times [2][]time.Duration
	for range 5 {
		times[0], times[1] = append(times[0], before.execute(t)), append(times[1], after.execute(t))
	}
	leaky, clean := harness.Median(times[0]), harness.Median(times[1])
	saved, profiled := 1-float64(clean)/float64(leaky), before.profiled(t)
	t.Logf("%s: %v before, %v after, saved %.0f %%, in the profile %.0f %%", before.Module, leaky, clean, 100*saved, 100*profiled)
	if saved < 0.05 || saved > 0.6 || profiled < 0.05 {
		t.Errorf("the repair saves %.0f %% and its functions use %.0f %%, but 5 to 60 %% and at least 5 %% are wanted", 100*saved, 100*profiled)
	}
}

// profiled is the share of CPU time in the functions of the leak, callees included.
func (p *program) profiled(t *testing.T) float64 {
	t.Helper()
	file := filepath.Join(p.scratch, "profile")
	p.execute(t, "-test.cpuprofile="+file)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	samples, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	var all, leak int64
	for _, s := range samples.Sample {
		all += s.Value[0]
		if slices.ContainsFunc(s.Location, p.isLeak) {
			leak += s.Value[0]
		}
	}
	return float64(leak) / float64(all)
}

func (p *program) isLeak(l *profile.Location) bool {
	return slices.ContainsFunc(l.Line, func(line profile.Line) bool {
		return slices.ContainsFunc(p.Functions, func(id string) bool {
			name := strings.ReplaceAll(line.Function.Name, "%2e", ".")
			return name == id || strings.HasPrefix(name, id+".")
		})
	})
}
