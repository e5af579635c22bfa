// Package alternatives compares the rows of a run that are alternatives for one purpose:
// subbenchmarks and subtests whose names differ in the value of one key, as in
// BenchmarkSet/impl=map/n=100 and BenchmarkSet/impl=slice/n=100.
//
// The rules:
//
//   - Measured energy decides. Where the energy is estimated, below resolution or not known, time does.
//   - Two alternatives are compared by the ratios of their values in the same rounds, so that what slows the
//     machine in a round cancels out: Wilcoxon's signed-rank test of the logarithms, with Holm's correction
//     over all pairs of one size. They are tied unless it is significant and the ratio, by the
//     Hodges-Lehmann estimate, is at least 1 + MinChange.
//   - The rank of an alternative is one more than the number of those that are better than it. All of
//     rank 1 are the best: nothing is better than they are.
//   - The best change between two sizes where none of the best up to the one is among the best of the other.
package alternatives

import (
	"cmp"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
	"spell-lsp/spell/summary"
)

// Schema names the version of the JSON form of a Result.
const Schema = "spell-lsp/alternatives/v1"

const (
	// Level is the level of significance of the pairs of one size together. It is lower than usual because
	// there are many sizes: who takes equal alternatives for different changes code for nothing.
	Level = 0.02
	// MinChange is the relative difference below which two alternatives are tied, however
	// significant it is: where code lies in memory may make as much.
	MinChange = 0.02
)

// Options say which keys of the names are what.
type Options struct {
	Key  string // whose values are the alternatives; "" is the one whose values are not all numbers
	Size string // whose values are sizes; "" is n, size or len
}

// A Result is the comparison of all alternatives in a run.
type Result struct {
	Schema    string        `json:"schema"`
	Run       string        `json:"run"`
	Meter     string        `json:"meter"`
	Source    record.Source `json:"source"`
	Rounds    int           `json:"rounds"`
	Level     float64       `json:"level"`
	MinChange float64       `json:"min_change"`
	Groups    []Group       `json:"groups"`
	// LeftOut are alternatives that did not pass.
	LeftOut []LeftOut `json:"left_out"`
	// Partial says that the measurement was interrupted.
	Partial bool `json:"partial,omitempty"`
	// Doubts are the facts of the measurement that make the figures doubtful, the weightiest first.
	Doubts []note.Note `json:"doubts"`
}

// A LeftOut is an alternative that did not pass.
type LeftOut struct {
	Test    string         `json:"test"`
	Outcome record.Outcome `json:"outcome"`
}

// A Group has alternatives for one purpose, for one size or several.
type Group struct {
	Package string `json:"package"` // "" for functions that were named, which may be of several
	Name    string `json:"name"`    // of the benchmark or test, with all parts that are neither alternative nor size
	Key     string `json:"key"`
	SizeKey string `json:"size_key,omitempty"` // "" = without sizes
	Sizes   []Size `json:"sizes"`              // ascending; one without a number if there are no sizes
	// Crossings are where the best alternatives change, by size.
	Crossings []Crossing `json:"crossings"`
}

// A Quantity is what decides.
type Quantity string

// The quantities.
const (
	Energy Quantity = "energy"
	Time   Quantity = "time"
)

// A Reason says why energy does not decide.
type Reason string

// The reasons.
const (
	Estimated       Reason = "estimated"        // by a model, from time
	NoCounter       Reason = "none"             // no energy is known
	BelowResolution Reason = "below-resolution" // of one alternative or more
)

// A Size has the alternatives for one size.
type Size struct {
	Text     string   `json:"size,omitempty"` // as in the name
	Value    float64  `json:"value,omitempty"`
	Decides  Quantity `json:"decides"`
	WhyTime  Reason   `json:"why_time,omitempty"`
	Compared bool     `json:"compared"` // there is a value for each round
	// RoundsNeeded is how many rounds it takes to tell any two apart; 0 if there were enough.
	RoundsNeeded int           `json:"rounds_needed,omitempty"`
	Alternatives []Alternative `json:"alternatives"` // by rank, then by what decides
	Best         []string      `json:"best"`         // those of rank 1
	// LeastBytes is the one of several best alternatives that allocates less than all others of them; "" if
	// none does.
	LeastBytes string `json:"least_bytes,omitempty"`
	Pairs      []Pair `json:"pairs"`
}

// An Alternative is a row of the run. Its values are those of one operation of a benchmark, or of one execution
// of a test.
type Alternative struct {
	Name    string  `json:"name"` // the value of the key
	Test    string  `json:"test"`
	Rank    int     `json:"rank"` // from 1
	EnergyJ *Amount `json:"energy_j,omitempty"`
	TimeMS  Amount  `json:"time_ms"`
	// Bytes are those allocated on the heap, by samples.
	Bytes Amount `json:"alloc_bytes"`
	// ProbeShare is the part of the time that probes took, at most 1.
	ProbeShare float64 `json:"probe_share,omitempty"`

	energy, time []float64 // by round; empty if not known
}

// An Amount is a mean with its 95 % interval; nil if it is not known.
type Amount struct {
	Mean float64     `json:"mean"`
	CI   *[2]float64 `json:"ci,omitempty"`
}

// A Pair is two alternatives of one size. First stands before Second in the order.
type Pair struct {
	First  string `json:"first"`
	Second string `json:"second"`
	// Ratio is Second / First of what decides, with its 95 % interval.
	Ratio  float64     `json:"ratio"`
	CI     *[2]float64 `json:"ratio_ci,omitempty"`
	P      float64     `json:"p"` // corrected by Holm's method
	Tied   bool        `json:"tied"`
	first  int
	second int
}

// Check reports why Of would find nothing to compare, judging by the names of the tests alone. The error is a *NoneError, *KeysError
// or *SizeError.
func Check(tests []record.Test, o Options) error {
	_, err := benchmarksOf(tests, o)
	return err
}

// Of compares the alternatives in a run. The error is a *NoneError, *OneError, *KeysError or *SizeError.
func Of(r *record.Run, o Options) (*Result, error) {
	benchmarks, err := benchmarksOf(r.Tests, o)
	if err != nil {
		return nil, err
	}
	result := &Result{
		Schema: Schema, Run: r.ID, Meter: r.Meter.Name, Source: r.Meter.Origin(), Rounds: r.Rounds,
		Level: Level, MinChange: MinChange, Groups: []Group{}, LeftOut: []LeftOut{}, Partial: r.Partial, Doubts: Doubts(r),
	}
	var alone string
	for _, b := range benchmarks {
		for _, g := range b.groups() {
			group, leftOut := compareGroup(r, g)
			result.LeftOut = append(result.LeftOut, leftOut...)
			if len(group.Sizes) == 0 {
				alone = cmp.Or(alone, g.passed())
				continue
			}
			result.Groups = append(result.Groups, group)
		}
	}
	slices.SortStableFunc(result.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
	})
	if len(result.Groups) == 0 {
		return nil, &OneError{Test: alone, Key: benchmarks[0].key, LeftOut: result.LeftOut}
	}
	return result, nil
}

// Doubts are those about the measurement, and not about a ranking of functions.
func Doubts(r *record.Run) []note.Note {
	measured := *r
	measured.Analysis = nil
	list, _ := summary.Divide(measured.AllNotes())
	return append([]note.Note{}, list...)
}

// compareGroup compares the alternatives of each size that has two or more.
func compareGroup(r *record.Run, g rows) (Group, []LeftOut) {
	group := Group{Package: g.pkg, Name: g.name, Key: g.key, SizeKey: g.sizeKey, Sizes: []Size{}, Crossings: []Crossing{}}
	var leftOut []LeftOut
	var sizes []Size
	for _, row := range g.rows {
		if row.test.Outcome != record.Pass {
			leftOut = append(leftOut, LeftOut{row.test.Name, row.test.Outcome})
			continue
		}
		at := slices.IndexFunc(sizes, func(s Size) bool { return s.Text == row.size })
		if at < 0 {
			at = len(sizes)
			sizes = append(sizes, Size{Text: row.size, Value: row.value})
		}
		sizes[at].Alternatives = append(sizes[at].Alternatives, alternative(r, row))
	}
	for _, s := range sizes {
		if len(s.Alternatives) > 1 {
			s.compare(r)
			group.Sizes = append(group.Sizes, s)
		}
	}
	slices.SortStableFunc(group.Sizes, func(a, b Size) int { return cmp.Compare(a.Value, b.Value) })
	group.Crossings = crossings(group.Sizes)
	return group, leftOut
}

// of is the value that decides, and its rounds.
func (a *Alternative) of(q Quantity) (mean float64, byRound []float64) {
	if q == Energy {
		return a.EnergyJ.Mean, a.energy
	}
	return a.TimeMS.Mean, a.time
}

// compare tests all pairs, and puts the alternatives in order.
func (s *Size) compare(r *record.Run) {
	s.decide(r)
	slices.SortStableFunc(s.Alternatives, func(a, b Alternative) int {
		x, _ := a.of(s.Decides)
		y, _ := b.of(s.Decides)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Name, b.Name))
	})
	pairs := s.pairs()
	better := make([]int, len(s.Alternatives))
	for i := range pairs {
		if p := &pairs[i]; !p.Tied {
			worse := p.second
			if p.Ratio < 1 {
				worse = p.first
			}
			better[worse]++
		}
	}
	for i := range s.Alternatives {
		s.Alternatives[i].Rank = 1 + better[i]
	}
	s.Pairs = pairs
	slices.SortStableFunc(s.Alternatives, func(a, b Alternative) int { return cmp.Compare(a.Rank, b.Rank) })
	s.orient()
	s.setBest()
	if least := significance.Least(r.Rounds) * float64(len(pairs)); least > Level {
		s.RoundsNeeded = significance.PairsFor(Level / float64(len(pairs)))
	}
}

// orient turns the pairs so that the one that stands before the other is the first.
func (s *Size) orient() {
	place := make(map[string]int, len(s.Alternatives))
	for i := range s.Alternatives {
		place[s.Alternatives[i].Name] = i
	}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		if place[p.First] < place[p.Second] || p.Ratio == 0 {
			continue
		}
		p.First, p.Second, p.Ratio = p.Second, p.First, 1/p.Ratio
		if p.CI != nil {
			p.CI = &[2]float64{1 / p.CI[1], 1 / p.CI[0]}
		}
	}
}

// setBest lists the alternatives of rank 1, and finds the one of them that allocates least. Where each is worse than another, as
// in a circle, those of the first rank that there is have rank 1.
func (s *Size) setBest() {
	var best []*Alternative
	first := s.Alternatives[0].Rank
	for i := range s.Alternatives {
		if a := &s.Alternatives[i]; a.Rank == first {
			a.Rank = 1
			best, s.Best = append(best, a), append(s.Best, a.Name)
		}
	}
	for _, a := range best {
		least := func(b *Alternative) bool { return a == b || a.Bytes.CI[1] < b.Bytes.CI[0] }
		if len(best) > 1 && !slices.ContainsFunc(best, func(b *Alternative) bool { return !least(b) }) {
			s.LeastBytes = a.Name
		}
	}
}

// Pair is the comparison of two alternatives; nil if there is none.
func (s *Size) Pair(first, second string) *Pair {
	for i := range s.Pairs {
		if p := &s.Pairs[i]; p.First == first && p.Second == second {
			return p
		}
	}
	return nil
}
