// Package runner measures the tests of a Go module: it builds them
// instrumented, runs rounds of them under an energy meter, and returns a run.
//
// Functions share the energy that depends on what runs. That of disks and of the network
// depends on the bytes that a program moves, which are counted for the program as a
// whole: runs have it of tests only, as record.NotByFunction.
//
// What a program's child processes use, and theirs, is in no function either, but a part
// of its own, record.Children: package children says how they are followed. Their power is
// a row of the model of a counter's energy; a meter that computes from CPU time has theirs
// added (meter.Info.PerCPUSecond).
package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Params say what to measure and how. The zero value measures every test of
// the module in the current folder with the first meter that works.
type Params struct {
	Dir      string            // a folder of the module; "" is the current one
	Patterns []string          // packages; none means ./...
	Run      string            // regular expression that chooses tests, as in go test -run; "" is all
	Bench    string            // the same for benchmarks; "" is none
	Tags     []string          // build tags
	Exclude  []string          // globs of files or folders whose functions are not measured
	Buffers  map[string][]byte // text that stands for a file, by absolute path
	Subtests bool              // subtests are rows of their own

	Granularity spell.Kind // what is ranked: package, file, type or function; "" is function
	// Block is a function whose loop and branch bodies are ranked too, as
	// components of kind block; it goes with Granularity block. "" is none.
	Block string

	// Reach is a function, by its ID or the end of it: after one round of all tests,
	// which is not measured, only those count that executed it. "" is all.
	Reach string

	// Cache is a folder for what can be used again in another measurement; "" is one
	// in the user's cache folder.
	Cache string

	Meter   string // a meter's name; "" is auto
	Meters  meter.Options
	Rounds  int           // 0: until psi has converged, 3 to 30
	Warmup  int           // rounds that are run first and thrown away
	Drop    int           // so many of the costliest rounds are left out
	Seed    uint32        // of the order of programs and tests; 0: one is drawn
	Timeout time.Duration // of one package's tests in one round; 0 is ten minutes, as in go test

	Analysis      spell.Options
	IncludeFailed bool
	Settings      map[string]any // what the run record says of all this

	// Progress, if not nil, is told what is going on; fraction is 0 to 1, or
	// negative where nothing is known.
	Progress func(message string, fraction float64)
	// Found, if not nil, is told the files that have components, absolute. Their tests
	// are built meanwhile, and nothing is measured before it returns.
	Found func(files []string)
}

// Errors of a measurement that a caller may want to tell apart.
type (
	// A BuildError says that no package's tests could be built.
	BuildError = execution.BuildError
	// A MeterError says that the meter could not be read.
	MeterError = execution.MeterError
)

const defaultTimeout = 10 * time.Minute

// Measure carries out a measurement. Where nothing could be measured it
// returns an error: an *gocmd.LoadError, a *BuildError, a *MeterError, one
// that wraps ErrNoTest or ErrUnreached, or that of ctx. If it ends early after a round was complete, the
// run of what was measured so far is marked partial; it comes with the error
// of ctx if that was the cause, otherwise the run's warnings tell it.
func Measure(ctx context.Context, p Params) (*record.Run, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	run, err := measureOnce(ctx, p, "")
	fault := (*MeterError)(nil)
	if auto := p.Meter == "" || p.Meter == meters.Auto; auto && run == nil && errors.As(err, &fault) {
		// A meter that went bad is found bad when it is opened again, and another taken.
		return measureOnce(ctx, p, fmt.Sprintf("the measurement was begun again, as the first meter failed: %v", err))
	}
	return run, err
}

// measureOnce measures with a meter that stays, and with a warning, if not "".
func measureOnce(ctx context.Context, p Params, warning string) (*record.Run, error) {
	m, err := newMeasurement(p)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		m.warn(warning)
	}
	defer m.end()
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	return m.measure(ctx)
}

// begin opens the meter, and builds what the rounds run.
func (m *measurement) begin(ctx context.Context) error {
	if err := m.openMeter(); err != nil {
		return err
	}
	m.onEnd(m.meter.Close)
	folder, err := scratch.New()
	if err != nil {
		return err
	}
	m.onEnd(folder.Remove)
	if warning := folder.Warning(); warning != "" {
		m.warn(warning)
	}
	m.scratch = folder.Dir
	return m.prepare(ctx)
}

// onEnd notes what is to be closed; end closes it, the last first.
func (m *measurement) onEnd(closes func()) { m.closing = append(m.closing, closes) }

func (m *measurement) end() {
	for _, closes := range slices.Backward(m.closing) {
		closes()
	}
}

// measure runs the rounds and makes the record.
func (m *measurement) measure(ctx context.Context) (*record.Run, error) {
	err := m.rounds(ctx)
	if err != nil && len(m.kept) == 0 {
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		m.warnings = append(m.warnings, "the measurement ended early: "+err.Error())
	}
	m.dropCostliest(m.Drop)
	if drift := m.drift(); drift != "" {
		m.warn(drift)
	}
	return m.record(err != nil), ctx.Err()
}

// newMeasurement fills in what p leaves open.
func newMeasurement(p Params) (*measurement, error) {
	m := &measurement{Params: p, started: time.Now(), first: make(map[string]*firstOutcomes), faults: make(map[string]int)}
	var err error
	if m.Dir, err = filepath.Abs(p.Dir); err != nil {
		return nil, fmt.Errorf("finding the folder: %w", err)
	}
	// One name for each file: the overlay and the go command must agree.
	m.Dir = realPath(m.Dir)
	m.Buffers = make(map[string][]byte, len(p.Buffers))
	for name, text := range p.Buffers {
		m.Buffers[filepath.Join(realPath(filepath.Dir(name)), filepath.Base(name))] = text
	}
	m.Exclude = globs(p.Exclude)
	if m.Timeout == 0 {
		m.Timeout = defaultTimeout
	}
	if m.Reach != "" {
		m.Warmup = max(1, m.Warmup) // which shows what reaches it
	}
	if m.Granularity == "" {
		m.Granularity = spell.KindFunction
	}
	if m.Progress == nil {
		m.Progress = func(string, float64) {}
	}
	if m.Seed == 0 {
		m.Seed = 1 + rand.Uint32N(math.MaxUint32)
	}
	if most := maxRounds - minRounds - 1; m.Rounds == 0 && m.Drop > most {
		return nil, fmt.Errorf("%d rounds are too many to drop: with --rounds auto there are up to %d, of which %d may be dropped", m.Drop, maxRounds, most)
	}
	if m.Rounds > 0 && m.Drop >= m.Rounds {
		return nil, fmt.Errorf("%d of %d rounds cannot be dropped: --drop must be less than --rounds", m.Drop, m.Rounds)
	}
	return m, checkPatterns(m.Dir, p.Patterns)
}

// realPath is the name of a folder without links, or the name itself where
// there is no such folder.
func realPath(dir string) string {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	return dir
}

// globs takes ./sub, sub/ and sub/** for what they mean: the folder sub.
func globs(list []string) []string {
	var plain []string
	for _, glob := range list {
		plain = append(plain, strings.TrimSuffix(strings.TrimSuffix(path.Clean(filepath.ToSlash(glob)), "/**"), "/"))
	}
	return plain
}

// checkPatterns refuses files: the go command would make a package of them
// that is nobody's.
func checkPatterns(dir string, patterns []string) error {
	for _, p := range patterns {
		name := p
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if info, err := os.Stat(name); strings.HasSuffix(p, ".go") && (err != nil || !info.IsDir()) {
			return fmt.Errorf("%s is a file: name its package (%s), and choose tests with --run", p, packageOf(p))
		}
	}
	return nil
}

func packageOf(file string) string {
	dir := filepath.ToSlash(filepath.Dir(file))
	if dir == "." || path.IsAbs(dir) || strings.HasPrefix(dir, "..") {
		return dir
	}
	return "./" + dir
}

// A measurement is one call of Measure under way.
type measurement struct {
	Params
	started   time.Time
	scratch   string // the folder for everything that is temporary
	meter     *execution.Meter
	info      meter.Info // of meter
	machine   attribution.Machine
	reference execution.Reference
	model     *attribution.Model
	subject
	programs []program
	series
	first    map[string]*firstOutcomes // by package
	faults   map[string]int            // of the meter in a row, by package that was executed
	warnings []string
	closing  []func()
}

func (m *measurement) openMeter() error {
	opened, err := execution.OpenMeter(m.Meter, m.Params.Meters)
	if err != nil {
		return err
	}
	m.meter, m.info, m.machine = opened, opened.Info(), opened.Machine()
	for _, r := range opened.Reasons() {
		text := r.String()
		if r.Remedy != "" {
			text += " (spell-lsp doctor tells how to make it work)"
		}
		m.warn(text)
	}
	return nil
}

// warn adds a warning, once.
func (m *measurement) warn(text string) {
	if !slices.Contains(m.warnings, text) {
		m.warnings = append(m.warnings, text)
	}
}

// supported says why this machine cannot measure, or nil.
func supported() error {
	if known := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"; runtime.GOOS != "linux" || !known {
		return fmt.Errorf("measuring works on Linux on amd64 and arm64 only, this is %s/%s: measure on such a machine, and load the run record here", runtime.GOOS, runtime.GOARCH)
	}
	return nil
}
