package ranking

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/summary"
)

// balanced is the relative error up to which the parts of a test add up.
const balanced = 0.005

// Summarize says what must be known first of a run that was analysed. tallies are those of r,
// which take long to add up where there are many cells. shown are the components that get an
// item.
func Summarize(r *record.Run, tallies []record.Tally, shown []int) *summary.Summary {
	a := analysisOf(r)
	s := &summary.Summary{
		Kind: cmp.Or(r.Granularity, spell.KindFunction), Basis: basis(r), Meter: r.Meter.Name, Root: r.Meter.Root, File: r.Meter.OfMatrix(),
		Row: r.RowWord(), Components: len(r.Components), Excluded: fmt.Sprint(r.Settings["exclude"]) == "[*]", Partial: r.Partial, Inclusive: a.Inclusive,
	}
	for i := range r.Tests {
		if r.Tests[i].InAnalysis(a.IncludeFailed) {
			s.Tests++
		}
	}
	values := amounts(r, tallies)
	s.By, s.Of = values.by, values.of
	s.Held = values.sum
	s.Whole, s.Outside = outside(r, values)
	s.Waiting = waiting(r, a, tallies)
	s.Leading = leading(r, values)
	for k, why := range explainAll(r, tallies, s.By, shown) {
		i := shown[k]
		s.Items = append(s.Items, summary.Item{Component: i, Amount: values.amount[i], Share: values.share(i), Why: why})
	}
	setCallers(r, s.Items)
	s.Doubts, s.Notes = summary.Divide(Notes(r))
	return s
}

// Notes are all notes of a run, with one if its parts do not add up. Those of a matrix do by
// definition.
func Notes(r *record.Run) []note.Note {
	notes := r.AllNotes()
	if !r.Meter.KnowsEnergy() || r.Meter.OfMatrix() {
		return notes
	}
	if off := r.Imbalance(); off > balanced {
		notes = append(notes, note.Imbalance(off))
	}
	return notes
}

// analysisOf is the analysis of r, or the zero value.
func analysisOf(r *record.Run) record.Analysis {
	if r.Analysis == nil {
		return record.Analysis{}
	}
	return *r.Analysis
}

func basis(r *record.Run) summary.Basis {
	m := &r.Meter
	followsTime := func(n note.Note) bool {
		return n.Code == note.EnergyFollowsTimeCode || n.Code == note.FollowsFrequencyCode
	}
	switch {
	case !m.KnowsEnergy():
		return summary.NoEnergy
	case m.Origin() == "":
		return summary.Unstated
	case m.Origin() == record.Measured:
		return summary.Measured
	case m.HostsShare() && len(r.TestOnly()) == len(m.Domains):
		return summary.HostsShare
	case slices.ContainsFunc(m.Notes, followsTime):
		return summary.EstimatedByTime
	}
	return summary.Estimated
}

// values are the amounts that a summary adds up, by component.
type values struct {
	by, of spell.Criterion
	amount []float64
	sum    float64
}

func (v *values) share(i int) float64 {
	if v.sum == 0 {
		return 0
	}
	return v.amount[i] / v.sum
}

// amounts are joules, or what stands for them where components have none.
func amounts(r *record.Run, tallies []record.Tally) *values {
	joules, ms, n := make([]float64, len(tallies)), make([]float64, len(tallies)), make([]float64, len(tallies))
	for i := range tallies {
		joules[i], ms[i], n[i] = tallies[i].TotalJ(), tallies[i].TimeMS, tallies[i].N
	}
	v := &values{}
	_, v.by = r.Analysis.RankedBy().Scores(nil, joules, ms, n)
	_, v.of = spell.ByEnergy.Scores(nil, joules, ms, n)
	v.amount = map[spell.Criterion][]float64{spell.EnergyCriterion: joules, spell.TimeCriterion: ms, spell.ExecutionsCriterion: n}[v.of]
	for _, x := range v.amount {
		v.sum += x
	}
	if v.sum == 0 {
		v.of = ofParts(r)
	}
	return v
}

// ofParts is what the parts outside of all components are known in: it is added up where no
// component holds anything.
func ofParts(r *record.Run) spell.Criterion {
	if _, joules, _ := r.Unattributed(); joules > 0 {
		return spell.EnergyCriterion
	}
	for _, part := range r.Parts() {
		if part.TimeMS > 0 {
			return spell.TimeCriterion
		}
	}
	return spell.ExecutionsCriterion
}

// leading are the red components or, without one, the first that holds something.
func leading(r *record.Run, v *values) summary.Leading {
	l := first(r, v)
	if l.Count == 0 {
		return l
	}
	most := slices.Index(v.amount, slices.Max(v.amount))
	if v.share(most) > l.Share {
		l.Most, l.MostShare = most, v.share(most)
	}
	return l
}

func first(r *record.Run, v *values) summary.Leading {
	l := summary.Leading{First: -1}
	before := func(i, j int) bool { return j < 0 || r.Components[i].Rank < r.Components[j].Rank }
	for i := range r.Components {
		if r.Components[i].Zone != spell.Red {
			continue
		}
		l.Red, l.Count, l.Share = true, l.Count+1, l.Share+v.share(i)
		if before(i, l.First) {
			l.First = i
		}
	}
	if l.Red {
		return l
	}
	for i := range r.Components {
		if v.amount[i] > 0 && before(i, l.First) {
			l.First = i
		}
	}
	if l.First >= 0 {
		l.Count, l.Share = 1, v.share(l.First)
	}
	return l
}

// places are the parts of a record as a summary calls them.
var places = map[record.Part]summary.Place{
	record.Idle: summary.IdleMachine, record.Others: summary.OtherProcesses, record.Collector: summary.Collector,
	record.Scheduler: summary.Scheduler, record.TestCode: summary.TestCode, record.OutsideCode: summary.OutsideCode, record.Probes: summary.Probes,
	record.Sampler: summary.Sampler, record.Children: summary.ChildProcesses, record.Strays: summary.EndedTests, record.NotByFunction: summary.NotByComponent,
	record.MovedByNone: summary.MovedByNone,
	record.Unsampled:   summary.Unsampled,
}

// outside finds what belongs to no component: in joules or, where these are not known, in CPU
// time, which the idle machine has none of. whole is the sum of v and of that.
func outside(r *record.Run, v *values) (whole float64, parts []summary.Part) {
	left := make(map[summary.Place]float64)
	switch {
	case r.Meter.OfMatrix() || analysisOf(r).Inclusive:
	case v.of == spell.EnergyCriterion:
		byPart, unattributed, _ := r.Unattributed()
		left = placed(byPart)
		named := 0.0
		for _, place := range slices.Sorted(maps.Keys(left)) {
			named += left[place]
		}
		if rest := unattributed - named; rest > balanced*unattributed {
			left[summary.Elsewhere] += rest
		}
	case v.of == spell.TimeCriterion:
		byPart := make(map[record.Part]float64)
		for part, u := range r.Parts() {
			byPart[part] = u.TimeMS
		}
		left = placed(byPart)
	}
	whole = v.sum
	for _, place := range slices.Sorted(maps.Keys(left)) {
		whole += left[place]
	}
	for place, amount := range left {
		if amount > 0 {
			parts = append(parts, summary.Part{Place: place, Amount: amount})
		}
	}
	slices.SortFunc(parts, func(a, b summary.Part) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Place, b.Place))
	})
	return whole, parts
}

// placed adds up parts by their place; a part of a newer version is elsewhere.
func placed(parts map[record.Part]float64) map[summary.Place]float64 {
	left := make(map[summary.Place]float64)
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		place, ok := places[part]
		if !ok {
			place = summary.Elsewhere
		}
		left[place] += parts[part]
	}
	return left
}

// Waiting is worth a word from leastWaitMS in a round on, where the program runs for at most
// mostRunning of the time. A record does not tell waiting for an event from waiting for a
// processor: a larger share would call programs on busy machines waiting.
const (
	leastWaitMS = 100
	mostRunning = 0.1
)

// waiting finds out whether the tests mostly wait.
func waiting(r *record.Run, a record.Analysis, tallies []record.Tally) summary.Waiting {
	parts := r.Parts()
	if len(parts) == 0 || a.Inclusive || r.Meter.OfMatrix() {
		return summary.Waiting{}
	}
	w := summary.Waiting{}
	for _, part := range []record.Part{record.Collector, record.Scheduler, record.TestCode, record.OutsideCode, record.Probes, record.Children, record.Strays, record.Unsampled} {
		w.RanMS += parts[part].TimeMS
	}
	for i := range tallies {
		w.RanMS += tallies[i].TimeMS
	}
	for i := range r.Tests {
		if r.Tests[i].InAnalysis(a.IncludeFailed) {
			w.WallMS += r.Tests[i].TimeMS
		}
	}
	if w.RanMS == 0 || w.RanMS > mostRunning*w.WallMS || w.WallMS-w.RanMS < leastWaitMS {
		return summary.Waiting{}
	}
	return w
}

// explainAll explains the ranks of some components, which follow by.
func explainAll(r *record.Run, tallies []record.Tally, by spell.Criterion, components []int) []explanation.Explanation {
	a := analysisOf(r)
	partly := ranElsewhere(r, a.IncludeFailed)
	list := make([]explanation.Explanation, len(components))
	for k, i := range components {
		c, t := &r.Components[i], &tallies[i]
		row := spell.Row{
			Component: i, Rank: c.Rank, N: t.N, TimeMS: t.TimeMS, Joules: t.EnergyJ, EPI: c.EPIJ, Psi: c.Psi, Zone: c.Zone,
			Phi: spell.Phi{N: c.Phi["n"], Time: c.Phi["time"]},
		}
		for _, d := range r.Matrix.Domains {
			row.Phi.Energy = append(row.Phi.Energy, c.Phi[string(d)])
		}
		list[k] = explain(r, c, &row, by, partly[i], a.Inclusive)
	}
	return list
}
