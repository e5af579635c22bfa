// Package runner measures the tests of a Go module: it builds them
// instrumented, runs rounds of them under an energy meter, and returns a run.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
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

	// Cache is a folder for what can be used again in another measurement; "" is one
	// in the user's cache folder.
	Cache string

	Meter   string // a meter's name; "" is auto
	Meters  meter.Options
	Rounds  int           // 0: until psi has converged, 3 to 30
	Warmup  int           // rounds that are run first and thrown away
	Timeout time.Duration // of one package's tests in one round; 0 is ten minutes, as in go test

	Analysis      spell.Options
	IncludeFailed bool
	Settings      map[string]any // what the run record says of all this

	// Progress, if not nil, is told what is going on; fraction is 0 to 1, or
	// negative where nothing is known.
	Progress func(message string, fraction float64)
}

const (
	minRounds, maxRounds = 3, 30
	maxDropped           = 5 // with more, the meter does not work
	defaultTimeout       = 10 * time.Minute
)

// Measure carries out a measurement. Where nothing could be measured it
// returns an error: an *instrument.LoadError, a *BuildError, one that wraps
// ErrNoTest, or that of ctx. If it ends early after a round was complete, the
// run of what was measured so far is marked partial; it comes with the error
// of ctx if that was the cause, otherwise the run's warnings tell it.
func Measure(ctx context.Context, p Params) (*record.Run, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	m, err := newMeasurement(p)
	if err != nil {
		return nil, err
	}
	if err := m.openMeter(); err != nil {
		return nil, err
	}
	defer m.meter.Close() //nolint:errcheck // it was only read
	folder, remove, err := scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	m.scratch = folder
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	defer m.setUp.Names.Close() //nolint:errcheck // nothing of it is kept
	err = m.rounds(ctx)
	if err != nil && len(m.kept) == 0 {
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		m.warnings = append(m.warnings, "the measurement ended early: "+err.Error())
	}
	return m.run(err != nil), ctx.Err()
}

// newMeasurement fills in what p leaves open.
func newMeasurement(p Params) (*measurement, error) {
	m := &measurement{Params: p, started: time.Now()}
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
	if m.Granularity == "" {
		m.Granularity = spell.KindFunction
	}
	if m.Progress == nil {
		m.Progress = func(string, float64) {}
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
	meter     meter.Meter
	opened    time.Time     // the meter
	cpuBefore time.Duration // of all programs that have ended
	idle      []float64     // watts by domain
	build     *instrument.Build
	units     []spell.Component // what is ranked
	of        []int             // by component of the build, its unit
	workspace record.Workspace
	programs  []program
	setUp     probe.Setup
	index     probe.Index
	warm      []*round // the warm-up
	kept      []*round
	dropped   int
	// converged says that another round would not change psi.
	converged bool
	warnings  []string
	// cutShort are the packages whose programs ended before the testing package
	// had looked for tests.
	cutShort []string
}

func (m *measurement) openMeter() error {
	opened, reasons, err := meters.Open(m.Meter, m.Meters)
	if err != nil {
		return err
	}
	m.meter, m.opened = opened, time.Now()
	for _, r := range reasons {
		m.warnings = append(m.warnings, r.String())
	}
	return nil
}

func (m *measurement) prepare(ctx context.Context) error {
	m.Progress("finding the functions", -1)
	overlay, err := subfolder(m.scratch, "overlay")
	if err != nil {
		return err
	}
	m.build, err = instrument.Prepare(ctx, instrument.Params{
		Dir: m.Dir, Patterns: m.Patterns, Tags: m.Tags, Exclude: m.Exclude, Buffers: m.Buffers, Temp: overlay, Cache: m.Cache, Block: m.Block,
		Run: func(cmd *exec.Cmd) error { ownGroup(cmd); return run(cmd, func() {}) }, Progress: func(message string) { m.Progress(message, -1) },
	})
	if err != nil {
		return err
	}
	m.units, m.of = spell.Group(m.build.Components, m.Granularity)
	m.workspace = workspace(ctx, m.Dir, m.build)
	if why := m.build.Fallback; why != "" {
		m.warnings = append(m.warnings, "the Go runtime could not be asked when a goroutine runs ("+why+"): times are from entry to exit, less the waiting that a CPU profile shows, and less exact")
	}
	m.warnings = append(m.warnings, m.build.Warnings...)
	if len(m.build.Tests) == 0 {
		return m.noTests()
	}
	m.Progress(m.building(), -1)
	if m.programs, err = m.compile(ctx); err != nil {
		return err
	}
	m.Progress("measuring the idle machine", -1)
	if m.idle, err = m.idlePower(ctx); err != nil {
		return err
	}
	return m.count()
}

func (m *measurement) building() string {
	what := fmt.Sprintf("building the tests of %d packages", len(m.build.Tests))
	if m.build.StdStale {
		what = "building the instrumented standard library (once), and " + strings.TrimPrefix(what, "building ")
	}
	return what
}

// count makes ready what the programs count into.
func (m *measurement) count() (err error) {
	rows := probe.NamedRows{Unprobed: m.build.Unprobed, Packages: m.build.Packages}
	for _, c := range m.build.Components {
		name := "" // blocks, and rows that are not used, have none
		if c.Kind == spell.KindFunction {
			name = gosource.RuntimeName(c.Package, c.ID)
		}
		rows.Components = append(rows.Components, name)
	}
	n := len(m.build.Components)
	m.index = probe.NewIndex(rows)
	m.setUp = probe.Setup{
		Components: n, Subtests: m.Subtests, Hot: make([]probe.Hot, n),
		Owner: m.build.Owner, FirstBlock: m.build.FirstBlock, LastBlock: m.build.LastBlock,
	}
	if m.build.LastBlock > 0 {
		for _, c := range m.build.Components[m.build.FirstBlock : m.build.LastBlock+1] {
			m.setUp.BlockLines = append(m.setUp.BlockLines, blockLines(c))
		}
	}
	m.setUp.Names, err = probe.NewNames(m.index)
	return err
}

// blockLines are those whose time is a block's. The line on which it begins has
// its condition, which runs before it, but with each turn of a loop.
func blockLines(c spell.Component) [2]int {
	name := c.ID[strings.LastIndexAny(c.ID, ".#")+1:]
	if strings.HasPrefix(name, "for") || c.EndLine == c.Line {
		return [2]int{c.Line, c.EndLine}
	}
	return [2]int{c.Line + 1, c.EndLine}
}

// rounds runs the warm-up and the rounds. An error other than that of ctx
// means that no test ran, or that the meter does not work.
func (m *measurement) rounds(ctx context.Context) error {
	for i := range m.Warmup {
		r, err := m.validRound(ctx, "warm-up", m.fraction(i))
		if err != nil {
			return err
		}
		m.warm = append(m.warm, r)
	}
	var before *record.Run
	for len(m.kept) < m.planned() && !m.converged {
		r, err := m.validRound(ctx, m.title(), m.fraction(m.Warmup+len(m.kept)))
		if err != nil {
			return err
		}
		m.kept = append(m.kept, r)
		if m.Rounds == 0 && len(m.kept) >= minRounds {
			now := m.run(false)
			m.converged = before != nil && correlated(before, now)
			before = now
		}
	}
	return nil
}

// planned is how many rounds are kept at most.
func (m *measurement) planned() int {
	if m.Rounds > 0 {
		return m.Rounds
	}
	return maxRounds
}

func (m *measurement) title() string {
	if m.Rounds > 0 {
		return fmt.Sprintf("round %d of %d", len(m.kept)+1, m.Rounds)
	}
	return fmt.Sprintf("round %d (until psi is stable)", len(m.kept)+1)
}

// fraction says how much is done after so many rounds. Without a number of
// rounds it is a guess, and never comes near the end.
func (m *measurement) fraction(rounds int) float64 {
	all := m.Warmup + m.Rounds
	if m.Rounds == 0 {
		all = m.Warmup + minRounds + 1
	}
	return min(0.9, float64(rounds)/float64(all))
}

// validRound runs rounds until the meter could be read throughout one.
func (m *measurement) validRound(ctx context.Context, title string, fraction float64) (*round, error) {
	for {
		r, err := m.round(ctx, title, fraction)
		if fault := (*meterFault)(nil); errors.As(err, &fault) && m.dropped < maxDropped {
			m.dropped++
			m.warnings = append(m.warnings, "a round was dropped: "+err.Error())
			continue
		}
		if err == nil && len(r.tests) == 0 {
			err = m.nothingRan(r)
		}
		return r, err
	}
}

// run is the record of the rounds kept so far.
func (m *measurement) run(partial bool) *record.Run {
	info := m.meter.Info()
	r := &record.Run{
		Schema: record.Schema, ID: record.NewID(m.started), Started: m.started.UTC(),
		DurationMS: float64(time.Since(m.started)) / 1e6, Partial: partial,
		Workspace: m.workspace, Host: host(m.build.GoVersion),
		Meter: record.Meter{
			Name: info.Name, Source: info.Source, Domains: info.Domains,
			ResolutionMS: float64(info.Resolution) / 1e6, IdleW: sum(m.idle), Warnings: info.Warnings,
		},
		Settings: m.Settings, Mode: "instrument", Granularity: m.Granularity,
		Rounds: len(m.kept), DroppedRounds: m.dropped, Converged: m.converged, Warnings: m.allWarnings(),
	}
	p := m.attribute()
	index := fill(r, m.kept, m.units, info.Domains, m.resolved(p))
	if len(r.Components) == 0 && len(m.build.Components) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("none of the %d functions with a probe was called in a test: the tests call none of them, or run them in another process; otherwise the probes did not reach the tests, which is a fault of spell-lsp", len(m.build.Components)))
	}
	intervals(r, m.kept, index, m.Analysis, m.IncludeFailed)
	r.Analyze(m.Analysis, m.IncludeFailed)
	return r
}

// attribute shares the energy of the rounds kept, with what all rounds tell of
// the time of calls that were only counted.
func (m *measurement) attribute() *pool {
	p := newPool(len(m.build.Components))
	for _, r := range slices.Concat(m.warm, m.kept) {
		r.addTo(p)
	}
	for _, r := range m.kept {
		r.attribute(p, m.unit)
	}
	return p
}

// unit says to which unit the share of a component is added. Cumulative values do
// not add up, as one may have called another: what a unit of several used itself
// is the least that it can be.
func (m *measurement) unit(component int, s share) (int, share) {
	u := m.of[component]
	if m.units[u].ID != m.build.Components[component].ID {
		s.cumNS, s.wallNS, s.cumJoules = s.selfNS, s.selfNS, slices.Clone(s.joules)
	}
	return u, s
}

// resolved says of a unit whether its time rests on enough samples.
func (m *measurement) resolved(p *pool) func(unit int) bool {
	members := make([][]int, len(m.units))
	for component, u := range m.of {
		if u >= 0 {
			members[u] = append(members[u], component)
		}
	}
	return func(unit int) bool { return p.resolved(members[unit]...) }
}

// allWarnings are those of the measurement and of all rounds, each once.
func (m *measurement) allWarnings() []string {
	seen := make(map[string]bool)
	var all []string
	add := func(warnings []string) {
		for _, w := range warnings {
			if !seen[w] {
				seen[w] = true
				all = append(all, w)
			}
		}
	}
	add(m.warnings)
	for _, r := range m.kept {
		add(r.warnings)
	}
	return all
}

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}

// supported says why this machine cannot measure, or nil.
func supported() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("measuring works on Linux only, this is %s: run it in a Linux container or machine, and load the run record here", runtime.GOOS)
	}
	return nil
}
