package bisect

import (
	"context"
	"errors"
	"slices"

	"spell-lsp/runner/git"
	"spell-lsp/spell/bisection"
)

// A search is one call of Run.
type search struct {
	bisection.Search
	*history
	component string
	progress  func(Step)
	meter     *meter
	tried     []bisection.Finding
	number    int    // of commits that were begun
	last      string // of these
}

func (s *search) run(ctx context.Context) (*bisection.Result, error) {
	r := &bisection.Result{Outcome: bisection.NoDifference}
	change, err := s.Compare(s.Good, s.Bad)
	if err != nil {
		return nil, err
	}
	s.progress(Step{Rounds: change.Rounds, Changed: &change})
	r.Change = change.Difference()
	switch change.Verdict {
	case bisection.Cheaper:
		r.Outcome = bisection.BadCheaper
	case bisection.Dearer:
		err = s.narrow(ctx, r, s.chain)
	case bisection.Same:
	}
	if err != nil {
		return nil, err
	}
	s.describe(r)
	return r, nil
}

// narrow searches a history of first parents, and the sides that a culprit merged.
func (s *search) narrow(ctx context.Context, r *bisection.Result, chain []string) error {
	at, err := s.Narrow(chain)
	if err != nil {
		return err
	}
	r.Merge = ""
	parent, left := chain[at.Good], chain[at.Good+1:at.Bad+1]
	if len(left) == 1 {
		inside, err := s.intoMerge(ctx, r, parent, left[0])
		if inside || err != nil {
			return err
		}
	}
	r.Outcome, r.Commits, r.Parent = bisection.SeveralLeft, s.commits(left), s.commit(parent)
	if len(left) > 1 {
		return nil
	}
	return s.confirm(ctx, r, parent, left[0])
}

// intoMerge searches the other sides of a merge. inside tells whether the answer is there.
func (s *search) intoMerge(ctx context.Context, r *bisection.Result, parent, merge string) (inside bool, err error) {
	others := slices.DeleteFunc(slices.Clone(s.entries[merge].Parents), func(hash string) bool { return hash == parent })
	if len(others) == 0 {
		return false, nil
	}
	r.Merge = bisection.MergeItself
	for _, other := range others {
		side, err := s.side(ctx, parent, other)
		if err != nil {
			return false, err
		}
		if side == nil { // it has nothing that the parent does not have
			continue
		}
		end, err := s.placeOfSide(other)
		if err != nil {
			return false, err
		}
		if end == bisection.LikeGood {
			continue
		}
		r.Merge = bisection.MergeUnsure
		if end != bisection.LikeBad || side[0] == "" {
			return false, nil
		}
		if _, err := s.entry(ctx, side[0]); err != nil {
			return false, err
		}
		if begin, err := s.placeOfSide(side[0]); err != nil || begin != bisection.LikeGood {
			return false, err
		}
		return true, s.narrow(ctx, r, side)
	}
	return false, nil
}

// placeOfSide places a commit of a merged side: it stays undecided where the error that the search
// may make is spent.
func (s *search) placeOfSide(commit string) (bisection.Side, error) {
	s.meter.ahead = nil
	f, err := s.Place(commit)
	if errors.Is(err, bisection.ErrDecisions) {
		return bisection.Undecided, nil
	}
	return f.Side, err
}

// confirm compares a culprit with its parent, and finds the function.
func (s *search) confirm(ctx context.Context, r *bisection.Result, parent, culprit string) error {
	s.progress(Step{Commit: s.entries[culprit], Checking: true})
	made, err := s.Compare(parent, culprit)
	if err != nil {
		return err
	}
	difference := made.Difference()
	r.Made = &difference
	if made.Verdict != bisection.Dearer {
		r.Unconfirmed = true
		return nil
	}
	if r.Merge != bisection.MergeUnsure {
		r.Outcome = bisection.Culprit
	}
	return s.meter.explain(ctx, r, parent, culprit)
}

// found records a commit that was placed, and tells of it.
func (s *search) found(f bisection.Finding) {
	s.tried = append(s.tried, f)
	s.tell(f.Commit, f.Rounds, &f)
}

// progressed tells that rounds of some commits were taken.
func (s *search) progressed(commits []string) {
	for _, c := range commits {
		switch {
		case slices.ContainsFunc(s.tried, func(f bisection.Finding) bool { return f.Commit == c }):
			return // a culprit is being confirmed
		case c != s.Good && c != s.Bad:
			s.tell(c, s.meter.roundsOf(c), nil)
			return
		}
	}
	s.progress(Step{Rounds: s.meter.roundsOf(s.Good)})
}

func (s *search) tell(commit string, rounds int, f *bisection.Finding) {
	if commit != s.last {
		s.last = commit
		s.number++
	}
	s.progress(Step{Commit: s.entries[commit], Number: s.number, AtMost: max(s.number, s.AtMost()), Rounds: rounds, Finding: f})
}

// describe fills in what does not depend on how the search ended.
func (s *search) describe(r *bisection.Result) {
	r.Schema, r.Good, r.Bad = bisection.Schema, commitOf(s.good), commitOf(s.bad)
	if s.asked != nil {
		asked := commitOf(*s.asked)
		r.Asked = &asked
	}
	if r.Commits == nil {
		r.Commits = []bisection.Commit{}
	}
	r.Tried = []bisection.Tried{}
	for _, f := range s.tried {
		r.Tried = append(r.Tried, bisection.Tried{Commit: *s.commit(f.Commit), Side: f.Side, Rounds: f.Rounds, Reason: f.Reason})
	}
	r.Component, r.History, r.Shallow = s.component, s.size, s.repo.Shallow
	s.meter.describe(r)
}

func (s *search) commits(hashes []string) (list []bisection.Commit) {
	for _, hash := range hashes {
		list = append(list, *s.commit(hash))
	}
	return list
}

func (s *search) commit(hash string) *bisection.Commit {
	c := commitOf(s.entries[hash])
	return &c
}

func commitOf(e git.LogEntry) bisection.Commit {
	return bisection.Commit{Hash: e.Hash, Short: e.Short, Date: e.Date, Subject: e.Subject}
}
