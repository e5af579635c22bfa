// Package bisection finds the commit that made something more expensive, although each
// measurement of it is noisy: a noisy machine costs more rounds, and does not lead to a
// wrong commit. It has no clock, files or processes: it asks a function for rounds.
//
// Rounds are taken in blocks of BlockRounds. A cycle is a block of the commit in question
// between a block of GOOD and one of BAD, in turns the one or the other first, so that a
// machine that becomes slower or faster evenly changes nothing: what counts in a cycle is how
// far the commit is above the middle of GOOD and BAD. Values are logarithms, since a change is
// a factor; of a block the median counts, which one disturbed round does not move.
//
// A sequential t-test decides from these distances on which side of the middle a commit is.
// The chance of any wrong decision in a search is at most Level: each of at most MaxDecisions
// commits may spend an equal part of it, and of that the k-th look at the cycles 1/(k(k+1)),
// which adds up to less than 1 however often it looks. A commit that is not decided within the
// rounds that it may get is like one that cannot be measured: the answer is then a range.
package bisection

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	"spell-lsp/spell/significance"
)

// What a search rests on.
const (
	BlockRounds  = 3    // rounds in a block
	Level        = 0.01 // the largest chance of a wrong decision in a search
	MaxDecisions = 24   // commits that are decided in a search: enough for histories of 2^20
	MinChange    = 0.02 // smaller changes are none: those of a program's layout are as large
	// DefaultRounds is how many rounds a commit may get.
	DefaultRounds = 90

	placeCycles   = 4 // the fewest before a commit is placed
	compareCycles = 6 // the fewest before two commits differ, and of the interval of the change
	maxUndecided  = 3 // commits in one history
	maxSkipped    = 20
)

// A Measure takes a block of rounds of each of the commits, one after the other. An error is
// a *SkipError if a commit cannot be measured; any other ends the search.
type Measure func(commits ...string) (blocks [][]float64, err error)

// A SkipError says that a commit cannot be measured, as when it does not build.
type SkipError struct{ Commit, Reason string }

func (e *SkipError) Error() string { return e.Reason }

// A Side says where a commit is.
type Side string

// The sides.
const (
	LikeGood  Side = "good"
	LikeBad   Side = "bad"
	Undecided Side = "undecided" // too near to the middle for the rounds that it got
	Skipped   Side = "skipped"   // it cannot be measured
)

// A Finding says what is known of a commit.
type Finding struct {
	Commit string
	Side   Side
	Rounds int    // that it got
	Reason string // why it is skipped
}

// A Search compares commits with GOOD and BAD.
type Search struct {
	Good, Bad string
	Measure   Measure
	MaxRounds int           // that a commit may get; 0 = DefaultRounds
	Found     func(Finding) // if not nil, is called for each commit that was tried
	// Ahead, if not nil, is told before a commit of a history is placed which ones may be placed next: first that
	// commit, then those in the middle of what it leaves on either side, and so on.
	Ahead func(commits []string)

	decisions int
	findings  map[string]Finding
	changes   map[[2]string]Change
	left      int // commits that halving the range still needs
}

// ErrDecisions says that the error that a search may make is spent.
var ErrDecisions = errors.New("too many commits would have to be decided for the error to stay within 1 %")

// Place finds the side of a commit. Asked again it gives the same answer.
func (s *Search) Place(commit string) (Finding, error) {
	switch commit {
	case s.Good:
		return Finding{Commit: commit, Side: LikeGood}, nil
	case s.Bad:
		return Finding{Commit: commit, Side: LikeBad}, nil
	}
	if f, known := s.findings[commit]; known {
		return f, nil
	}
	f, err := s.place(commit)
	if err != nil {
		return f, err
	}
	if s.findings == nil {
		s.findings = make(map[string]Finding)
	}
	s.findings[commit] = f
	s.left = max(0, s.left-1)
	if s.Found != nil {
		s.Found(f)
	}
	return f, nil
}

func (s *Search) place(commit string) (Finding, error) {
	f := Finding{Commit: commit, Side: Undecided}
	if s.decisions >= MaxDecisions-1 { // the last is that of the culprit and its parent
		return f, ErrDecisions
	}
	t, err := s.test(placeCycles)
	if err != nil {
		return f, err
	}
	for !t.over() {
		levels, err := s.cycle(t.cycles(), s.Good, commit, s.Bad)
		if skip := (*SkipError)(nil); errors.As(err, &skip) && skip.Commit == commit {
			if t.look == 1 { // nothing was looked at, so that nothing could be decided wrongly
				s.decisions--
			}
			return Finding{Commit: commit, Side: Skipped, Rounds: f.Rounds, Reason: skip.Reason}, nil
		}
		if err != nil {
			return f, err
		}
		f.Rounds += BlockRounds
		switch t.add(levels[1] - (levels[0]+levels[2])/2) {
		case 1:
			f.Side = LikeBad
			return f, nil
		case -1:
			f.Side = LikeGood
			return f, nil
		}
	}
	return f, nil
}

// AtMost is how many commits are tried in all, unless some of those that are still to be tried
// stay undecided or cannot be measured.
func (s *Search) AtMost() int { return len(s.findings) + s.left }

// test is the test of the next decision.
func (s *Search) test(fewest int) (*test, error) {
	if s.decisions == MaxDecisions {
		return nil, ErrDecisions
	}
	s.decisions++
	most := s.MaxRounds
	if most == 0 {
		most = DefaultRounds
	}
	return newTest(Level/MaxDecisions, fewest, most/BlockRounds), nil
}

// cycle measures a block of each of the commits, every other time from the last to the first,
// and returns their logarithms in the order of the commits.
func (s *Search) cycle(number int, commits ...string) ([]float64, error) {
	backwards := number%2 == 1
	order := slices.Clone(commits)
	if backwards {
		slices.Reverse(order)
	}
	blocks, err := s.Measure(order...)
	if err != nil {
		return nil, err
	}
	levels := make([]float64, len(blocks))
	for i, block := range blocks {
		middle := significance.Median(block)
		if !(middle > 0) {
			return nil, &SkipError{order[i], "what was measured is 0"}
		}
		levels[i] = math.Log(middle)
	}
	if backwards {
		slices.Reverse(levels)
	}
	return levels, nil
}

// A Verdict says how two commits differ.
type Verdict string

// The verdicts.
const (
	Dearer  Verdict = "dearer"
	Cheaper Verdict = "cheaper"
	Same    Verdict = "same" // no difference was found, or none of MinChange
)

// A Change is the relative change from one commit to another.
type Change struct {
	Verdict Verdict
	Change  float64    // 0.15 is 15 % more
	CI      [2]float64 // 95 % interval of Change
	Rounds  int        // of each commit
}

// Compare says whether the second commit is more expensive than the first. Asked again it gives the same
// answer.
func (s *Search) Compare(first, second string) (Change, error) {
	pair := [2]string{first, second}
	if c, known := s.changes[pair]; known {
		return c, nil
	}
	c, err := s.compare(first, second)
	if err == nil {
		if s.changes == nil {
			s.changes = make(map[[2]string]Change)
		}
		s.changes[pair] = c
	}
	return c, err
}

func (s *Search) compare(first, second string) (Change, error) {
	t, err := s.test(compareCycles)
	if err != nil {
		return Change{}, err
	}
	sign := 0
	for sign == 0 && !t.over() {
		levels, err := s.cycle(t.cycles(), first, second)
		if err != nil {
			return Change{}, err
		}
		sign = t.add(levels[1] - levels[0])
	}
	c := t.change()
	switch c.Rounds = BlockRounds * t.cycles(); {
	case sign > 0 && c.Change >= MinChange:
		c.Verdict = Dearer
	case sign < 0 && c.Change <= -MinChange:
		c.Verdict = Cheaper
	default:
		c.Verdict = Same
	}
	return c, nil
}

// A Range is what is known of a history: the last commit that is like GOOD, and the first
// behind it that is like BAD, by index. Between them are only commits of which that is not
// known.
type Range struct{ Good, Bad int }

// Narrow searches a history, from a commit that is like GOOD to one that is like BAD, each with
// the one before it as its parent. It tries the commit in the middle, and where that is not
// decided, the one in the middle of the longest part that was not tried. Once several commits are
// undecided, or many cannot be measured, more rounds would be spent in vain.
func (s *Search) Narrow(history []string) (Range, error) {
	r := Range{0, len(history) - 1}
	unknown, undecided, skipped := make(map[int]bool), 0, 0
	for undecided < maxUndecided && skipped < maxSkipped {
		i := next(r, unknown)
		if i < 0 {
			break
		}
		s.left = bits.Len(uint(r.Bad - r.Good - 1))
		if s.Ahead != nil {
			s.Ahead(ahead(r, unknown, history))
		}
		f, err := s.Place(history[i])
		if errors.Is(err, ErrDecisions) {
			break
		}
		if err != nil {
			return r, err
		}
		switch f.Side {
		case LikeGood:
			r.Good = i
		case LikeBad:
			r.Bad = i
		case Undecided:
			undecided++
			unknown[i] = true
		case Skipped:
			skipped++
			unknown[i] = true
		}
	}
	return r, nil
}

// ahead are the commits in the order in which they may be placed.
func ahead(r Range, tried map[int]bool, history []string) (list []string) {
	for ranges := []Range{r}; len(ranges) > 0; ranges = ranges[1:] {
		if i := next(ranges[0], tried); i >= 0 {
			list = append(list, history[i])
			ranges = append(ranges, Range{ranges[0].Good, i}, Range{i, ranges[0].Bad})
		}
	}
	return list
}

// next is the middle of the longest part of a range without commits that were tried; -1 if there
// is none.
func next(r Range, tried map[int]bool) int {
	middle, longest, from := -1, 0, r.Good+1
	for i := from; i <= r.Bad; i++ {
		if i < r.Bad && !tried[i] {
			continue
		}
		if n := i - from; n > longest {
			middle, longest = from+(n-1)/2, n
		}
		from = i + 1
	}
	return middle
}
