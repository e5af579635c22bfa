package runner

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"spell-lsp/runner/execution"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// NoTests is a value of Params.Run that selects no test.
const NoTests = "^$"

// Params say what to measure and how. The zero value measures every test of
// the module in the current folder with the first meter that works.
type Params struct {
	Dir      string            // a folder of the module; "" is the current one
	Patterns []string          // packages; none means ./...
	Run      string            // regular expression that selects tests, as in go test -run; "" is all
	Bench    string            // the same for benchmarks; "" is none
	Tags     []string          // build tags
	Exclude  []string          // globs of files or folders whose functions are not measured
	Buffers  map[string][]byte `json:"-"` // an editor's unsaved text, by absolute path of the file
	Subtests bool              // subtests are rows of their own

	Granularity spell.Kind // what is ranked: package, file, type, function, goroutine or label; "" is function
	// Block is a function whose loop and branch bodies are ranked too, as
	// components of kind block; it goes with Granularity block. "" is none.
	Block string

	// Reach is a function, by its ID or a suffix of it: only the tests that execute it are
	// measured, found by one unmeasured round of all. "" measures all tests.
	Reach string

	// Scenarios are programs that are run in place of tests; each is a row.
	Scenarios []scenario.Scenario
	// Stdout and Stderr, if not nil, get what the programs of scenarios print.
	Stdout, Stderr io.Writer `json:"-"`

	// Mode is how it is known what runs; "" is ModeInstrument.
	Mode string

	// Library says whose the time of functions outside of the workspace is in mode sample. With
	// probes it is their caller's.
	Library spell.Library

	// LinearPower has the readings of the counter divided by a linear model, whatever they call for.
	LinearPower bool

	// Counts has calls counted in mode sample, in a round of its own of programs that are built with
	// the compiler's coverage. Probes count in any case.
	Counts bool

	// Calm has rounds of the programs as they are, in turns with the first ones, to see how far
	// measuring changes them.
	Calm bool

	// Cache is a folder for what later measurements can reuse; "" is one in the user's cache
	// folder.
	Cache string `json:"-"`

	Meter  string // a meter's name; "" is auto
	Meters meter.Options
	Rounds int // 0: 3 to 30, until another is not worth its length
	// For bounds the time in which rounds run, from the beginning of the first, warm-up
	// included: a round that would not end in time is not begun, but one is always run to its
	// end. 0 is no bound.
	For     time.Duration
	Warmup  int           // rounds that are run first and discarded
	Drop    int           // how many of the costliest rounds are left out
	Seed    uint32        // of the order of programs and tests; 0 draws one
	Timeout time.Duration // of one package's tests in one round; 0 is ten minutes, as in go test

	Analysis      spell.Options
	IncludeFailed bool
	Settings      map[string]any // goes into the run record as it is

	// Site is the machine that measures; nil is this one.
	Site Site `json:"-"`

	Progress func(Step) `json:"-"` // if not nil, is called with what is being done
	// Others, if not nil, lists the processes of other measurements on this machine; see
	// sampler.Others. A run says that there were some.
	Others func() []int `json:"-"`
	// Noticed, if not nil, is called with what the user should know before the end.
	Noticed func(note.Note) `json:"-"`
	// Found, if not nil, is called with the absolute names of the files that have components,
	// while their tests are built. Nothing is measured before it returns.
	Found func(files []string) `json:"-"`
	// Ran, if not nil, is called once, with the tests of the first round, of which only Name and Package are set.
	// An error ends the measurement, which then has no run. It is not called where another machine runs the rounds,
	// nor where a test of the round failed, so that some may not have run.
	Ran func([]record.Test) error `json:"-"`
}

// The modes.
const (
	ModeInstrument = "instrument" // probes in the program
	ModeSample     = "sample"     // samples of its stacks; the program is built as it is
	ModeAuto       = "auto"       // probes, unless the warm-up shows that they are dear
)

const (
	defaultTimeout       = 10 * time.Minute
	minRounds, maxRounds = 3, 30 // where Params.Rounds is 0
)

// newMeasurement fills in defaults and refuses what contradicts itself.
func newMeasurement(p Params) (*measurement, error) {
	p.Analysis.Order = ranking.OrderOf(p.Analysis.Order, true, p.Granularity)
	m := &measurement{Params: p, whole: len(p.Scenarios) > 0, started: time.Now(), began: time.Now(), first: make(map[string]*firstOutcomes), faults: make(map[string]int)}
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
	if m.Reach != "" || p.Mode == ModeAuto {
		m.Warmup = max(1, m.Warmup) // finds the tests that reach it, or what probes cost
	}
	if m.Granularity == "" {
		m.Granularity = spell.KindFunction
	}
	if m.Progress == nil {
		m.Progress = func(Step) {}
	}
	if m.Seed == 0 {
		m.Seed = 1 + rand.Uint32N(math.MaxUint32)
	}
	if p.For < 0 {
		return nil, fmt.Errorf("the measurement cannot be bounded to %v: the time must be above 0", p.For)
	}
	if most := maxRounds - minRounds - 1; m.Rounds == 0 && m.Drop > most {
		return nil, fmt.Errorf("%d rounds are too many to drop: with --rounds auto there are up to %d, of which %d may be dropped", m.Drop, maxRounds, most)
	}
	if m.Rounds > 0 && m.Drop >= m.Rounds {
		return nil, fmt.Errorf("%d of %d rounds cannot be dropped: --drop must be less than --rounds", m.Drop, m.Rounds)
	}
	if m.Mode = cmp.Or(m.Mode, ModeInstrument); m.Mode == ModeSample {
		m.sampling = &execution.Sampling{Period: samplePeriod, Open: openStacks}
	}
	if err := errors.Join(checkMode(m.Params), checkScenarios(p)); err != nil {
		return nil, err
	}
	if m.Granularity.AcrossFunctions() {
		m.view, m.Granularity = m.Granularity, spell.KindFunction
	}
	return m, checkPatterns(m.Dir, p.Patterns)
}

// globs replaces ./sub, sub/ and sub/** by sub, which means the same.
func globs(list []string) []string {
	var plain []string
	for _, glob := range list {
		plain = append(plain, strings.TrimSuffix(strings.TrimSuffix(path.Clean(filepath.ToSlash(glob)), "/**"), "/"))
	}
	return plain
}

// checkPatterns refuses files: the go command would make a package of its own of them.
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
