package bisect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/runner"
	"spell-lsp/runner/git"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
)

// A meter measures commits in a scratch repository, always in the same folder: the go command then
// builds again only what differs.
type meter struct {
	p        Params
	h        *history
	folder   *scratch.Folder
	kept     *kept
	progress func(commits []string)
	replayed int            // rounds that were taken from earlier starts
	taken    map[string]int // rounds, by commit
	ahead    []string       // commits that may be placed next
	turns    turns
}

func newMeter(ctx context.Context, p Params, h *history) (*meter, error) {
	kept, err := openKept(p, h)
	if err != nil {
		return nil, err
	}
	folder, err := scratch.New()
	if err != nil {
		kept.close()
		return nil, err
	}
	m := &meter{p: p, h: h, folder: folder, kept: kept, taken: make(map[string]int)}
	if _, err = scratch.Sub(folder.Dir, repository); err == nil {
		err = git.Borrow(ctx, m.dir(), h.repo)
	}
	if err != nil {
		m.remove()
		return nil, fmt.Errorf("making the repository for checkouts: %w", err)
	}
	return m, nil
}

const repository = "repository"

// measureRun measures what is checked out. Tests change it.
var measureRun = runner.Measure

func (m *meter) dir() string { return filepath.Join(m.folder.Dir, repository) }

func (m *meter) remove() {
	m.folder.Remove()
	m.kept.close()
}

func (m *meter) roundsOf(commit string) int { return m.taken[commit] }

// cycle measures a block of rounds of each of the commits, or takes those that an earlier start
// has measured in the same cycle. Blocks of different starts never make a cycle: they are not near
// in time.
func (m *meter) cycle(ctx context.Context, commits []string) ([][]float64, error) {
	c, old, known := m.kept.next(commits)
	if !known {
		if err := m.take(ctx, commits); err != nil {
			return nil, err
		}
		if c, _, known = m.kept.next(commits); !known {
			return nil, errors.New("a cycle that was measured is not there")
		}
	}
	if c.Skip != nil {
		return nil, &bisection.SkipError{Commit: c.Skip.Commit, Reason: c.Skip.Reason}
	}
	for i, commit := range commits {
		m.taken[commit] += len(c.Blocks[i])
		if old {
			m.replayed += len(c.Blocks[i])
		}
	}
	m.progress(commits)
	return c.Blocks, nil
}

// take measures a cycle of the commits, at least, and keeps it.
func (m *meter) take(ctx context.Context, commits []string) error {
	if m.p.Turns != nil {
		return m.takeOnNodes(ctx, commits)
	}
	runs := make([]*record.Run, len(commits))
	for i, commit := range commits {
		run, err := m.measure(ctx, commit, bisection.BlockRounds)
		if skip := (*bisection.SkipError)(nil); errors.As(err, &skip) {
			return m.skip(commits, skip)
		}
		if err != nil {
			return err
		}
		runs[i] = run
	}
	if err := m.kept.settle(commits, runs, m.p.Component != ""); err != nil {
		return err
	}
	return m.keep(m.cycleOf(commits, runs))
}

// skip keeps that a commit of a cycle cannot be measured. Of GOOD and BAD that is not kept: it ends the search.
func (m *meter) skip(commits []string, why *bisection.SkipError) error {
	return m.keep(cycle{Commits: slices.Clone(commits), Skip: &skipped{why.Commit, why.Reason}})
}

// keep keeps cycles. One in which GOOD or BAD cannot be measured is an error.
func (m *meter) keep(list ...cycle) error {
	for _, c := range list {
		if c.Skip != nil && (c.Skip.Commit == m.h.good.Hash || c.Skip.Commit == m.h.bad.Hash) {
			return &bisection.SkipError{Commit: c.Skip.Commit, Reason: c.Skip.Reason}
		}
	}
	return m.kept.add(list...)
}

// cycleOf is the cycle of runs that were settled. Of one in which a commit cannot be measured that is all it has.
func (m *meter) cycleOf(commits []string, runs []*record.Run) cycle {
	c := cycle{Commits: slices.Clone(commits)}
	for i, commit := range commits {
		values, err := m.values(runs[i])
		if err != nil {
			return cycle{Commits: c.Commits, Skip: &skipped{commit, err.Error()}}
		}
		c.Blocks = append(c.Blocks, values)
	}
	m.turns.add(commits, runs)
	return c
}

// measure checks a commit out and measures it.
func (m *meter) measure(ctx context.Context, commit string, rounds int) (*record.Run, error) {
	p, err := m.checkout(ctx, commit)
	if err != nil {
		return nil, err
	}
	p.Rounds = rounds
	run, err := measureRun(ctx, p)
	return run, m.skipped(ctx, commit, err)
}

// checkout checks a commit out, and says how it is measured.
func (m *meter) checkout(ctx context.Context, commit string) (p runner.Params, err error) {
	if err := git.Checkout(ctx, m.dir(), commit); err != nil {
		if ctx.Err() != nil {
			return p, err
		}
		return p, fmt.Errorf("checking out %s: %w; if this is a partial clone, fetch the objects that it lacks: git fetch --refetch --no-filter", m.h.entries[commit].Short, err)
	}
	p = m.p.Measure
	p.Dir = filepath.Join(m.dir(), filepath.FromSlash(m.h.repo.Prefix))
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return p, &bisection.SkipError{Commit: commit, Reason: "it has no folder " + m.h.repo.Prefix}
	}
	p.Warmup, p.Drop, p.For, p.Reach = 0, 0, 0, ""
	m.kept.narrow(&p)
	return p, nil
}

// skipped is the error of a measurement, as that of the commit if it is the commit's.
func (m *meter) skipped(ctx context.Context, commit string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case unmeasurable(err):
		return &bisection.SkipError{Commit: commit, Reason: firstLines(m.inRepository(err.Error()))}
	}
	return err
}

// unmeasurable tells whether an error of a measurement is the commit's.
func unmeasurable(err error) bool {
	return errors.As(err, new(*gocmd.FolderError)) || errors.As(err, new(*gocmd.LoadError)) || errors.As(err, new(*runner.BuildError)) || errors.Is(err, runner.ErrNoTest)
}

// inRepository names files as they are named in the repository: the checkout is gone when the text
// is read.
func (m *meter) inRepository(text string) string {
	text = strings.ReplaceAll(text, m.dir()+string(filepath.Separator), "")
	return strings.ReplaceAll(text, m.dir(), "the repository")
}

// firstLines shortens what a compiler says.
func firstLines(text string) string {
	const most = 3
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("... (%d more lines)", len(lines)-most))
	}
	return strings.Join(lines, "\n")
}

// values are the energy or time of each round of a run: of the tests that were agreed on, or of
// the component, which counts only where these tests pass. An error says why there are none.
func (m *meter) values(run *record.Run) ([]float64, error) {
	var all [][]float64
	for _, name := range m.kept.Tests {
		t := testOf(run, name)
		switch {
		case t == nil:
			return nil, fmt.Errorf("it has no test %s", name)
		case t.Outcome != record.Pass:
			return nil, fmt.Errorf("%s does not pass: %s", name, t.Outcome)
		case m.kept.Quantity == bisection.Time:
			all = append(all, t.RoundTimeMS)
			continue
		}
		for _, d := range run.Meter.Domains {
			all = append(all, ownEnergy(t, d))
		}
	}
	if m.p.Component != "" {
		return m.ofComponent(run)
	}
	return known(record.AddSeries(all), strings.Join(m.kept.Tests, ", "))
}

func (m *meter) ofComponent(run *record.Run) ([]float64, error) {
	i, err := grouping.Find(run, m.p.Component)
	if err != nil {
		return nil, err
	}
	c := &run.Components[i]
	if m.kept.Quantity == bisection.Time {
		return known(c.RoundTimeMS, c.ID)
	}
	var all [][]float64
	for _, d := range run.Matrix.Domains {
		all = append(all, c.RoundEnergyJ[d])
	}
	return known(record.AddSeries(all), c.ID)
}

// ownEnergy is the energy of a test by round without that of the idle machine and of other
// processes. No commit causes these, and they grow with the time that the test takes: on a busy
// machine that varies several times as much as what the test itself uses.
func ownEnergy(t *record.Test, d spell.Domain) []float64 {
	own := slices.Clone(t.RoundEnergyJ[d])
	if len(t.RoundTimeMS) != len(own) || !(t.TimeMS > 0) {
		return own
	}
	foreign := t.Unattributed[record.Idle].EnergyJ[d] + t.Unattributed[record.Others].EnergyJ[d]
	for i := range own {
		own[i] -= foreign * t.RoundTimeMS[i] / t.TimeMS
	}
	return own
}

func known(values []float64, name string) ([]float64, error) {
	if len(values) == 0 {
		return nil, fmt.Errorf("nothing was measured of %s by round", name)
	}
	return values, nil
}

func testOf(run *record.Run, name string) *record.Test {
	i := slices.IndexFunc(run.Tests, func(t record.Test) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &run.Tests[i]
}

// topLevel selects tests by their names in a record, with the subtests of the user's pattern.
func topLevel(tests []string, packages []string, pattern string) string {
	var quoted []string
	for i, name := range tests {
		name = strings.TrimPrefix(name, packages[i]+".")
		name, _, _ = strings.Cut(name, "/")
		quoted = append(quoted, regexp.QuoteMeta(name))
	}
	slices.Sort(quoted)
	own := "^(" + strings.Join(slices.Compact(quoted), "|") + ")$"
	if _, subtests, ok := strings.Cut(pattern, "/"); ok {
		own += "/" + subtests
	}
	return own
}

// describe fills in how it was measured.
func (m *meter) describe(r *bisection.Result) {
	r.Tests, r.Quantity, r.Meter, r.Source = m.kept.Tests, m.kept.Quantity, m.kept.Meter, m.kept.Source
	for _, rounds := range m.taken {
		r.Rounds += rounds
	}
	r.Kept = m.replayed
}
