package runner

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

const (
	// resolvedMS is the length of a window whose edges, each up to a millisecond off with a
	// counter that is updated each millisecond, make an error below 1 %.
	resolvedMS = 330
	maxCopies  = 1000
	// repeatMS is how long the repetitions of a package's tests may take in a round, or as long
	// as the tests themselves, if that is longer.
	repeatMS = 2000
	// maxCells limits the size of the log: each repetition of a test leaves a count for each
	// function that ran.
	maxCells = 200_000
)

// A repetition is a group of tests of about the same length that are executed a number of times
// more, in one process.
type repetition struct {
	copies int
	tests  []string
	ms     float64 // expected length
}

// repeatShort repeats the tests of a package that pass in less time than the meter can resolve.
func (m *measurement) repeatShort(ctx context.Context, r *round, p program, h *firstOutcomes) error {
	if hasAlternatives(m.Run) {
		return nil
	}
	for _, again := range plannedRepetitions(r, h) {
		limit := time.Duration(again.ms*1e6)*10 + slackTimeout
		seen, err := m.executeOnce(ctx, p, []string{
			fmt.Sprintf("-test.count=%d", again.copies), "-test.run=" + choose(again.tests, m.Run), "-test.bench=",
			"-test.timeout=" + min(limit, m.Timeout).String(),
		})
		if err != nil {
			return err
		}
		for _, n := range seen.notes {
			m.note(note.Repeated(n))
		}
		r.merge(seen, again, h)
		r.programs, r.left = append(r.programs, seen.programs...), append(r.left, seen.left...)
	}
	for _, test := range h.once {
		m.note(note.NotRepeatable(p.Path + "." + test))
	}
	return nil
}

// slackTimeout is added to the time limit, for starting and ending the process. Tests replace it.
var slackTimeout = 5 * time.Second

// lengthOf is how long a test took, ms. Tests replace it.
var lengthOf = func(o *observation) float64 { return o.timeMS }

// plannedRepetitions groups the short tests that passed. Examples are left out because package
// testing does not repeat them, and benchmarks because it does.
func plannedRepetitions(r *round, h *firstOutcomes) []repetition {
	times, cells := make(map[string]float64), make(map[string]float64) // of top-level tests
	for _, o := range r.tests {
		top := topLevel(o.name)
		switch {
		case strings.HasPrefix(top, "Benchmark"), strings.HasPrefix(top, "Example"), !h.repeatable(top):
		case o.outcome != record.Pass && o.outcome != record.Skip:
			times[top] = math.Inf(1)
		default:
			times[top] += lengthOf(o)
			for _, v := range o.intervals {
				cells[top] += float64(len(v.Counts))
			}
		}
	}
	var all, extra, counts float64
	copies := make(map[string]float64)
	for _, top := range sortedKeys(times) {
		t := times[top]
		if !math.IsInf(t, 1) {
			all += t
		}
		if t > 0 && t < resolvedMS {
			// Powers of two keep the number of groups small.
			copies[top] = min(maxCopies, math.Exp2(math.Ceil(math.Log2(max(1, resolvedMS/t-1)))))
			extra += copies[top] * t
			counts += copies[top] * cells[top]
		}
	}
	factor := min(1, max(repeatMS, all)/max(extra, 1), maxCells/max(counts, 1))
	groups := make(map[int]repetition)
	for _, top := range sortedKeys(copies) {
		if n := int(copies[top] * factor); n > 0 {
			g := groups[n]
			groups[n] = repetition{n, append(g.tests, top), g.ms + float64(n)*times[top]}
		}
	}
	list := make([]repetition, 0, len(groups))
	for _, n := range sortedKeys(groups) {
		list = append(list, groups[n])
	}
	return list
}

// merge adds repetitions to the tests of the round. Repetitions of a test that did not all end
// like its first execution are discarded. A test that caused this is never repeated again.
func (r *round) merge(again *round, planned repetition, h *firstOutcomes) {
	seen := make(map[string]*observation)
	for _, o := range again.tests {
		seen[o.name] = o
	}
	for _, top := range planned.tests {
		var of []*observation
		whole, guilty := true, false
		for _, o := range r.tests {
			if topLevel(o.name) != top {
				continue
			}
			of = append(of, o)
			more := seen[o.name]
			whole = whole && more != nil && more.outcome == o.outcome && more.ends == planned.copies
			guilty = guilty || more != nil && (more.running || more.ends > 0 && more.outcome != o.outcome && more.outcome != record.Crash)
		}
		switch {
		case whole:
			for _, o := range of {
				o.merge(seen[o.name], float64(planned.copies))
			}
		case guilty:
			h.once = append(h.once, top)
		}
	}
}

// merge takes the mean of an execution and of its repetitions.
func (o *observation) merge(more *observation, copies float64) {
	all := o.executions + copies
	o.timeMS = (o.timeMS*o.executions + more.timeMS) / all
	for d := range o.joules {
		o.joules[d] = (o.joules[d]*o.executions + more.joules[d]) / all
	}
	for s := range o.separate {
		o.separate[s] = (o.separate[s]*o.executions + more.separate[s]) / all
	}
	o.intervals, o.calls = append(o.intervals, more.intervals...), append(o.calls, more.calls...)
	o.parts, o.groups = append(o.parts, more.parts...), append(o.groups, more.groups...)
	o.sizes = append(o.sizes, more.sizes...)
	o.executions = all
}
