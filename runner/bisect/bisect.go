// Package bisect finds the commit of a git history that made a test or a function more expensive. It
// checks commits out in a scratch repository of its own, measures them, and asks package
// bisection which to measure next. The workspace and its repository are only read.
package bisect

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"spell-lsp/runner"
	"spell-lsp/runner/git"
	"spell-lsp/spell/bisection"
)

// Params say what to search for.
type Params struct {
	Good, Bad string // revisions, as in gitrevisions(7)
	// Measure says how commits are measured: Run selects the tests, and Dir is a folder of the
	// workspace. Rounds and what belongs to them is decided here.
	Measure runner.Params
	// Turns, if not nil, begins to measure several commits at a time, on Nodes nodes of a cluster. Those that are
	// compared run on one node, in turns.
	Turns func() (Turns, error)
	Nodes int
	// Component is a function, by its ID or the end of it, whose self values are compared instead
	// of the tests'; "" is none.
	Component string
	MaxRounds int    // that a commit may get; 0 = bisection.DefaultRounds
	Restart   bool   // forget the rounds of earlier starts
	Cache     string // folder for kept rounds; "" is one in the user's cache folder
	Progress  func(Step)
}

// A Step says what a search is doing. It is about one commit, or about GOOD and BAD.
type Step struct {
	Kept     int    // rounds of earlier starts, in the first step
	Unsafe   error  // why no rounds are kept, in the first step
	Doing    string // what nodes are doing; the rest says nothing then
	Missing  error  // why nodes have measured less than they should; the rest says nothing then
	Commit   git.LogEntry
	Number   int                // of the commit, from 1; 0 = GOOD and BAD are being compared
	AtMost   int                // commits that are tried, unless some cannot be measured
	Rounds   int                // that it has so far
	Finding  *bisection.Finding // nil = it is not decided yet
	Changed  *bisection.Change  // of GOOD and BAD, once that is known
	Checking bool               // what the commit changed is being measured, see Params
}

// A ReferenceError says that GOOD or BAD, with which all other commits are compared, cannot be
// measured.
type ReferenceError struct {
	Name   string // GOOD or BAD
	Commit string // short hash
	Asked  string // short hash of the GOOD of the user, where the search began with Commit instead; "" = it did not
	Reason string
}

func (e *ReferenceError) Error() string {
	commit := e.Commit
	if e.Asked != "" {
		commit += ", with which the search begins, because " + e.Asked + " is no first parent of BAD"
	}
	return fmt.Sprintf("%s (%s) cannot be measured: %s", e.Name, commit, e.Reason)
}

// Run searches. An error says that there is no answer; an uncertain one is none.
func Run(ctx context.Context, p Params) (*bisection.Result, error) {
	if p.Progress == nil {
		p.Progress = func(Step) {}
	}
	dir, err := filepath.Abs(p.Measure.Dir)
	if err != nil {
		return nil, err
	}
	h, err := findHistory(ctx, dir, p.Good, p.Bad)
	if err != nil {
		return nil, err
	}
	m, err := newMeter(ctx, p, h)
	if err != nil {
		return nil, err
	}
	defer m.remove()
	s := &search{history: h, component: p.Component, progress: p.Progress, meter: m, Search: bisection.Search{
		Good: h.good.Hash, Bad: h.bad.Hash, MaxRounds: p.MaxRounds,
		Measure: func(commits ...string) ([][]float64, error) { return m.cycle(ctx, commits) },
	}}
	s.Found, m.progress = s.found, s.progressed
	s.Ahead = func(commits []string) { m.ahead = commits }
	p.Progress(Step{Kept: m.kept.rounds(), Unsafe: m.kept.unsafe})
	result, err := s.run(ctx)
	return result, s.explained(err)
}

// explained says GOOD or BAD where one of them cannot be measured.
func (s *search) explained(err error) error {
	skip := (*bisection.SkipError)(nil)
	if !errors.As(err, &skip) {
		return err
	}
	name := map[string]string{s.Good: "GOOD", s.Bad: "BAD"}[skip.Commit]
	if name == "" {
		name = "a commit that was measured before"
	}
	e := &ReferenceError{Name: name, Commit: s.entries[skip.Commit].Short, Reason: skip.Reason}
	if s.meter.roundsOf(skip.Commit) > 0 {
		e.Reason += "\nIt was measured before, so that the test seems to fail now and then: start again, and the search goes on with the rounds that it has."
	}
	if s.asked != nil && skip.Commit == s.Good {
		e.Asked = s.asked.Short
	}
	return e
}
